// The look-up, and how many documents each filter would leave.

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

const inAll = async lists => (await Promise.all(lists)).sort((one, other) => one.length - other.length).reduce(intersect);

// Each term is a file to load. The last of a path says most, then the longest: where these leave no more blocks than patience
// has for their texts, the texts tell the rest.
const AT_FIRST = 3;
const blocksOf = async (segment, item, texts) => {
  const last = item.terms.slice(-1);
  const terms = last.concat(item.terms.slice(0, -1).sort((one, other) => other.length - one.length));
  const lists = terms.splice(0, texts ? AT_FIRST : terms.length).map(term => segment.lookUp(term));
  if (item.start) lists.push(segment.lookUp(item.start, true));
  const found = await inAll(lists);
  return terms.length && found.length > PATIENCE ? inAll([found, ...terms.map(term => segment.lookUp(term))]) : found;
};

// Looks a query up in one segment: the blocks of each wanted item, in documents and of a kind that fit; and those of items that
// are not wanted, where only their texts can tell.
const search = async (segment, asked, texts) => {
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
  const lists = await Promise.all(asked.items.map(item => blocksOf(segment, item, texts)));
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
  for (let at = 0; at < seen.length; at++) seen[at] = seen[at] === wanted.length ? 1 : 0;
  return seen;
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
  for (let document = 0; document < score.length; document++) {
    if (score[document]) score[document] *= 1 + 0.2 * Math.max(segment.day[document] - oldest, 0) / span;
  }
  return {score, near};
};

// When a document began, in minutes.
const begun = ({segment, document}) => segment.day[document] * 1440 + segment.minute[document];

const weightsOf = (parts, words) => {
  const all = parts.reduce((sum, part) => sum + part.segment.blocks, 0);
  const found = place => parts.reduce((sum, part) => sum + part.wanted[place].length, 0);
  return words ? Array.from({length: words}, (_, place) => Math.log(1 + all / (1 + found(place)))) : [0];
};

// Results, the best first. A reader sees ten of them, and to put thousands in order takes longer than to find them: the best are
// put in front, and the others in order when they are asked for.
const AT_FIRST_IN_ORDER = 100;
// More than any score: what stands close together comes first.
const NEAR = 1e6;
const byRank = (one, other) => other.rank - one.rank || begun(other) - begun(one)
  || (one.segment.id < other.segment.id ? -1 : one.segment.id > other.segment.id ? 1 : one.document - other.document);
class Ranking {
  constructor(results) {
    this.length = results.length;
    const ranks = new Float64Array(results.length);
    for (let place = 0; place < ranks.length; place++) {
      const result = results[place];
      ranks[place] = result.rank = result.near * NEAR + result.score;
    }
    const least = ranks.sort().at(-AT_FIRST_IN_ORDER) ?? 0;
    const best = results.filter(result => result.rank >= least).sort(byRank);
    this.inOrder = best.length;
    this.all = best.concat(results.filter(result => result.rank < least));
  }
  slice(from, to) {
    if (to > this.inOrder && this.inOrder < this.length) {
      this.all.sort(byRank);
      this.inOrder = this.length;
    }
    return this.all.slice(from, to);
  }
}

// Looks a query up in all segments: documents that hold all that is asked, the best first.
const ask = async query => {
  const {texts, segments} = await openLibrary();
  const asked = parse(query);
  if (asked.fields.length) segments.forEach(segment => segment.prepare());
  await explain(asked, segments);
  const filters = ofDocuments(asked);
  const searched = segments.map(segment => search(segment, asked, texts));
  segments.forEach(segment => segment.prepare());
  const parts = await Promise.all(searched);
  const weights = weightsOf(parts, asked.items.filter(item => !item.not).length);
  const days = segments.flatMap(segment => segment.days).filter(Boolean);
  const [oldest, newest] = [Math.min(...days), Math.max(...days)];
  const found = [];
  for (const part of parts) {
    const {segment} = part;
    const {score, near} = rank(part, weights, oldest, newest);
    part.failed = failing(filters, part);
    for (let document = 0; document < segment.documents; document++) {
      if (!part.failed[document]) found.push({part, segment, document, weights, score: score[document], near: near[document]});
    }
  }
  return {asked, results: new Ranking(found), texts, parts, sure: asked.items.every(item => item.sure)};
};

const ofDocuments = asked => [...asked.filters.values()].filter(filter => filter.group === "document");

// Which filters each document of a segment fails, as bits; the first bit says that it does not hold what is asked.
const failing = (filters, part) => {
  const {segment} = part;
  const tests = filters.map(filter => [filter.not, filter.any.map(each => each.document(segment))]);
  const kinds = [0];
  const failed = new Uint32Array(segment.documents);
  const holds = holders(part, 1, () => kinds);
  for (let document = 0; document < failed.length; document++) {
    if (!holds[document]) failed[document] = 1;
    else tests.forEach(([not, any], place) => { if (any.some(test => test(document)) === not) failed[document] |= 2 << place; });
  }
  return failed;
};

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

  // Values that differ in case only are one, which is spelled as most blocks have it.
  add(group, value, count, blocks = 0) {
    const counts = this.groups.get(group);
    const known = counts.get(fold(value));
    if (!known && value && count) counts.set(fold(value), {value, count, blocks});
    if (!known) return;
    known.count += count;
    if (blocks > known.blocks) Object.assign(known, {value, blocks});
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
      const values = [...new Map(segment.spellings(valuesOf).map(found => [fold(found[0]), found]))];
      const places = new Map(values.map(([folded], place) => [folded, place]));
      const kinds = segment.fields.map(fields => valuesOf(fields).map(value => places.get(fold(value))));
      const counts = new Uint32Array(values.length);
      holders(part, values.length, block => kinds[segment.fieldsOf[block]]).forEach((is, at) => {
        if (is && !failed[Math.floor(at / values.length)]) counts[at % values.length]++;
      });
      values.forEach(([, [value, blocks]], place) => this.add(group, value, counts[place], blocks));
    }
  }
}
