// The search page. What every page has, such as `make` and `KEYS`, is there already.

const SHOWN = 10;
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

const MARKER = /(\[masked:[^\]\n]{1,99}\])/;
const append = (block, text, tag) => text.split(MARKER).forEach((piece, place) => {
  if (place % 2) {
    const [, name, length] = piece.split(":");
    block.append(make("span", `${name} · ${length} character${length === "1" ? "" : "s"}`, {className: "mk", title: piece}));
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
  if (status) about.append(" · ", make("span", status === "unknown" ? "end not known" : status, {className: status}));
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
const quoted = value => /[\s"]/.test(value) ? `"${value.replaceAll("\"", "*")}"` : value;

// Where there is no room beside the results, filters are folded above them: what one changes is seen at once.
const roomy = matchMedia("(min-width:801px)");

const ROLE_NAMES = {"role:page": "title and facts", "role:other": "another role"};

const chip = (query, chosen, filter, recorded, count) => {
  const pressed = chosen.has(filter.toLowerCase());
  const value = ROLE_NAMES[filter] ?? recorded;
  const button = make("button", `${value} `, {type: "button", ariaPressed: pressed});
  button.dataset.filter = filter;
  if (count !== undefined) {
    button.ariaLabel = `${value}, ${counted(count, "document")}`;
    button.append(make("b", grouped(count)));
  }
  button.onclick = () => {
    go(pressed ? without(query, filter) : `${query.trim()} ${filter}`.trim());
    if (roomy.matches) return;
    one("facets").open = false;
    one("facets").firstElementChild.focus();
  };
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
  one("filters").replaceChildren(...here, ...boxes);
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
  document.title = query ? `${shown(query)} · Search` : "Search";
  const began = performance.now();
  clearTimeout(slow);
  slow = setTimeout(() => say("Searching …"), 400);
  try {
    const answer = await ask(query);
    if (mine !== turn) return;
    performance.mark("ranked");
    const {items, filters, fields} = answer.asked;
    if (query && !items.length && !filters.size && !fields.length) answer.results = [];
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

// What is said of a query, with what it may be meant to be, each a link.
const noteOf = ({text, raw, lead = "There is:", offers = [], more}, query) => {
  const note = make("p", shown(offers.length ? `${text} ${lead} ` : text));
  offers.forEach((offer, place) => note.append(place ? ", " : "", make("a", offer, {href: hashOf(query.replace(raw, offer))})));
  if (more) note.append(", …");
  return note;
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
    one("notes").replaceChildren(...answer.asked.notes.map(note => noteOf(note, query)));
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
    : `${counted(count, "document")}${left ? `, ${grouped(left)} more possible: their texts are not looked through yet` : ""}`);
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
    const likely = [...counts].sort((left, right) => right[1] - left[1]).slice(0, 8).map(([word]) => word);
    one("notes").append(noteOf({text: `No document has the word “${item.text}”.`, raw: item.raw, lead: "Words that begin so:", offers: likely}, query));
  }
};

const press = event => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const box = one("query");
  const links = [...document.querySelectorAll("#hits a.to")];
  const focus = document.activeElement;
  const here = links.indexOf(focus);
  const key = focus === box ? event.key : {j: "ArrowDown", k: "ArrowUp"}[event.key] ?? event.key;
  if (key === "ArrowDown" && (here >= 0 || focus === box || focus === document.body)) links[Math.min(here + 1, links.length - 1)]?.focus();
  else if (key === "ArrowUp" && here >= 0) (links[here - 1] ?? box).focus();
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
  for (const key in KEYS) if (!["g i", "t", "z", "?"].includes(key)) delete KEYS[key];
  Object.assign(KEYS, {"/": ["the search box", toBox], "↓ j": ["next result"], "↑ k": ["previous result"]});
  const unfold = () => { one("facets").open = roomy.matches; };
  one("facets").hidden = false;
  roomy.addEventListener("change", unfold);
  unfold();
  addEventListener("keydown", press);
  addEventListener("hashchange", show);
  addEventListener("click", jump);
  if (!split(inHash("q")).some(item => item.field === undefined)) {
    box.value = `${inHash("q")} `.trimStart();
    box.focus();
  }
  show();
};

window.lakesiteSearch = Object.assign(arrive, {termsOf, parse, ask, checkMore, Check, Ranking});
if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();
