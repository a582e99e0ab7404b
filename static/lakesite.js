// Everything here is a comfort: the page says all without it. Nothing recorded is ever made into HTML.
const all = (css, at = document) => [...at.querySelectorAll(css)];
const one = (css, at = document) => at.querySelector(css);
const make = (tag, textContent, more) => Object.assign(document.createElement(tag), {textContent}, more);
const current = () => document.activeElement.closest(".row");

// The theme, remembered where the browser lets a page remember; for a file it may refuse.
const look = document.documentElement.style;
const dress = theme => {
  look.colorScheme = theme;
  try { localStorage.lakesite = theme } catch {}
};
const switchTheme = () => {
  const system = matchMedia("(prefers-color-scheme:dark)").matches ? "dark" : "light";
  const other = (look.colorScheme || system) == "dark" ? "light" : "dark";
  dress(other == system ? "" : other);
};
try { dress(localStorage.lakesite || "") } catch {}

// Times are in UTC; a reader may want those of the own clock. What was recorded stays on hover.
let local = false;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const clockOf = (time, withDay) => {
  const date = new Date(time.dateTime);
  const get = part => date[`get${local ? "" : "UTC"}${part}`]();
  const two = part => `${get(part)}`.padStart(2, 0);
  const day = withDay ? `${get("Date")} ${MONTHS[get("Month")]} ${get("FullYear")} ` : "";
  (time.firstElementChild ?? time).textContent = day + ["Hours", "Minutes", "Seconds"].map(two).join(":");
  if (local) time.title ||= time.dateTime;
  else if (time.title == time.dateTime) time.removeAttribute("title");
  return time;
};
const showTimes = () => {
  all("time").map(time => clockOf(time, /\d{4}/.test(time.textContent)));
  all(".zone").map(zone => zone.textContent = local ? "local time" : "UTC");
  one("#zone").textContent = local ? "Local time" : "UTC";
  document.body.classList.toggle("local", local);
};
const switchZone = () => {
  local = !local;
  try { localStorage.lakesiteZone = local ? "local" : "" } catch {}
  showTimes();
};

// What only long documents need.
let unpack = () => {}, elsewhere = unpack;
//? long
// The middle of a very long text is packed: deflated, in base64.
unpack = async fold => {
  const packed = fold.dataset.z;
  if (!packed) return;
  delete fold.dataset.z;
  const bytes = Uint8Array.from(atob(packed), char => char.charCodeAt());
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
  one("p", fold).replaceWith(make("pre", text, {className: "out"}));
};
// A link to the document lands in the part that holds its anchor.
elsewhere = anchor => {
  const {map, hrefs, strays} = JSON.parse(one("#anchors").textContent);
  let code = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(anchor)) code = Math.imul(code ^ byte, 0x1000193);
  code = btoa(String.fromCharCode(code >> 16 & 255, code >> 8 & 255, code & 255));
  const part = strays[anchor] ?? map.split("|").findIndex(codes => codes.match(/.{4}/g)?.includes(code));
  if (part > 0) location.replace(hrefs[part] + location.hash);
  return part > 0;
};
//?

// Rows: where the reader is, and where to go.
const go = (step, wanted = "*") => {
  const list = all(".row");
  const here = list.indexOf(current());
  let at = here < 0 ? list.findIndex(row => row.getBoundingClientRect().bottom > 0) - (step > 0) : here;
  do at += step; while (list[at] && !(list[at].matches(wanted) && list[at].checkVisibility()));
  const row = list[at];
  if (!row) return;
  const place = one("summary", row) || row;
  place.tabIndex = 0;
  place.focus();
  return true;
};
const setOpen = (list, open) => list.map(each => each.open = open);
const flip = within => {
  const list = all("details", within).concat(within);
  setOpen(list, !list.some(each => each.open));
};

const showAll = () => {
  filter();
  all("fieldset input").map(box => box.checked = true);
};

// A link into what is folded or filtered away, or into another part; one that leads nowhere says so.
const gone = make("p", "The place that this link leads to is not, or no longer, on this page.", {className: "failure", role: "status"});
const land = () => {
  gone.remove();
  const anchor = location.hash.slice(1);
  const target = document.getElementById(anchor);
  if (target) {
    for (let up = target; up; up = up.parentElement) up.open = true;
    if (!target.checkVisibility()) showAll();
    target.scrollIntoView();
  } else if (/^[^&]+$/.test(anchor) && one("#say") && !(one("#anchors") && elsewhere(anchor))) one("main").prepend(gone);
};

// Counts that filter.
const SELECTORS = {errors: ".fail", masked: ":has(.mk)", chain: ".chain"};
const matches = (row, chip) => {
  const name = chip.dataset.f;
  if (row.dataset.f) return name == "all" || row.dataset.f.includes(`|${name}|`);
  const tool = one("summary>b", row);
  if (name == "tool") return tool && (tool.title || tool.textContent) == chip.firstChild.textContent;
  return row.matches(SELECTORS[name] || `:has(.b-${CSS.escape(name)})`);
};
let chosen;
let usable = chip => all(".row").some(row => matches(row, chip));
let filter = chip => {
  chosen = chip == chosen ? null : chip;
  all(".chips button").map(each => each.ariaPressed = each == chosen);
  let heading, kept = 0;
  for (const row of all(".row")) {
    row.hidden = chosen && !matches(row, chosen);
    kept += !row.hidden;
    if (row.matches(".step")) heading = row;
    else if (heading && !row.hidden) heading.hidden = false;
  }
  const note = one("#kept");
  if (!note) return;
  note.hidden = !chosen;
  one("b", note).textContent = `${kept} of ${all(".row").length}`;
};

// Equal masked values light up together, when one is pointed at or has the focus.
const light = ({target: {dataset, title}, type}) =>
  dataset?.fp && all(`[title="${title}"]`).map(mk => mk.style.outline = /r$|n$/.test(type) ? "solid" : "");

// The strip frames what can be seen.
const frame = svg => {
  const box = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "path"));
  const places = new Map(all(".row").map((row, place) => [row, place]));
  const x = one("main").getBoundingClientRect().left + 200;
  const at = (y, by) => {
    for (; y > 0 && y < innerHeight; y += by) {
      const place = places.get(document.elementFromPoint(x, y)?.closest(".row"));
      if (place >= 0) return place;
    }
  };
  let asked = 0;
  const show = () => {
    asked = 0;
    const [first, last] = [at(2, 40), at(innerHeight - 2, -40)];
    const y = place => Math.round(place * 1000 / places.size);
    box.setAttribute("d", last >= first ? `M0 ${y(first)} h14 V${y(last + 1)} h-14 z` : "M0 0");
  };
  box.classList.add("seen");
  const ask = () => asked ||= requestAnimationFrame(show);
  // Rows that are not laid out yet cannot be seen: the browser tells when they are.
  for (const on of ["scroll", "contentvisibilityautostatechange"]) addEventListener(on, ask, {passive: true});
  ask();
};
// A click between the ticks of the strip leads to the row there.
const jump = ({clientY, currentTarget, target}) => {
  if (target.closest("a")) return;
  const {top, height} = currentTarget.getBoundingClientRect();
  const list = all(".row");
  list[Math.floor((clientY - top) / height * list.length)]?.scrollIntoView();
};

// Copying: what a row says, its link, or all of it as JSON; masked values as their markers.
const told = make("p", "", {className: "skip", role: "status"});
const put = async (what, text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = document.body.appendChild(make("textarea", text));
    const focus = document.activeElement;
    box.select();
    document.execCommand("copy");
    box.remove();
    focus.focus();
  }
  told.textContent = `${what} copied`;
};
const address = row => row?.id ? location.href.replace(/#.*|$/, "#" + row.id) : row ? one("a", row).href : location.href;
const plain = node => {
  const copy = node.cloneNode(true);
  all(".ln,.fold>summary,.more>summary,.thought small", copy).map(each => each.remove());
  all(".mk", copy).map(each => each.replaceWith(each.title));
  all("p,li,tr,h3,h4,h5,h6,summary,pre,ins,del", copy).map(each => /\n$/.test(each.textContent) || each.append("\n"));
  all("td+td,th+th", copy).map(each => each.before("\t"));
  return copy.textContent.trim();
};
const parts = async row => {
  await Promise.all(all("[data-z]", row).map(unpack));
  let label;
  const found = [...row.children].flatMap(each => {
    if (each.matches(".row>summary,.l,.foot,.copy,.note>:is(a,b,span)")) return [];
    if (each.matches(".more")) label = plain(one("summary", each));
    if (!each.matches(".label")) return {label, text: plain(each)};
    label = plain(each);
    return [];
  });
  // What a note says stands in its line.
  if (row.matches(".note")) found.unshift({text: all("b,b+span", row).slice(0, 2).map(plain).join(" ").replace(/.go.to.it$/, "")});
  return found;
};
const COPY = {
  copy: async row => put("Text", (await parts(row)).map(part => part.text).join("\n\n") || plain(row)),
  link: row => put("Link", address(row)),
  JSON: async row => {
    const fact = css => one(css, row) && plain(one(css, row));
    const {id, classList: [, kind]} = row;
    put("JSON", JSON.stringify({
      id, kind, link: address(row), time: one("time", row)?.dateTime, name: one("summary>b", row)?.title || fact("summary>b"),
      argument: fact("summary>code"), outcome: fact(".at"), source: one(".l a", row)?.title || one(".foot>a", row)?.nextSibling.data.trim(), parts: await parts(row),
    }, null, 2));
  },
};
const offer = row => {
  if (!row || one(".copy", row)) return;
  const bar = make("span", "", {className: "copy"});
  for (const word in COPY) bar.append(make("button", word, {tabIndex: row.open ? 0 : -1, onclick: () => COPY[word](row)}));
  (one(":scope>.foot", row.open ? row : bar) || row).append(bar);
};

// Keys.
const help = () => {
  const dialog = document.body.appendChild(make("dialog", "", {onclose: () => dialog.remove()}));
  const list = make("dl");
  for (const key in KEYS) {
    const [words, , needs = "*"] = KEYS[key];
    if (one(needs)) list.append(make("dt", key), make("dd", words));
  }
  dialog.append(make("h2", "Keys"), list, make("button", "Close", {onclick: () => dialog.close()}));
  dialog.showModal();
};
// The next prompt or step; behind the last one of a part, the next part.
const turnTo = step => go(step, ".prompt,.step") || one(`[rel=${step > 0 ? "next" : "prev"}]`)?.click();
let before = "";
const ofRow = act => () => current() && act(current());
const TURNS = ".prompt,.step,[rel=next],[rel=prev]";
// Of each key what it does, and what it needs on a page.
const KEYS = {
  j: ["next row", () => go(1), ".row"],
  k: ["previous row", () => go(-1), ".row"],
  n: ["next error", () => go(1, ".fail"), ".fail"],
  p: ["previous error", () => go(-1, ".fail"), ".fail"],
  "]": ["next prompt, step or part", () => turnTo(1), TURNS],
  "[": ["previous prompt, step or part", () => turnTo(-1), TURNS],
  o: ["open or close the row", ofRow(flip), ".row"],
  e: ["open or close all", () => flip(one("main")), "details"],
  "g i": ["the index", () => one(".bar a").click()],
  t: ["light or dark", switchTheme],
  z: ["UTC or local time", switchZone],
  "?": ["all keys", help],
  y: ["copy the link to this row or page", () => COPY.link(current())],
  c: ["copy the text", ofRow(COPY.copy), ".row"],
  s: ["copy as JSON", ofRow(COPY.JSON), ".row:not(tr)"],
  Escape: ["all rows", () => filter(), ".chips button"],
};
const press = event => {
  const {key, target} = event;
  const asked = event.ctrlKey || event.metaKey;
  // Printing and the browser's own search reach what is folded, but not what is packed.
  const whole = asked && /^[fp]$/.test(key) && Promise.all(all("[data-z]").map(unpack));
  if (asked && key == "p") {
    event.preventDefault();
    whole.then(print);
  } else if (!asked && !event.altKey && !target.closest("input,dialog")) {
    (KEYS[`${before} ${key}`] ?? KEYS[key])?.[1](event);
    before = key;
  }
};

addEventListener("DOMContentLoaded", () => {
  for (const chip of all(".chips [data-f]")) {
    if (!usable(chip)) continue;
    const button = make("button", "", {ariaPressed: false, onclick: () => filter(button)});
    button.dataset.f = chip.dataset.f;
    button.append(...chip.childNodes);
    chip.replaceWith(button);
  }
  const seen = {};
  for (const mk of all("[data-fp]")) {
    mk.tabIndex = seen[mk.title] ?? -1;
    seen[mk.title] = 0;
  }
  for (const on of ["mouseover", "mouseout", "focusin", "focusout"]) addEventListener(on, light);
  const show = (css, onclick) => Object.assign(one(css), {hidden: false, onclick});
  show("#theme", switchTheme);
  show("#zone", switchZone);
  show("#help", help);
  try { local = localStorage.lakesiteZone == "local" } catch {}
  if (local) showTimes();
  const strip = one("#map svg");
  if (strip) {
    strip.addEventListener("click", jump);
    frame(strip);
  }
  let closed = [];
  onclick = event => {
    const {target} = event;
    if (target.hash == "#say") {
      event.preventDefault();
      showAll();
    }
    if (target.hash && target.hash == "#" + target.closest(".row")?.id) put("Link", target.href);
  };
  onkeydown = press;
  onhashchange = land;
  onbeforeprint = () => setOpen(closed = all("details:not([open])"), true);
  onafterprint = () => setOpen(closed, false);
  addEventListener("toggle", ({target}) => {
    if (!target.open) return;
    unpack(target);
    if (target.matches(".row:focus-within")) offer(target);
  }, true);
  addEventListener("mouseover", ({target}) => offer(target.closest(".say,.think,.end,.row[open]")));
  document.body.append(told);
  land();
});
