// Search by double click: files of the index are classic scripts, each of one call; nothing else is ever asked for.
// The first part says how texts fall into terms, as lakesite/search/tokens.py does; tests/search/tokens.txt tests both.
// Then come the files, the query, the look-up, the check against the texts, and the page.
(() => {
"use strict";

// ---------------------------------------------------------------- terms

const LONGEST = 64;
const JOINTS = new Set([".", "/", ":", "-", "::"]);
const BETWEEN = /[^\p{L}\p{N}_./:-]+/u;
const JOINT = /([./:-]+)/;
const PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const FOREIGN_PARTS = /[\p{L}\p{Nl}\p{No}]+|\p{Nd}+/gu;
const RANGES = "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u3007\\u3040-\\u30ff\\u31f0-\\u31ff"
  + "\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\u{20000}-\\u{3ffff}";
const UNSPACED = new RegExp(`[${RANGES}]`, "u");
const SCRIPTS = new RegExp(`[${RANGES}]+|[^${RANGES}]+`, "gu");
const WORDY = /[\p{L}\p{N}_]/u;
const ASCII = /^[\0-\x7f]*$/;
const MARKS = /(?![\u3099\u309a])\p{M}/gu;
const LETTERS = new Map(Object.entries({
  ß: "ss", ẞ: "SS", æ: "ae", Æ: "Ae", œ: "oe", Œ: "Oe", ø: "o", Ø: "O", ł: "l", Ł: "L",
  đ: "d", Đ: "D", ð: "d", Ð: "D", þ: "th", Þ: "Th", ħ: "h", Ħ: "H", ı: "i",
}));

const plainOf = new Map();
const plainChar = char => {
  let plain = plainOf.get(char);
  if (plain === undefined) {
    const bare = [...char.normalize("NFKD").replace(MARKS, "")];
    plain = bare.map(each => LETTERS.get(each) ?? each).join("").normalize("NFC");
    plainOf.set(char, plain);
  }
  return plain;
};
const plain = text => ASCII.test(text) ? text : text.normalize("NFC").replace(/[^\0-\x7f]/gu, plainChar);
const lower = text => text.toLowerCase().replaceAll("ς", "σ");
const fold = text => lower(plain(text));
const size = text => ASCII.test(text) ? text.length : [...text].length;

const runsOf = text => plain(text).split(BETWEEN).filter(Boolean);

const partsOf = (parts, word) => {
  if (/^[0-9]/.test(word) && !word.includes("_")) return [];
  const sizes = parts.map(size);
  if (parts.length >= 4 && sizes.reduce((sum, each) => sum + each, 0) < 3 * parts.length) return [];
  return parts.filter((part, place) => sizes[place] > 1 && sizes[place] < size(word)).map(part => part.toLowerCase());
};

// The terms of a word. For a look-up without its parts, and without the last character of what has no blanks alone.
const wordTerms = (word, asked) => {
  if (ASCII.test(word)) {
    if (word.length > LONGEST) return [];
    return [word.toLowerCase(), ...(asked ? [] : partsOf(word.match(PARTS) ?? [], word))];
  }
  return lower(word).match(SCRIPTS).flatMap(piece => {
    if (UNSPACED.test(piece)) {
      const chars = [...piece];
      const pairs = chars.slice(1).map((char, place) => chars[place] + char);
      return asked ? pairs : [...pairs, chars.at(-1)];
    }
    if (size(piece) > LONGEST) return [];
    return [piece, ...(asked ? [] : partsOf(piece.match(FOREIGN_PARTS) ?? [], piece))];
  });
};

const pairsOf = run => {
  const pieces = run.split(JOINT);
  const pairs = [];
  for (let place = 1; place < pieces.length; place += 2) {
    const [left, joint, right] = pieces.slice(place - 1, place + 2);
    if (!left || !right || !JOINTS.has(joint) || (left < ":" && right < ":")) continue;
    if (size(left) + size(right) >= LONGEST || UNSPACED.test(left + right)) continue;
    pairs.push(lower(left + joint + right));
  }
  return pairs;
};
const wordsOf = run => run.split(JOINT).filter((piece, place) => place % 2 === 0 && piece);

const termsOf = text => {
  const found = new Set();
  for (const run of runsOf(text)) {
    for (const word of wordsOf(run)) wordTerms(word).forEach(term => found.add(term));
    pairsOf(run).forEach(term => found.add(term));
  }
  return found;
};

// ---------------------------------------------------------------- files

const CACHED = 100;
const waiting = new Map();
const loaded = new Map();
const failed = new Map();
const damaged = name => {
  failed.set(name, "damaged");
  return null;
};

// Each file of the index calls this. What every query needs is part of the page, and comes before anyone asks for it.
const early = new Map();
const arrive = (name, data) => waiting.has(name) ? waiting.get(name)(data) : early.set(name, data);

const fetchScript = name => new Promise((resolve, reject) => {
  const script = document.createElement("script");
  let text;
  waiting.set(name, data => { text = data; });
  const end = why => {
    waiting.delete(name);
    script.remove();
    if (why) reject(new Error(why));
    else resolve(text);
  };
  script.onload = () => end(typeof text === "string" ? "" : "damaged");
  script.onerror = () => end("missing");
  script.src = `search/${name}.js`;
  document.head.append(script);
});

const unpack = async text => {
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), char => char.charCodeAt(0));
  const {writable, readable} = new DecompressionStream("deflate-raw");
  const writer = writable.getWriter();
  // What goes wrong here is told where the other end is read.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const pieces = [];
  const reader = readable.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) pieces.push(read.value);
  return joined(pieces);
};

const joined = pieces => {
  if (pieces.length === 1) return pieces[0];
  const found = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    found.set(piece, at);
    at += piece.length;
  }
  return found;
};

// The content of a file; the last ones are kept. A file that cannot be read is remembered, and counts as not there.
const load = (name, read) => {
  let found = loaded.get(name);
  if (!found) {
    const text = early.has(name) ? Promise.resolve(early.get(name)) : fetchScript(name);
    found = text.then(unpack).then(read).catch(error => {
      if (error.message !== "missing") return damaged(name);
      failed.set(name, "missing");
      return null;
    });
    if (loaded.size >= CACHED) loaded.delete(loaded.keys().next().value);
  }
  loaded.delete(name);
  loaded.set(name, found);
  return found;
};

const utf8 = new TextDecoder();
const toUtf8 = new TextEncoder();

class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  byte() {
    if (this.at >= this.bytes.length) throw new RangeError("cut off");
    return this.bytes[this.at++];
  }
  number() {
    let value = 0;
    for (let factor = 1;; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
  numbers(count) {
    const found = new Uint32Array(count);
    for (let place = 0; place < count; place++) {
      const byte = this.bytes[this.at];
      if (byte < 128) {
        found[place] = byte;
        this.at++;
      } else found[place] = this.number();
    }
    return found;
  }
  skip(count) {
    while (count) if (this.byte() < 128) count--;
  }
  // Front-coded terms, one after the other; `visit` sees the bytes of each, in a buffer that is used again.
  terms(count, visit) {
    const term = new Uint8Array(4096);
    const shared = this.numbers(count);
    const lengths = this.numbers(count);
    for (let place = 0; place < count; place++) {
      let length = shared[place];
      for (let left = lengths[place]; left; left--) term[length++] = this.byte();
      visit(term, length, place);
    }
  }
}

const compare = (one, length, other) => {
  const shorter = Math.min(length, other.length);
  for (let place = 0; place < shorter; place++) if (one[place] !== other[place]) return one[place] - other[place];
  return length - other.length;
};
const startsWith = (term, length, start) => {
  if (length < start.length) return false;
  for (let place = 0; place < start.length; place++) if (term[place] !== start[place]) return false;
  return true;
};

const starts = counts => {
  const found = new Uint32Array(counts.length + 1);
  counts.forEach((count, place) => { found[place + 1] = found[place] + count; });
  return found;
};
const spread = firsts => {
  const found = new Uint32Array(firsts.at(-1));
  for (let place = 0; place + 1 < firsts.length; place++) found.fill(place, firsts[place], firsts[place + 1]);
  return found;
};
// The numbers below a count that fit.
const numbersBelow = (count, fits) => {
  const found = new Uint32Array(count);
  let at = 0;
  for (let number = 0; number < count; number++) if (fits(number)) found[at++] = number;
  return found.slice(0, at);
};

class Segment {
  constructor(id, gone, bytes) {
    const end = bytes.indexOf(10);
    const head = JSON.parse(utf8.decode(bytes.subarray(0, end)));
    const reader = new Reader(bytes, end + 1);
    Object.assign(this, head, {id, gone: new Set(gone)});
    const chunks = reader.numbers(head.documents);
    for (const column of ["kind", "status", "runtime", "project", "model", "day"]) this[column] = reader.numbers(head.documents);
    const blocks = reader.numbers(chunks.reduce((sum, each) => sum + each, 0));
    this.firstChunk = starts(chunks);
    this.chunkStart = starts(blocks);
    this.firstBlock = this.firstChunk.map(chunk => this.chunkStart[chunk]);
    this.blocks = this.chunkStart.at(-1);
    this.fieldsOf = reader.numbers(this.blocks);
    this.documentOf = spread(this.firstBlock);
    const days = this.day.filter(Boolean);
    this.oldest = days.reduce((one, other) => Math.min(one, other), Infinity);
    this.newest = days.reduce((one, other) => Math.max(one, other), 0);
    this.firsts = [];
    reader.terms(head.shards, (term, length) => this.firsts.push(term.slice(0, length)));
    this.fields = head.fields.map(([role, tool, fidelity, error]) => ({
      role, tool, error: Boolean(error), fidelity: fidelity === "both" ? ["both", "router", "agent"] : fidelity ? [fidelity] : [],
    }));
  }

  file(kind, number) {
    return `${this.id}/${kind}/${number >> 8}/${number & 255}`;
  }

  // What is read from some shards of the dictionary.
  async readShards(numbers, read) {
    const found = await Promise.all(numbers.map(number => load(this.file("i", number), bytes => bytes)));
    return found.flatMap((bytes, place) => {
      if (!bytes) return [];
      try {
        return [read(new Reader(bytes))];
      } catch {
        damaged(this.file("i", numbers[place]));
        return [];
      }
    });
  }

  // The blocks that hold a term, or any term that begins so.
  async lookUp(term, prefix = false) {
    const wanted = toUtf8.encode(term);
    const lists = await this.readShards(this.shardsFor(wanted, prefix), reader => readBlocks(reader, wanted, prefix));
    if (!prefix) return lists[0] ?? new Uint32Array();
    const marked = new Uint8Array(this.blocks);
    for (const list of lists) for (const block of list) marked[block] = 1;
    return numbersBelow(this.blocks, block => marked[block]);
  }

  shardsFor(wanted, prefix) {
    let low = 0;
    let high = this.firsts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.firsts[middle], this.firsts[middle].length, wanted) <= 0) low = middle + 1;
      else high = middle;
    }
    const found = low ? [low - 1] : [];
    if (prefix) for (; low < this.firsts.length && startsWith(this.firsts[low], this.firsts[low].length, wanted); low++) found.push(low);
    return found;
  }

  // Words of the dictionary that begin so, each with the number of its blocks; as many as one shard holds.
  async wordsLike(start) {
    const wanted = toUtf8.encode(start);
    const found = await this.readShards(this.shardsFor(wanted, false), reader => {
      const words = [];
      const count = reader.number();
      reader.terms(count, (term, length, place) => {
        if (startsWith(term, length, wanted)) words.push([utf8.decode(term.subarray(0, length)), place]);
      });
      const counts = reader.numbers(count);
      return words.filter(([word]) => !JOINT.test(word)).map(([word, place]) => [word, counts[place]]);
    });
    return found.flat();
  }

  // [title, address, time, names of chunks, places]
  async shown(document) {
    const rows = await load(this.file("d", document >> 8), bytes => JSON.parse(utf8.decode(bytes)));
    return rows?.[document & 255];
  }
}

const readBlocks = (reader, wanted, prefix) => {
  const count = reader.number();
  let first = -1;
  let last = -1;
  reader.terms(count, (term, length, place) => {
    if (!(prefix ? startsWith(term, length, wanted) : compare(term, length, wanted) === 0)) return;
    if (first < 0) first = place;
    last = place;
  });
  const counts = reader.numbers(count);
  if (first < 0) return new Uint32Array();
  reader.skip(counts.subarray(0, first).reduce((sum, each) => sum + each, 0));
  const found = new Uint32Array(counts.subarray(first, last + 1).reduce((sum, each) => sum + each, 0));
  let at = 0;
  for (let place = first; place <= last; place++) {
    for (let block = -1, left = counts[place]; left; left--) found[at++] = block += reader.number() + 1;
  }
  return found;
};

// Chunks of the text store: for each block its entries, each with its order in the document, part, anchor and text.
const readChunk = bytes => {
  const [head, ...texts] = utf8.decode(bytes).split("\x1e");
  let at = 0;
  return JSON.parse(head).map(places => {
    const entries = [];
    for (let place = 0; place < places.length; place += 3) {
      entries.push({order: places[place], part: places[place + 1], anchor: places[place + 2], text: texts[at++]});
    }
    return entries;
  });
};

let library;
const openLibrary = () => library ??= (async () => {
  const list = await load("segments", bytes => JSON.parse(utf8.decode(bytes)));
  if (!list) throw new Error("no index");
  if (list.format !== 1) throw new Error("an index of another version of lakesite");
  const segments = await Promise.all(list.segments.map(({id, gone}) => load(`${id}/head`, bytes => new Segment(id, gone, bytes))));
  return {texts: list.texts, segments: segments.filter(Boolean)};
})();

// ---------------------------------------------------------------- the query

const KINDS = ["run", "session"];
const ROLES = new Map([
  ["tool_call", "tool"], ["tool_result", "tool"], ["tool_use", "tool"], ["prompt", "user"], ["reply", "assistant"],
]);
const CHANNELS = new Map([["agent_emitted", "agent"]]);
const escaped = text => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
const wildcard = (value, whole) => {
  const pattern = fold(value).split("*").map(escaped).join(".*");
  const test = new RegExp(whole ? `^${pattern}$` : pattern, "su");
  return text => test.test(fold(text));
};
const day = text => {
  const found = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text);
  const time = found ? Date.UTC(found[1], (found[2] ?? 1) - 1, found[3] ?? 1) : NaN;
  return Number.isNaN(time) ? null : Math.floor(time / 86400000) + 1;
};
const isoDays = new Map();
const isoDay = number => {
  if (!isoDays.has(number)) isoDays.set(number, new Date((number - 1) * 86400000).toISOString().slice(0, 10));
  return isoDays.get(number);
};

// What a field asks: `document` makes, for a segment, a test of its documents; `block` tests the fields of a block. Null for a
// value that means nothing.
const ofDocument = document => ({group: "document", document});
const ofBlock = block => ({group: "block", block});
const ofValues = (list, column, test) => ofDocument(segment => {
  const fits = segment[list].map(test);
  return document => fits[segment[column][document]];
});
const ofDay = test => ofDocument(segment => document => segment.day[document] > 0 && test(segment.day[document]));
const FIELDS = {
  is: value => value === "error" ? ofBlock(fields => fields.error)
    : KINDS.includes(value) ? ofDocument(segment => document => KINDS[segment.kind[document]] === value) : null,
  kind: value => KINDS.includes(value) ? FIELDS.is(value) : FIELDS.role(value),
  role: value => {
    const test = wildcard(ROLES.get(value) ?? value, true);
    return ofBlock(fields => test(fields.role));
  },
  tool: value => {
    const test = wildcard(value, true);
    return ofBlock(fields => fields.tool !== "" && test(fields.tool));
  },
  fidelity: value => {
    const test = wildcard(CHANNELS.get(value) ?? value, true);
    return ofBlock(fields => fields.fidelity.some(test));
  },
  status: value => ofValues("statuses", "status", wildcard(value, true)),
  runtime: value => ofValues("runtimes", "runtime", wildcard(value, true)),
  project: value => ofValues("projects", "project", names => names.some(wildcard(value))),
  model: value => ofValues("models", "model", names => names.some(wildcard(value))),
  after: value => day(value) && ofDay(found => found >= day(value)),
  before: value => day(value) && ofDay(found => found < day(value)),
  date: value => day(value) && ofDay(found => isoDay(found).startsWith(value)),
  in: value => ({group: "place", value: value.replace(/\.html$/, "")}),
};
const EXAMPLES = "is:run is:session is:error tool:Bash runtime:claude role:user fidelity:router status:failed project:… model:… "
  + "date:2026-06 after:2026-06-01 before:2026-07-01";

// A query falls into items: fields, phrases and words, each as it was typed.
const ITEM = /(-(?!-))?(?:([a-z]+):(?:"([^"]*)"?|([^\s"]\S*)))(?=\s|$)|(-(?!-))?"([^"]*)"?|\S+/g;
const split = query => [...query.matchAll(ITEM)].map(found => {
  const [raw, notField, field, quoted, bare, notPhrase, phrase] = found;
  if (field !== undefined) return {raw, not: Boolean(notField), field, value: quoted ?? bare};
  if (phrase !== undefined) return {raw, not: Boolean(notPhrase), text: phrase, phrase: true};
  const not = /^-[^-]/.test(raw);
  return {raw, not, text: not ? raw.slice(1) : raw};
});

const parse = query => {
  const asked = {items: [], filters: new Map(), notes: []};
  for (const item of split(query)) {
    const known = item.field !== undefined && Object.hasOwn(FIELDS, item.field);
    const made = known ? FIELDS[item.field](item.value.toLowerCase()) : null;
    if (made) addFilter(asked, item, made);
    else {
      const why = `so “${item.raw}” is looked for as a text`;
      if (known) asked.notes.push(`The field ${item.field} knows no “${item.value}”, ${why}. Examples: ${EXAMPLES}`);
      else if (/^[a-z]+$/.test(item.value ?? "")) {
        asked.notes.push(`There is no field ${item.field}, ${why}. Fields: ${Object.keys(FIELDS).join(", ")}.`);
      }
      addWords(asked, item);
    }
  }
  return asked;
};

// A field that is given twice means either of the two.
const addFilter = (asked, item, made) => {
  const key = `${item.not ? "-" : ""}${item.field}:${made.group}`;
  const filter = asked.filters.get(key) ?? {key, group: made.group, not: item.not, any: []};
  filter.any.push(made);
  asked.filters.set(key, filter);
};

const addWords = (asked, item) => {
  const typed = item.text ?? item.raw.replace(/^-/, "").replaceAll("\"", "");
  const star = !item.phrase && /[^*]\*$/.test(typed);
  const spelled = star ? typed.slice(0, -1) : typed;
  const text = fold(spelled).replace(/\s+/g, " ").trim();
  const made = {...needed(plain(spelled), star), text, star, not: item.not, raw: item.raw};
  made.pattern = new RegExp(escaped(text).replaceAll(" ", "\\s+"), "gu");
  made.word = /^[\p{L}\p{N}_]+$/u.test(text);
  if (made.terms.length || made.start) asked.items.push(made);
  else if (WORDY.test(text)) asked.notes.push(`“${item.raw}” is longer than the ${LONGEST} characters of a word that the index holds.`);
  else if (item.raw.trim()) asked.notes.push(`“${item.raw}” holds no letter and no digit: it is left out.`);
};

// The terms that a block must hold for a text to stand in it: `terms`, and one that begins with `start`. Whether that is
// enough to be sure of it. What is written without blanks is in the index as pairs; one character of it begins a pair.
const needed = (text, star) => {
  const runs = text.split(BETWEEN).filter(Boolean);
  const terms = new Set();
  let start = "";
  runs.forEach((run, place) => {
    const words = wordsOf(run);
    const pairs = pairsOf(run);
    if (star && place === runs.length - 1 && WORDY.test(text.at(-1))) {
      const last = wordTerms(words.pop(), true);
      if (last.length && !UNSPACED.test(last.at(-1))) {
        start = last.pop();
        if (pairs.at(-1)?.endsWith(start)) start = pairs.pop();
      }
      last.forEach(term => terms.add(term));
    }
    words.forEach(word => wordTerms(word, true).forEach(term => terms.add(term)));
    pairs.forEach(term => terms.add(term));
  });
  if (!start && !terms.size) start = [...text].find(char => UNSPACED.test(char)) ?? "";
  const all = [...terms, ...(start ? [start] : [])];
  return {terms: [...terms], start, sure: all.length === 1 && fold(text) === all[0] && !JOINT.test(all[0])};
};

// ---------------------------------------------------------------- the look-up

const intersect = (one, other) => {
  const found = new Uint32Array(Math.min(one.length, other.length));
  let at = 0;
  for (let a = 0, b = 0; a < one.length && b < other.length;) {
    if (one[a] === other[b]) {
      found[at++] = one[a++];
      b++;
    } else if (one[a] < other[b]) a++;
    else b++;
  }
  return found.subarray(0, at);
};

const blocksOf = async (segment, item) => {
  const terms = item.terms.map(term => segment.lookUp(term));
  const lists = await Promise.all(item.start ? [...terms, segment.lookUp(item.start, true)] : terms);
  return lists.sort((one, other) => one.length - other.length).reduce(intersect);
};

// Looks a query up in one segment: the blocks of each wanted item, in documents and of a kind that fit; and those of items that
// are not wanted, where only their texts can tell.
const search = async (segment, asked) => {
  const filters = [...asked.filters.values()];
  const holds = (filter, fields) => filter.any.some(each => each.block(fields));
  const ofKind = filters.filter(filter => filter.group === "block");
  const allowed = segment.fields.map(fields => ofKind.every(filter => filter.not || holds(filter, fields)));
  const open = new Uint8Array(segment.documents).fill(1);
  segment.gone.forEach(document => { open[document] = 0; });
  const close = (lists, inside) => {
    const held = new Uint8Array(segment.documents);
    for (const list of lists) for (const block of list) held[segment.documentOf[block]] = 1;
    held.forEach((is, document) => { if (Boolean(is) !== inside) open[document] = 0; });
  };
  for (const {any, not} of filters.filter(filter => filter.group === "place")) {
    close(await Promise.all(any.map(({value}) => segment.lookUp(`:${value.replace(/\*$/, "")}`, value.endsWith("*")))), !not);
  }
  for (const filter of ofKind.filter(each => each.not)) {
    const shut = segment.fields.map(fields => holds(filter, fields));
    close([numbersBelow(segment.blocks, block => shut[segment.fieldsOf[block]])], false);
  }
  const lists = await Promise.all(asked.items.map(item => blocksOf(segment, item)));
  asked.items.forEach((item, place) => { if (item.not && item.sure) close([lists[place]], false); });
  const inside = block => open[segment.documentOf[block]] && allowed[segment.fieldsOf[block]];
  const wanted = asked.items.flatMap((item, place) => item.not ? [] : [lists[place].filter(inside)]);
  const unwanted = asked.items.flatMap((item, place) => item.not && !item.sure ? [[item, lists[place]]] : []);
  return {segment, wanted: wanted.length ? wanted : [numbersBelow(segment.blocks, inside)], unwanted};
};

// The documents that hold every item in blocks of one kind, by the kind's number: `kindsOf` gives those of a block.
const holders = ({segment, wanted}, kinds, kindsOf) => {
  const seen = new Uint8Array(segment.documents * kinds);
  wanted.forEach((list, place) => list.forEach(block => {
    for (const kind of kindsOf(block)) {
      const at = segment.documentOf[block] * kinds + kind;
      if (seen[at] === place) seen[at] = place + 1;
    }
  }));
  return seen.map(count => count === wanted.length ? 1 : 0);
};

// For each document how well it fits: rare words count more, many blocks count more, as do titles and what people wrote, and
// what is newer counts a little more. `near` are those that hold all words in one block.
const rank = ({segment, wanted}, weights, oldest, newest) => {
  const score = new Float64Array(segment.documents);
  const near = new Uint8Array(segment.documents);
  const boost = segment.fields.map(fields => fields.role === "page" ? 2 : fields.role === "user" ? 1.3 : 1);
  wanted.forEach((list, place) => {
    for (let at = 0; at < list.length;) {
      const document = segment.documentOf[list[at]];
      const from = at;
      let best = 1;
      for (; at < list.length && segment.documentOf[list[at]] === document; at++) {
        best = Math.max(best, boost[segment.fieldsOf[list[at]]]);
      }
      score[document] += weights[place] * Math.log(1 + at - from) * best;
    }
  });
  wanted.reduce(intersect).forEach(block => { near[segment.documentOf[block]] = 1; });
  const span = Math.max(newest - oldest, 1);
  score.forEach((value, document) => { score[document] = value * (1 + 0.2 * Math.max(segment.day[document] - oldest, 0) / span); });
  return {score, near};
};

const weightsOf = (parts, words) => {
  const all = parts.reduce((sum, part) => sum + part.segment.blocks, 0);
  const found = place => parts.reduce((sum, part) => sum + part.wanted[place].length, 0);
  return words ? Array.from({length: words}, (_, place) => Math.log(1 + all / (1 + found(place)))) : [0];
};

// Looks a query up in all segments: documents that hold all that is asked, the best first.
const ask = async query => {
  const {texts, segments} = await openLibrary();
  const asked = parse(query);
  const filters = ofDocuments(asked);
  const parts = await Promise.all(segments.map(segment => search(segment, asked)));
  const weights = weightsOf(parts, asked.items.filter(item => !item.not).length);
  const oldest = Math.min(...segments.map(segment => segment.oldest));
  const newest = Math.max(...segments.map(segment => segment.newest));
  const results = [];
  for (const part of parts) {
    const {segment} = part;
    const {score, near} = rank(part, weights, oldest, newest);
    part.failed = failing(filters, part);
    part.failed.forEach((bits, document) => {
      if (!bits) results.push({part, segment, document, weights, score: score[document], near: near[document], day: segment.day[document]});
    });
  }
  results.sort((one, other) => other.near - one.near || other.score - one.score || other.day - one.day
    || (one.segment.id < other.segment.id ? -1 : one.segment.id > other.segment.id ? 1 : one.document - other.document));
  return {asked, results, texts, parts, sure: asked.items.every(item => item.sure)};
};

const ofDocuments = asked => [...asked.filters.values()].filter(filter => filter.group === "document");

// Which filters each document of a segment fails, as bits; the first bit says that it does not hold what is asked.
const failing = (filters, part) => {
  const {segment} = part;
  const tests = filters.map(filter => [filter.not, filter.any.map(each => each.document(segment))]);
  return Uint32Array.from(holders(part, 1, () => [0]), (holds, document) => {
    if (!holds) return 1;
    return tests.reduce((bits, [not, any], place) => any.some(test => test(document)) === not ? bits | 2 << place : bits, 0);
  });
};

// ---------------------------------------------------------------- chips

// How many documents each value of a field would leave, were it chosen.
class Counts {
  constructor({asked, parts}) {
    const filters = ofDocuments(asked);
    this.groups = new Map(["kind", "status", "runtime", "date", "role", "tool", "fidelity", "error"].map(name => [name, new Map()]));
    this.own = key => filters.reduce((bits, filter, place) => filter.key === key ? bits | 2 << place : bits, 0);
    for (const part of parts) {
      this.addDocuments(part);
      this.addBlocks(part);
    }
  }

  // Values that differ in case only are one.
  add(group, value, count) {
    const counts = this.groups.get(group);
    const known = counts.get(fold(value));
    if (known) known.count += count;
    else if (value && count) counts.set(fold(value), {value, count});
  }

  // What is said of documents: a document counts for a value if it fails no filter but that of the same field.
  addDocuments({segment, failed}) {
    for (const [group, key, column, valueOf] of [
      ["kind", "is:document", segment.kind, kind => KINDS[kind]],
      ["status", "status:document", segment.status, status => segment.statuses[status]],
      ["runtime", "runtime:document", segment.runtime, runtime => segment.runtimes[runtime]],
      ["date", "date:document", segment.day, number => number ? isoDay(number).slice(0, 7) : ""],
    ]) {
      const others = ~this.own(key);
      const counts = new Map();
      failed.forEach((bits, document) => {
        if (!(bits & others)) counts.set(column[document], (counts.get(column[document]) ?? 0) + 1);
      });
      counts.forEach((count, value) => this.add(group, valueOf(value), count));
    }
  }

  // What is said of blocks: a document counts for a value if blocks of that value hold all that is asked.
  addBlocks(part) {
    const {segment, failed} = part;
    for (const [group, valuesOf] of [
      ["role", fields => [fields.role]],
      ["tool", fields => fields.tool ? [fields.tool] : []],
      ["fidelity", fields => fields.fidelity],
      ["error", fields => fields.error ? ["error"] : []],
    ]) {
      const values = [...new Map(segment.fields.flatMap(valuesOf).map(value => [fold(value), value]))];
      const places = new Map(values.map(([folded], place) => [folded, place]));
      const kinds = segment.fields.map(fields => valuesOf(fields).map(value => places.get(fold(value))));
      const counts = new Uint32Array(values.length);
      holders(part, values.length, block => kinds[segment.fieldsOf[block]]).forEach((is, at) => {
        if (is && !failed[Math.floor(at / values.length)]) counts[at % values.length]++;
      });
      values.forEach(([, value], place) => this.add(group, value, counts[place]));
    }
  }
}

// ---------------------------------------------------------------- the check against the texts

const PATIENCE = 60;

// A text, and itself as it is compared. `pieces` says where in both of them each stretch of plain characters begins, and each
// other character, which may be longer or shorter there.
class Compared {
  constructor(text) {
    this.text = text.normalize("NFC");
    this.pieces = [];
    this.folded = "";
    for (const {0: piece, index} of this.text.matchAll(/[\0-\x7f]+|[^\0-\x7f]/gu)) {
      const folded = fold(piece);
      if (folded) this.pieces.push([this.folded.length, index, ASCII.test(piece)]);
      this.folded += folded;
    }
  }

  // Where an item stands: [from, to] in the text.
  find(item) {
    const found = [];
    for (const match of this.folded.matchAll(item.pattern)) {
      const from = match.index;
      const to = from + match[0].length;
      if (!(item.word ? this.isTerm(item, from, to) : this.isWhole(item, from, to))) continue;
      found.push(this.spelled(from, to));
    }
    return found;
  }

  // The same place in the text itself.
  spelled(from, to) {
    const [start, begin, plain] = this.pieces[this.pieceAt(from)];
    const last = this.pieceAt(to - 1);
    const [lastStart, lastBegin, lastPlain] = this.pieces[last];
    const next = this.pieces[last + 1];
    const inside = lastPlain && (!next || to < next[0]);
    return [plain ? begin + from - start : begin, inside ? lastBegin + to - lastStart : next ? next[1] : this.text.length];
  }

  // The piece that holds a place of what is compared.
  pieceAt(place) {
    let low = 0;
    for (let high = this.pieces.length; low + 1 < high;) {
      const middle = (low + high) >> 1;
      if (this.pieces[middle][0] <= place) low = middle;
      else high = middle;
    }
    return low;
  }

  isWhole(item, from, to) {
    const {folded} = this;
    const parted = place => !joins(before(folded, place)) || !joins(charAt(folded, place));
    return parted(from) && (item.star || parted(to));
  }

  // Whether a word, or the beginning of one, is what its surrounding is found by.
  isTerm(item, from, to) {
    if (this.isWhole(item, from, to)) return true;
    let [start, end] = this.spelled(from, to);
    while (start && WORDY.test(before(this.text, start))) start -= before(this.text, start).length;
    while (end < this.text.length && WORDY.test(charAt(this.text, end))) end += charAt(this.text, end).length;
    const terms = termsOf(this.text.slice(start, end));
    if (terms.has(item.text)) return true;
    return (item.star || item.start !== "") && [...terms].some(term => term.startsWith(item.text));
  }
}
const charAt = (text, place) => place < text.length ? String.fromCodePoint(text.codePointAt(place)) : "";
const before = (text, place) => {
  const one = text.slice(Math.max(place - 1, 0), place);
  return /[\udc00-\udfff]/.test(one) ? text.slice(Math.max(place - 2, 0), place) : one;
};
const joins = char => char !== "" && WORDY.test(char) && !UNSPACED.test(char);

// Looks at the texts of one document. `budget.left` chunks may still be loaded.
class Check {
  constructor(answer, result, budget) {
    Object.assign(this, {answer, result, budget, hits: new Map(), complete: true});
    this.wanted = answer.asked.items.filter(item => !item.not);
  }

  within(list) {
    const {segment, document} = this.result;
    return list.filter(block => block >= segment.firstBlock[document] && block < segment.firstBlock[document + 1]);
  }

  // Blocks that may hold something, those that may hold most first.
  order() {
    const counts = new Map();
    for (const block of this.result.part.wanted.flatMap(list => [...this.within(list)])) counts.set(block, (counts.get(block) ?? 0) + 1);
    return [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one) || one - other);
  }

  // The chunk of a block, and its file.
  chunk(block) {
    const {segment, document} = this.result;
    let chunk = segment.firstChunk[document];
    while (segment.chunkStart[chunk + 1] <= block) chunk++;
    const name = this.row[3][chunk - segment.firstChunk[document]];
    return [chunk, `t/${name.slice(0, 2)}/${name}`];
  }

  // The entries of a block; none where they cannot be read, null where it was looked at enough.
  async entries(block) {
    const [chunk, path] = this.chunk(block);
    if (!this.budget.loaded.has(path)) {
      if (!this.budget.left) return null;
      this.budget.left--;
      this.budget.loaded.add(path);
    }
    const blocks = await load(path, readChunk);
    if (!blocks) this.damaged = true;
    return blocks?.[block - this.result.segment.chunkStart[chunk]] ?? [];
  }

  // What is shown of the document.
  async open() {
    const {segment, document} = this.result;
    this.row = await segment.shown(document);
    return this.row ? "yes" : "no";
  }

  // "yes", "no", or "unknown" where patience ended; "yes" as well for what is not there to be checked.
  async run() {
    const {part} = this.result;
    if (await this.open() === "no") return "no";
    if (!this.answer.texts) return "yes";
    this.missing = new Set(this.wanted.filter(item => !item.sure));
    this.left = this.order();
    await this.lookAtBlocks(() => this.hits.size && !this.missing.size);
    for (const [item, list] of part.unwanted) {
      for (const block of this.within(list)) {
        const entries = await this.entries(block);
        if (!entries) return "unknown";
        if (entries.some(entry => new Compared(entry.text).find(item).length)) return "no";
      }
    }
    if (!this.missing.size || this.damaged) return "yes";
    return this.complete ? "no" : "unknown";
  }

  // Looks at what is left, until it is enough.
  async lookAtBlocks(enough) {
    const {segment} = this.result;
    while (this.left.length && !enough()) {
      const block = this.left.shift();
      const entries = await this.entries(block);
      if (!entries) this.complete = false;
      for (const entry of entries ?? []) this.look({...entry, fields: segment.fields[segment.fieldsOf[block]]});
    }
  }

  // Looks at all else in chunks that are here already.
  async lookAround() {
    const here = block => this.budget.loaded.has(this.chunk(block)[1]);
    if (!this.answer.texts || !this.row) return;
    const elsewhere = this.left.filter(block => !here(block));
    this.left = this.left.filter(here);
    await this.lookAtBlocks(() => false);
    this.left = elsewhere;
    if (elsewhere.length) this.complete = false;
  }

  look(entry) {
    const {weights} = this.result;
    const compared = new Compared(entry.text);
    const marks = [];
    let count = 0;
    let score = 0;
    this.wanted.forEach((item, place) => {
      const found = compared.find(item);
      if (!found.length) return;
      this.missing.delete(item);
      marks.push(...found);
      count++;
      score += weights[place] * (1 + Math.log(found.length) / 10);
    });
    if (this.wanted.length && !count) return;
    marks.sort((one, other) => one[0] - other[0] || other[1] - one[1]);
    const key = `${entry.part} ${entry.anchor}`;
    const known = this.hits.get(key);
    if (!known || known.score < score) this.hits.set(key, {...entry, text: compared.text, marks, count, score});
  }

  // The best place, and the others that hold as much, in the order of the page.
  places() {
    const hits = [...this.hits.values()];
    const better = (one, other) => other.count - one.count || other.score - one.score;
    const best = hits.reduce((one, other) => better(one, other) > 0 ? other : one, hits[0]);
    const others = hits.filter(hit => hit !== best && hit.count === best.count).sort((one, other) => one.order - other.order);
    return {best, others};
  }
}

// Checks results from a place on, until so many are sure or patience is at its end. `found` is told of each in turn, as soon as
// it is sure, and when its texts are looked at: where the index alone is enough, that is later.
const checkMore = async (answer, from, wanted, found = () => {}) => {
  const budget = {left: PATIENCE, loaded: answer.loaded ??= new Set()};
  const sure = [];
  let at = from;
  while (at < answer.results.length && sure.length < wanted && (answer.sure || budget.left > 0)) {
    const batch = answer.results.slice(at, at + wanted - sure.length).map(result => new Check(answer, result, budget));
    const looks = batch.map(check => check.run());
    const verdicts = answer.sure ? batch.map(check => check.open()) : looks;
    let done = 0;
    for (; done < batch.length; done++) {
      const verdict = await verdicts[done];
      if (verdict === "unknown") break;
      if (verdict === "no") continue;
      sure.push(batch[done]);
      found(batch[done], looks[done]);
    }
    await Promise.all(looks);
    at += done;
    if (done < batch.length && done === 0 && budget.left < PATIENCE) break;
  }
  return {sure, at};
};

// ---------------------------------------------------------------- the page

const SHOWN = 10;
const make = (tag, textContent, more) => Object.assign(document.createElement(tag), {textContent}, more);
const one = id => document.getElementById(id);
// As `toLocaleString` would, which takes 20 ms to get ready.
const grouped = count => String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
const counted = (count, word) => `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;

// The address of a place, with the words to mark there.
const linkTo = (href, {part, anchor}, words) => {
  const page = part > 1 ? href.replace(/\.html$/, `.p${part}.html`) : href;
  const marks = words.map(word => /\s/.test(word) ? `"${word.replaceAll("\"", "")}"` : word).join(" ");
  return `${page}#${anchor}${marks ? `&q=${encodeURIComponent(marks)}` : ""}`;
};
const wordsOfHit = hit => {
  const words = new Map();
  for (const [from, to] of hit.marks.slice(0, 200)) {
    const word = hit.text.slice(from, to).replace(/\s+/g, " ");
    if (words.size < 12) words.set(fold(word), word);
  }
  return [...words.values()];
};

// Texts as pages show them: controls and direction marks stand for themselves, blanks run together.
const named = char => `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
const shown = text => text.replace(/\s+/g, " ").replace(/[\0-\x1f]/g, char => String.fromCharCode(0x2400 + char.charCodeAt(0)))
  .replace(/[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, named);

const MARKER = /(\[masked:[^\]\n]{1,99}\])/;
const append = (block, text, tag) => text.split(MARKER).forEach((piece, place) => {
  if (place % 2) {
    const [, name, length] = piece.split(":");
    block.append(make("span", `${name} · ${length} characters`, {className: "mk", title: piece}));
  } else if (piece) block.append(tag ? make(tag, shown(piece)) : shown(piece));
});

const LENGTH = 260;
const LEAD = 70;
// Where the marks begin that stand close together and are the most different words.
const densest = (text, marks) => {
  const words = marks.map(([from, to]) => fold(text.slice(from, to)));
  const inside = new Map();
  let best = marks[0]?.[0] ?? 0;
  let most = 0;
  let start = 0;
  marks.forEach(([, to], place) => {
    inside.set(words[place], (inside.get(words[place]) ?? 0) + 1);
    for (; to - marks[start][0] > LENGTH - LEAD && start < place; start++) {
      const left = inside.get(words[start]) - 1;
      if (left) inside.set(words[start], left);
      else inside.delete(words[start]);
    }
    if (inside.size <= most) return;
    most = inside.size;
    best = marks[start][0];
  });
  return best;
};

// The text around the marks: from a blank on, and never half a marker of what was masked.
const snippet = hit => {
  const block = make("p", "", {className: "snippet"});
  const {text, marks} = hit;
  const first = densest(text, marks);
  let start = Math.max(first - LEAD, 0);
  const blank = text.slice(start, first).search(/\s/);
  if (start && blank >= 0) start += blank + 1;
  let end = Math.min(start + LENGTH, text.length);
  for (const {0: {length}, index} of text.matchAll(new RegExp(MARKER, "g"))) {
    if (index < start && index + length > start) start = index;
    if (index < end && index + length > end) end = index + length;
  }
  if (/[\udc00-\udfff]/.test(text[start] ?? "")) start--;
  if (/[\udc00-\udfff]/.test(text[end] ?? "")) end++;
  if (start) block.append("… ");
  let at = start;
  for (const [from, to] of marks) {
    if (from < at || to > end) continue;
    append(block, text.slice(at, from));
    append(block, text.slice(from, to), "mark");
    at = to;
  }
  append(block, text.slice(at, end));
  if (end < text.length) block.append(" …");
  return block;
};

const showPlace = (href, hit) => {
  const item = make("li");
  const {tool, role} = hit.fields;
  const name = hit.anchor ? `${tool || role} · ${hit.anchor}` : "top of the page";
  item.append(make("a", name, {href: linkTo(href, hit, wordsOfHit(hit)), className: "to"}), snippet(hit));
  return item;
};

const showResult = check => {
  const {segment, document} = check.result;
  const [title, href, time, , places] = check.row;
  const item = make("li", "", {className: "hit"});
  const about = make("p", KINDS[segment.kind[document]], {className: "about"});
  const status = segment.statuses[segment.status[document]];
  if (status) about.append(" · ", make("span", status, {className: status}));
  if (segment.runtimes[segment.runtime[document]]) about.append(` · ${segment.runtimes[segment.runtime[document]]}`);
  if (time) about.append(" · ", make("time", time.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC"), {dateTime: time}));
  const block = 2 * (check.order()[0] - segment.firstBlock[document]);
  const place = {part: places[block] ?? 1, anchor: places[block + 1] ?? ""};
  const link = make("a", "", {href: linkTo(href, place, check.wanted.map(each => each.text)), className: "to"});
  append(link, title);
  const heading = make("h2");
  heading.append(link);
  item.append(heading, about, make("p", "", {className: "snippet"}));
  return item;
};

// The best place of a document, once its texts are looked at.
const showBest = (check, item) => {
  const {best} = check.places();
  if (best) item.querySelector(".to").href = linkTo(check.row[1], best, wordsOfHit(best));
  item.querySelector(".snippet").replaceWith(...best ? [snippet(best)] : []);
};

// How much more there is in a document, as far as its texts are here.
const showRest = async (answer, check, item) => {
  await check.lookAround();
  const {others} = check.places();
  if (!others.length && check.complete) return;
  const count = check.complete ? `${others.length} more` : others.length ? `at least ${others.length} more` : "more";
  const more = make("button", `${count} here`, {className: "more"});
  more.onclick = () => showPlaces(answer, check, item, more);
  item.append(more);
};

// Every place in one document, part by part.
const showPlaces = async (answer, check, item, button) => {
  button.disabled = true;
  const whole = new Check(answer, check.result, {left: PATIENCE, loaded: new Set()});
  await whole.run();
  await whole.lookAtBlocks(() => false);
  const {best, others} = whole.places();
  const parts = new Map();
  for (const hit of [best, ...others].filter(Boolean).sort((left, right) => left.order - right.order)) {
    if (!parts.has(hit.part)) parts.set(hit.part, []);
    parts.get(hit.part).push(hit);
  }
  const lists = [...parts].sort((left, right) => left[0] - right[0]).map(([number, hits]) => {
    const list = make("ol", "", {className: "places"});
    list.append(...hits.slice(0, 200).map(hit => showPlace(whole.row[1], hit)));
    const box = make("details", "", {open: hits.length < 21 || parts.size === 1});
    box.append(make("summary", `Part ${number} · ${counted(hits.length, "place")}`), list);
    return box;
  });
  if (!whole.complete) lists.push(make("p", "There may be more: only a part of this document was looked at.", {className: "about"}));
  button.replaceWith(...lists);
  item.querySelector(":scope>.snippet")?.remove();
  item.querySelector(".places a")?.focus();
};

const CHIPS = [
  ["kind", "Kind", "is"], ["status", "Status", "status"], ["runtime", "Runtime", "runtime"], ["date", "Began in", "date"],
  ["role", "Said by", "role"], ["tool", "Tool", "tool"], ["fidelity", "Recorded by", "fidelity"], ["error", "Outcome", "is"],
];
const MOST_CHIPS = 12;
const quoted = value => /[\s"]/.test(value) ? `"${value.replaceAll("\"", "")}"` : value;

const chip = (query, chosen, filter, value, count) => {
  const pressed = chosen.has(filter.toLowerCase());
  const button = make("button", `${value} `, {type: "button", ariaPressed: pressed});
  button.dataset.filter = filter;
  if (count !== undefined) {
    button.ariaLabel = `${value}, ${counted(count, "document")}`;
    button.append(make("b", grouped(count)));
  }
  button.onclick = () => go(pressed ? without(query, filter) : `${query.trim()} ${filter}`.trim());
  const item = make("li");
  item.append(button);
  return item;
};
const chipList = chips => {
  const list = make("ul", "", {className: "chips"});
  list.append(...chips);
  return list;
};

const showChips = async (query, chips, mine) => {
  const from = inHash("in");
  const known = from && (await openLibrary()).segments.map(segment => segment.lookUp(`:${from}`));
  const isKnown = known && (await Promise.all(known)).some(blocks => blocks.length);
  if (mine !== turn) return;
  const fields = split(query).filter(item => item.field !== undefined && !item.not);
  const chosen = new Set(fields.map(item => `${item.field}:${quoted(item.value)}`.toLowerCase()));
  const focused = document.activeElement?.dataset?.filter;
  const boxes = CHIPS.flatMap(([group, label, field]) => {
    const counts = [...chips.groups.get(group).values()];
    const newest = (left, right) => left.value < right.value ? 1 : -1;
    counts.sort((left, right) => group === "date" ? newest(left, right) : right.count - left.count || -newest(left, right));
    const named = counts.map(({value, count}) => [`${field}:${quoted(value)}`, value, count]);
    const kept = named.filter(([filter], place) => place < MOST_CHIPS || chosen.has(filter.toLowerCase()));
    if (!kept.length || (kept.length === 1 && group !== "error" && !chosen.has(kept[0][0].toLowerCase()))) return [];
    return [make("h2", label), chipList(kept.map(named => chip(query, chosen, ...named)))];
  });
  const here = isKnown ? [make("h2", "Only in"), chipList([chip(query, chosen, `in:${from}`, "the document you came from")])] : [];
  one("nav").replaceChildren(...here, ...boxes);
  if (focused) [...document.querySelectorAll("[data-filter]")].find(chip => chip.dataset.filter === focused)?.focus();
};
const without = (query, filter) => {
  const kept = split(query).filter(item => item.not || item.raw.toLowerCase() !== filter.toLowerCase());
  return kept.map(item => item.raw).join(" ");
};

// The query, and the page that the person came from, stand in the address: `#q=…&in=…`.
const inHash = name => {
  const found = new RegExp(`[#&]${name}=([^&]*)`).exec(location.hash);
  try {
    return found ? decodeURIComponent(found[1].replaceAll("+", " ")) : "";
  } catch {
    return found[1];
  }
};
const hashOf = query => {
  const from = inHash("in");
  return `#q=${encodeURIComponent(query.trim())}${from ? `&in=${encodeURIComponent(from)}` : ""}`;
};
const go = query => {
  if (hashOf(query) === location.hash) return show();
  location.hash = hashOf(query);
};

let turn = 0;
let slow;
const say = text => {
  clearTimeout(slow);
  one("status").textContent = text;
};
const show = async () => {
  const mine = ++turn;
  const query = inHash("q");
  if (one("query").value.trim() !== query) one("query").value = query;
  document.title = query ? `${query} · Search` : "Search";
  const began = performance.now();
  clearTimeout(slow);
  slow = setTimeout(() => say("Searching …"), 400);
  try {
    const answer = await ask(query);
    if (mine !== turn) return;
    performance.mark("ranked");
    if (query && !answer.asked.items.length && !answer.asked.filters.size) answer.results = [];
    await showMore(answer, query, 0, mine);
    if (mine !== turn) return;
    performance.measure("search", {start: began});
    await new Promise(resolve => { setTimeout(resolve); });
    await showChips(query, new Counts(answer), mine);
    if (mine === turn) performance.measure("filters", {start: began});
  } catch (error) {
    if (mine !== turn) return;
    const why = error.message === "no index" ? "the folder “search” beside this page is missing or damaged" : error.message;
    say(`Search does not work here: ${why}. The lists hold every document.`);
  }
  showFailed();
};

const showFailed = () => {
  document.querySelector("#notes .err")?.remove();
  if (!failed.size) return;
  const names = [...failed].slice(0, 3).map(([name, why]) => `search/${name}.js is ${why}`);
  if (failed.size > names.length) names.push("…");
  const words = `${counted(failed.size, "file")} of the index cannot be read; some results may be missing: ${names.join(", ")}`;
  one("notes").append(make("p", words, {className: "err"}));
};

const FIRST_FAR = "No place holds all of it close together. These documents hold all of it, further apart:";
const showMore = async (answer, query, from, mine) => {
  const list = one("hits");
  const shownNow = [];
  let begun = from > 0;
  const begin = () => {
    if (begun) return;
    begun = true;
    list.replaceChildren();
    one("notes").replaceChildren(...answer.asked.notes.map(note => make("p", note)));
  };
  const {sure, at} = await checkMore(answer, from, SHOWN, (check, looked) => {
    if (mine !== turn) return;
    begin();
    if (!check.result.near && !list.querySelector(".far")) {
      list.append(make("li", list.firstChild ? "Here the words stand further apart:" : FIRST_FAR, {className: "far"}));
    }
    const item = showResult(check);
    list.append(item);
    if (!shownNow.length) performance.mark("first");
    shownNow.push([check, item]);
    looked.then(() => showBest(check, item));
  });
  if (mine !== turn) return;
  begin();
  const count = list.querySelectorAll(".hit").length;
  const left = answer.results.length - at;
  say(!count && !left ? "Nothing found." : answer.sure ? counted(answer.results.length, "document")
    : `${counted(count, "document")}${left ? `, ${grouped(left)} more possible` : ""}`);
  const more = one("more");
  more.hidden = !left;
  more.textContent = sure.length ? "Show more" : "Look further";
  more.onclick = async () => {
    const last = list.lastElementChild;
    await showMore(answer, query, at, mine);
    (last ? last.nextElementSibling : list.firstElementChild)?.querySelector("a")?.focus();
    showFailed();
  };
  if (!count && !left && query) await suggest(answer, query, mine);
  showAllRest(answer, shownNow, mine);
};

// What takes time and can wait: one document after the other, so that typing stays smooth.
const showAllRest = async (answer, shownNow, mine) => {
  for (const [check, item] of shownNow) {
    await new Promise(resolve => { setTimeout(resolve, 10); });
    if (mine !== turn) return;
    await showRest(answer, check, item);
  }
  if (shownNow.length === 1 && answer.asked.items.length && answer.asked.filters.has("in:place")) one("hits").querySelector(".more")?.click();
};

// Nothing found: words that begin like those that no document holds.
const suggest = async (answer, query, mine) => {
  const {segments} = await openLibrary();
  for (const item of answer.asked.items.filter(each => !each.not && each.sure && !each.star)) {
    const lists = await Promise.all(segments.map(segment => segment.wordsLike(item.text)));
    if (mine !== turn) return;
    const counts = new Map();
    for (const [word, count] of lists.flat()) counts.set(word, (counts.get(word) ?? 0) + count);
    if (counts.has(item.text) || !counts.size) continue;
    const note = make("p", `No document has the word “${item.text}”. Words that begin so: `);
    const likely = [...counts].sort((left, right) => right[1] - left[1]).slice(0, 8);
    likely.forEach(([word], place) => note.append(place ? ", " : "", make("a", word, {href: hashOf(query.replace(item.raw, word))})));
    one("notes").append(note);
  }
};

const press = event => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const box = one("query");
  const links = [...document.querySelectorAll("#hits a.to")];
  const here = links.indexOf(document.activeElement);
  if (event.key === "ArrowDown" && (document.activeElement === box || here >= 0)) links[Math.min(here + 1, links.length - 1)]?.focus();
  else if (event.key === "ArrowUp" && here >= 0) (links[here - 1] ?? box).focus();
  else return;
  event.preventDefault();
};

// A link inside the page: the address holds the query, and stays.
const jump = event => {
  const target = event.target.closest("a[href^='#']:not(#notes a)") && one(event.target.closest("a").hash.slice(1));
  if (!target) return;
  event.preventDefault();
  target.tabIndex = -1;
  target.focus();
  target.scrollIntoView();
};

const toBox = event => {
  event.preventDefault();
  one("query").select();
};

const start = () => {
  const box = one("query");
  if (!box) return;
  let wait;
  box.hidden = false;
  box.oninput = () => {
    clearTimeout(wait);
    wait = setTimeout(() => {
      history.replaceState(null, "", hashOf(box.value));
      show();
    }, 120);
  };
  box.onkeydown = event => {
    if (event.key !== "Enter") return;
    clearTimeout(wait);
    go(box.value);
  };
  for (const key in KEYS) if (key !== "?") delete KEYS[key];
  Object.assign(KEYS, {"/": ["the search box", toBox], "↓": ["next result"], "↑": ["previous result"]});
  addEventListener("keydown", press);
  addEventListener("hashchange", show);
  addEventListener("click", jump);
  if (!split(inHash("q")).some(item => item.field === undefined)) {
    box.value = `${inHash("q")} `.trimStart();
    box.focus();
  }
  show();
};

window.lakesiteSearch = Object.assign(arrive, {termsOf, parse, ask, checkMore, Check});
if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();
})();
