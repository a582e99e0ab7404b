// What a query asks for.

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
  if (!found) return null;
  const time = Date.UTC(found[1], (found[2] ?? 1) - 1, found[3] ?? 1);
  // A month or a day that there is not would be one of the next month.
  return new Date(time).toISOString().startsWith(text) ? time / 86400000 + 1 : null;
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
const ITEM = /(-(?!-))?(?:([a-z]+):(?:"([^"]*)"?|([^\s"]\S*)?))(?=\s|$)|(-(?!-))?"([^"]*)"?|\S+/g;
const split = query => [...query.matchAll(ITEM)].map(found => {
  const [raw, notField, field, quoted, bare, notPhrase, phrase] = found;
  if (field !== undefined) return {raw, not: Boolean(notField), field, value: quoted ?? bare ?? ""};
  if (phrase !== undefined) return {raw, not: Boolean(notPhrase), text: phrase, phrase: true};
  const not = /^-[^-]/.test(raw);
  return {raw, not, text: not ? raw.slice(1) : raw};
});

const parse = query => {
  const asked = {items: [], filters: new Map(), fields: [], notes: []};
  for (const item of split(query)) {
    const known = item.field !== undefined && Object.hasOwn(FIELDS, item.field);
    const made = known && item.value ? FIELDS[item.field](shown(item.value).toLowerCase()) : null;
    if (known) asked.fields.push({...item, made});
    if (made) addFilter(asked, item, made);
    else if (!known || item.value) {
      const why = `so “${item.raw}” is looked for as a text`;
      if (known) asked.notes.push({text: `The field “${item.field}” knows no “${item.value}”, ${why}. Examples: ${EXAMPLES}`});
      else if (/^[a-z]+$/.test(item.value ?? "")) {
        asked.notes.push({text: `There is no field “${item.field}”, ${why}. Fields: ${Object.keys(FIELDS).join(", ")}.`});
      }
      addWords(asked, item);
    }
  }
  return asked;
};

// The values that documents have of a field, as far as there is a list of them.
const ofFields = valuesOf => segment => segment.spellings(valuesOf).map(([value]) => value);
const VALUES = {
  status: segment => segment.statuses,
  runtime: segment => segment.runtimes,
  project: segment => segment.projects.flat(),
  model: segment => segment.models.flat(),
  role: ofFields(fields => [fields.role]),
  tool: ofFields(fields => [fields.tool]),
  fidelity: ofFields(fields => fields.fidelity),
  is: () => [...KINDS, "error"],
  kind: segment => [...KINDS, ...VALUES.role(segment)],
};
const OFFERED = 12;
// How many characters two texts share at their beginning.
const shared = (one, other) => {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count++;
  return count;
};
const holdsAny = (segment, {made: {group, document, block, value}}) => {
  if (group === "block") return segment.fields.some(block);
  if (group === "document") return numbersBelow(segment.documents, document(segment)).length;
  return segment.lookUp(`:${value.replace(/\*$/, "")}`, value.endsWith("*")).then(blocks => blocks.length);
};

// What is said of a field that is given no value, or one that nothing has: `offers` are values to have instead, the likeliest first.
const explain = async (asked, segments) => {
  for (const item of asked.fields) {
    const {field, value, raw, made} = item;
    if (made ? (await Promise.all(segments.map(segment => holdsAny(segment, item)))).some(Boolean) : value) continue;
    const text = value ? `Nothing has the ${field === "in" ? "name" : field} “${value}”.` : `The field “${field}” waits for a value.`;
    if (VALUES[field]) {
      const known = new Map(segments.flatMap(VALUES[field]).filter(Boolean).map(each => [fold(each), each]));
      const typed = fold(value);
      const likely = [...known].sort(([one], [other]) => shared(other, typed) - shared(one, typed) || (one < other ? -1 : 1));
      asked.notes.push({text, raw, offers: likely.slice(0, OFFERED).map(([, each]) => `${field}:${quoted(each)}`), more: likely.length > OFFERED});
    } else if (field === "in" && value) {
      const begun = await Promise.all(segments.map(segment => segment.lookUp(`:${made.value}`, true)));
      asked.notes.push({text, raw, lead: "Names that begin so:", offers: begun.some(blocks => blocks.length) ? [`in:${made.value}*`] : []});
    } else if (!value) asked.notes.push({text: `${text} Examples: ${EXAMPLES}`});
  }
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
  else if (WORDY.test(text)) asked.notes.push({text: `“${item.raw}” is longer than the ${LONGEST} characters of a word that the index holds.`});
  else if (item.raw.trim()) asked.notes.push({text: `“${item.raw}” holds no letter and no digit: it is left out.`});
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
  // A pair stands nowhere without its two words, and its beginning not without the first.
  for (const pair of [...terms].filter(term => JOINT.test(term))) pair.split(JOINT).forEach(word => terms.delete(word));
  if (JOINT.test(start)) terms.delete(start.split(JOINT)[0]);
  if (!start && !terms.size) start = [...text].find(char => UNSPACED.test(char)) ?? "";
  const all = [...terms, ...(start ? [start] : [])];
  return {terms: [...terms], start, sure: all.length === 1 && fold(text) === all[0] && !JOINT.test(all[0])};
};
