// The check of what was looked up against the texts.

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

// Where in a sorted list the first number stands that is so large.
const placeFrom = (list, number) => {
  let low = 0;
  for (let high = list.length; low < high;) {
    const middle = (low + high) >> 1;
    if (list[middle] < number) low = middle + 1;
    else high = middle;
  }
  return low;
};

// Looks at the texts of one document. `budget.left` chunks may still be loaded.
class Check {
  constructor(answer, result, budget) {
    Object.assign(this, {answer, result, budget, hits: new Map(), complete: true});
    this.wanted = answer.asked.items.filter(item => !item.not);
  }

  within(list) {
    const {segment, document} = this.result;
    return list.subarray(placeFrom(list, segment.firstBlock[document]), placeFrom(list, segment.firstBlock[document + 1]));
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
// it is sure, and when its texts are looked at: where the index alone is enough, these are not even asked for before.
const checkMore = async (answer, from, wanted, found = () => {}) => {
  const budget = {left: PATIENCE, loaded: answer.loaded ??= new Set()};
  const sure = [];
  let at = from;
  while (at < answer.results.length && sure.length < wanted && (answer.sure || budget.left > 0)) {
    const batch = answer.results.slice(at, at + wanted - sure.length).map(result => new Check(answer, result, budget));
    const opened = answer.sure ? batch.map(check => check.open()) : [];
    const looks = answer.sure ? [] : batch.map(check => check.run());
    let done = 0;
    for (; done < batch.length; done++) {
      const verdict = await (opened[done] ?? looks[done]);
      if (verdict === "unknown") break;
      if (verdict === "no") continue;
      sure.push(batch[done]);
      found(batch[done], looks[done] ??= batch[done].run());
    }
    await Promise.all(looks);
    at += done;
    if (done < batch.length && done === 0 && budget.left < PATIENCE) break;
  }
  return {sure, at};
};
