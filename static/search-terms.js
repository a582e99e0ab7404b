// How texts fall into terms, as lakesite/search/tokens.py does; tests/search/tokens.txt tests both.

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
    const ends = left.match(SCRIPTS).at(-1);
    const begins = right.match(SCRIPTS)[0];
    if (UNSPACED.test(ends + begins) || size(ends) + joint.length >= LONGEST) continue;
    pairs.push([...lower(ends + joint + begins)].slice(0, LONGEST).join(""));
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
