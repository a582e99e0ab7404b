// The files of the index: classic scripts, each of one call. Nothing else is ever asked for.

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
  script.fetchPriority = "high";
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
  // Most numbers are one byte. These loops are the ones that run long, and before they are compiled: they touch nothing but locals.
  numbers(count) {
    const {bytes} = this;
    const found = new Uint32Array(count);
    let {at} = this;
    for (let place = 0; place < count; place++) {
      const byte = bytes[at++];
      if (byte < 128) {
        found[place] = byte;
        continue;
      }
      this.at = at - 1;
      found[place] = this.number();
      ({at} = this);
    }
    this.at = at;
    return found;
  }
  skip(count) {
    const {bytes} = this;
    let {at} = this;
    for (let left = count; left; at++) {
      if (bytes[at] < 128) left--;
      else if (at >= bytes.length) throw new RangeError("cut off");
    }
    this.at = at;
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
  for (let place = 0; place < counts.length; place++) found[place + 1] = found[place] + counts[place];
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

// Texts as pages show them: what would act or not be seen is named, blanks run together.
const UNSEEN = new RegExp("[\\x80-\\x9f\\u061c\\u115f\\u1160\\u180e\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\uffa0\\ufff9-\\ufffb"
  + "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e007f}\\u{e0100}-\\u{e01ef}\\p{Cs}\\p{NChar}]", "gu");
const named = char => `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
const pictured = char => char < " " ? String.fromCharCode(0x2400 + char.charCodeAt(0)) : "\u2421";
const shown = text => text.replace(/\s+/g, " ").replace(/[\0-\x1f\x7f]/g, pictured).replace(UNSEEN, named);

const OF_DOCUMENTS = ["chunks", "kind", "status", "runtime", "project", "model", "way", "minute"];

class Segment {
  constructor(id, gone, bytes) {
    const end = bytes.indexOf(10);
    // Names are those that pages show, so that what is offered is what is typed, and nothing in them acts.
    const head = JSON.parse(utf8.decode(bytes.subarray(0, end)), (_, value) => typeof value === "string" ? shown(value) : value);
    const reader = new Reader(bytes, end + 1);
    Object.assign(this, head, {id, gone: new Set(gone)});
    this.firsts = [];
    reader.terms(head.shards, (term, length) => this.firsts.push(term.slice(0, length)));
    this.column = (place, count) => {
      const at = head.columns.slice(0, place).reduce((sum, each) => sum + each, reader.at);
      return new Reader(bytes, at).numbers(count);
    };
    this.fields = head.fields.map(([role, tool, fidelity, error]) => ({
      role, tool, error: Boolean(error), fidelity: fidelity === "both" ? ["both", "router", "agent"] : fidelity ? [fidelity] : [],
    }));
  }

  // What ranks documents and blocks: words are looked up without it, and it is read while their files come.
  prepare() {
    if (this.documentOf) return;
    this.firstChunk = starts(this.chunks);
    this.chunkStart = starts(this.column(OF_DOCUMENTS.length, this.firstChunk.at(-1)));
    this.firstBlock = this.firstChunk.map(chunk => this.chunkStart[chunk]);
    this.fieldsOf = this.column(OF_DOCUMENTS.length + 1, this.blocks);
    this.documentOf = spread(this.firstBlock);
    this.day = new Uint32Array(this.documents);
    let day = 0;
    for (let place = 0; place < this.documents; place++) {
      const way = this.way[place];
      this.day[place] = day += way & 1 ? -(way + 1) / 2 : way / 2;
    }
  }

  // What the fields of blocks say, each with how many blocks say it, the rarest first.
  spellings(valuesOf) {
    this.often ??= this.fieldsOf.reduce((often, place) => {
      often[place]++;
      return often;
    }, new Uint32Array(this.fields.length));
    const found = new Map();
    this.fields.forEach((fields, place) => {
      for (const value of valuesOf(fields)) found.set(value, (found.get(value) ?? 0) + this.often[place]);
    });
    return [...found].sort((one, other) => one[1] - other[1]);
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

// What is said of documents is read when it is asked for, once.
OF_DOCUMENTS.forEach((name, place) => Object.defineProperty(Segment.prototype, name, {
  get() {
    const value = this.column(place, this.documents);
    Object.defineProperty(this, name, {value});
    return value;
  },
}));

// The places of a term among those of a shard, or of all that begin so: from the first to behind the last. Terms are sorted, and only
// what follows the bytes that a term shares with the one before is looked at.
const placesOf = (reader, count, wanted, prefix) => {
  const {bytes} = reader;
  const shared = reader.numbers(count);
  const lengths = reader.numbers(count);
  const size = wanted.length;
  let {at} = reader;
  let alike = 0;
  let from = -1;
  let to = -1;
  for (let place = 0; place < count; place++) {
    const length = lengths[place];
    if (shared[place] <= alike) {
      alike = shared[place];
      const end = alike + length;
      for (let next = at; alike < size && alike < end && bytes[next] === wanted[alike]; next++) alike++;
      if (alike === size && from < 0 && (prefix || end === size)) from = place;
    }
    if (alike === size && from >= 0 && (prefix || from === place)) to = place + 1;
    at += length;
  }
  reader.at = at;
  return [from, to];
};

const readBlocks = (reader, wanted, prefix) => {
  const count = reader.number();
  const [from, to] = placesOf(reader, count, wanted, prefix);
  const counts = reader.numbers(count);
  if (from < 0) return new Uint32Array();
  const sum = (start, end) => counts.subarray(start, end).reduce((all, each) => all + each, 0);
  reader.skip(sum(0, from));
  const found = reader.numbers(sum(from, to));
  let at = 0;
  for (let place = from; place < to; place++) {
    for (let block = -1, left = counts[place]; left; left--, at++) found[at] = block += found[at] + 1;
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
  if (list.format !== 3) throw new Error("an index of another version of lakesite");
  const segments = await Promise.all(list.segments.map(({id, gone}) => load(`${id}/head`, bytes => new Segment(id, gone, bytes))));
  return {texts: list.texts, segments: segments.filter(Boolean)};
})();
