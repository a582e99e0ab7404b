//? index
// The list. Of chips of one kind one is chosen; chips of different kinds, words and dates narrow each other down.
// A list of several pages has all of its rows in a file of its own, which is asked for when it is needed first.
{
const GROUPS = {runs: "kind", sessions: "kind", errors: "errors", runtime: "runtime", project: "project", model: "model"};
const groupOf = name => GROUPS[name.split(" ")[0]] ?? "status";
const picked = {};
const SHOWN = 500;
let column = -1;
let falling = false;
let worst = false;
let limit = SHOWN;
let own;
let loading;
let missing = false;
let table;

usable = () => true;

const rowOf = (node, iso, text, sort) => ({node, iso, text: text.toLowerCase(), depth: sort[0], sort: [text, iso ? Date.parse(iso) : -1, ...sort.slice(1)]});
const ofPage = node => {
  const row = rowOf(node, one("time", node)?.dateTime ?? "", node.cells[0].textContent, node.dataset.s.split(" ").map(Number));
  row.words = node.dataset.f;
  return row;
};
// A row of the file becomes one of the table as the template makes it, once it is shown.
const drawn = ([words, href, title, note, iso, took, calls, tokens, depth, , , errors]) => {
  const status = words.split("|")[2];
  const node = make("tr", "", {className: status == "failed" || errors ? "row fail" : "row"});
  const first = make("td", "", {className: "i" + Math.min(depth, 4)});
  if (status != "none") first.append(make("span", status, {className: "pill " + status}), " ");
  first.append(make("a", title, {href}));
  if (note) first.append(" ", make("small", note));
  const when = make("td", iso ? "" : "no time recorded");
  if (iso) when.append(clockOf(make("time", "", {dateTime: iso}), true));
  node.append(first, when, make("td", took), make("td", calls), make("td", errors.toLocaleString("en"), {className: errors ? "err" : ""}), make("td", tokens));
  return node;
};
const ofFile = told => {
  const row = rowOf(null, told[4], `${told[2]} ${told[3]}`, told.slice(8));
  row.words = told[0];
  row.told = told;
  return row;
};

const whole = () => loading ??= new Promise(done => {
  const src = table.dataset.rows;
  if (!src) return done(own);
  window.lakesiteRows = list => done(list.map(ofFile));
  const onerror = () => {
    missing = true;
    done(own);
  };
  document.head.append(make("script", "", {src, onerror}));
});

const FIELDS = ["words", "from", "to"];
const asked = () => {
  const [words, from, to] = FIELDS.map(id => one(`#${id}`).value.trim().toLowerCase());
  return {words: words.split(/\s+/).filter(Boolean), from, to};
};
const forget = () => {
  for (const group in picked) delete picked[group];
};
const fits = ({words, from, to}) => {
  const names = Object.values(picked).map(name => `|${name}|`);
  return row => names.every(name => row.words.includes(name)) && words.every(word => row.text.includes(word))
    && (!from || row.iso >= from) && (!to || row.iso && row.iso.slice(0, to.length) <= to);
};
// Runs stand under what called them, however the list is sorted; where that is filtered away, they stand further out.
const trees = (rows, fit) => {
  const found = [];
  let tree, above;
  for (const row of rows) {
    if (!row.depth || !tree) {
      found.push(tree = []);
      above = [];
    }
    above.length = Math.min(above.length, row.depth);
    row.shown = above.filter(Boolean).length;
    above[row.depth] = fit(row);
    if (above[row.depth]) tree.push(row);
  }
  return found.filter(each => each[0]);
};
const placed = (row, depth) => {
  const node = row.node ??= drawn(row.told);
  node.cells[0].className = "i" + Math.min(depth, 4);
  return node;
};
const badness = tree => tree.some(row => row.words.includes("|failed|")) ? 2 : tree.some(row => row.sort[4] > 0) ? 1 : 0;
const inOrder = list => {
  const way = falling ? -1 : 1;
  return list.sort((one, other) => {
    const bad = worst && badness(other) - badness(one);
    if (bad || column < 0) return bad;
    const [left, right] = [one, other].map(tree => tree[0].sort[column]);
    if (!column) return way * left.localeCompare(right);
    return (left < 0) - (right < 0) || way * (left - right);
  });
};

let turn = 0;
const draw = async () => {
  const mine = ++turn;
  const query = asked();
  const narrow = Object.keys(picked).length || query.words.length || query.from || query.to;
  const active = narrow || worst || column >= 0;
  for (const chip of all(".chips button")) chip.ariaPressed = picked[groupOf(chip.dataset.f)] == chip.dataset.f || chip.dataset.f == "all" && !narrow;
  all("th[aria-sort]", table).map(head => head.removeAttribute("aria-sort"));
  if (column >= 0) table.tHead.rows[0].cells[column].setAttribute("aria-sort", falling ? "descending" : "ascending");
  one("#worst").ariaPressed = worst;
  one("#clear").hidden = !active;
  all(".pager").map(each => each.hidden = !!active);
  const body = table.tBodies[0];
  const note = one("#found");
  table.hidden = false;
  if (!active) {
    own.map(row => placed(row, row.depth));
    body.replaceChildren(...original);
    return note.textContent = "";
  }
  if (!loading && table.dataset.rows) note.textContent = "Reading the whole list …";
  const rows = await whole();
  if (mine != turn) return;
  const kept = inOrder(trees(rows, fits(query))).flat();
  body.replaceChildren(...kept.slice(0, limit).map(row => placed(row, row.shown)));
  table.hidden = !kept[0];
  const of = `${kept.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
  note.textContent = (kept[0] ? "" : query.to && query.from > query.to ? "Nothing: “from” is after “to”. " : "Nothing matches. ") + of + (missing ? " on this page; the file of the whole list is not beside it" : "") + (kept.length > limit ? `, the first ${limit.toLocaleString("en")} shown ` : "");
  if (!kept[0]) note.append(" ", make("button", "show all", {onclick: clear}));
  if (kept.length > limit) note.append(make("button", "show more", {onclick: () => {
    limit += SHOWN;
    draw();
  }}));
};
// What is asked for stands in the address, so that it can be sent, and is there again on the way back.
const told = () => {
  const query = new URLSearchParams(Object.values(picked).map(name => ["f", name]));
  for (const field of FIELDS) if (one(`#${field}`).value) query.set(field, one(`#${field}`).value);
  if (column >= 0) query.set("by", (falling ? "-" : "") + column);
  if (worst) query.set("worst", 1);
  return `${query}`;
};
const again = () => {
  limit = SHOWN;
  const query = told();
  history.replaceState(null, "", query ? `#list?${query}` : location.pathname.replace(/.*[/]/, ""));
  draw();
};
const recall = () => {
  const [list, asked] = location.hash.split("?");
  if (list != "#list") return;
  const query = new URLSearchParams(asked);
  forget();
  for (const name of query.getAll("f")) picked[groupOf(name)] = name;
  for (const field of FIELDS) one(`#${field}`).value = query.get(field) ?? "";
  const by = query.get("by");
  falling = !!by?.startsWith("-");
  column = by && by >= -5 && by <= 5 ? Math.abs(by) : -1;
  worst = query.has("worst");
  draw();
};
let original;
const clear = () => {
  forget();
  for (const id of FIELDS) one(`#${id}`).value = "";
  column = -1;
  worst = false;
  again();
};

addEventListener("DOMContentLoaded", () => {
  table = one("table.index");
  if (!table) return usable = () => false;
  original = [...table.tBodies[0].children];
  own = all(".row", table).map(ofPage);
  KEYS.o = ["go there", ofRow(row => one("a", row).click())];
  filter = chip => {
    if (!chip || chip.dataset.f == "all") return clear();
    const name = chip.dataset.f;
    const group = groupOf(name);
    if (picked[group] == name) delete picked[group];
    else picked[group] = name;
    again();
  };
  one("#sift").hidden = false;
  one("#clear").hidden = true;
  let wait;
  one("#sift").oninput = () => {
    clearTimeout(wait);
    wait = setTimeout(again, 120);
  };
  one("#clear").onclick = clear;
  addEventListener("hashchange", recall);
  one("#worst").ariaPressed = false;
  one("#worst").onclick = () => {
    worst = !worst;
    again();
  };
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    const button = make("button", "", {onclick: () => {
      if (column != place) falling = !!place;
      else if (falling == !!place) falling = !falling;
      else return column = -1, again();
      column = place;
      again();
    }});
    button.append(...head.childNodes);
    head.append(button);
  });
  setTimeout(recall);
});
}
//?
