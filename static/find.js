// For sites that can be searched. No pattern here holds quotes or blanks.
//? search
// The search box on every page asks the search page; the link beside it is there without scripts, too.
addEventListener("DOMContentLoaded", () => {
  const link = one("#search");
  const words = "Search all documents";
  const box = make("input", "", {type: "search", placeholder: words, ariaLabel: words, autocapitalize: "off"});
  const page = location.pathname.replace(/.*\/|(\.p\d+)?\.html$/g, "");
  const from = one("#say") ? `&in=${page}` : "";
  box.onkeydown = ({key, isComposing}) => {
    if (key == "Enter" && !isComposing) location = `${link.href}#q=${encodeURIComponent(box.value.trim())}${from}`;
  };
  link.before(box);
  KEYS["/"] = [words, event => {
    event.preventDefault();
    (box.checkVisibility() ? box : link).focus();
  }];
});
//?
//? marks
// The words of a hit, marked. An address such as `run.html#e-12&q=words` leads to a row and says what to mark.
(() => {
const [anchor, asked] = location.hash.split("&q=");
let words = "";
try { words = decodeURIComponent(asked ?? history.state ?? "").trim() } catch {}
let marks = [];
let now = -1;

const row = () => document.getElementById(anchor.slice(1));

// Every place where a word stands: whole, if it stands whole anywhere.
const find = () => {
  const walker = document.createTreeWalker(one("main"), 4);
  const nodes = [];
  let text = "";
  let box;
  // Words end where a block does.
  for (let node; node = walker.nextNode(); text += node.data) {
    const before = box;
    box = node.parentElement.closest(":not(span,b,i,em,strong,code,a,s,ins,del)");
    if (box != before) text += " ";
    nodes.push([text.length, node]);
  }
  let at = 0;
  marks = words.match(/\x22[^\x22]+\x22?|\S+/g).flatMap(word => {
    const pattern = word.replace(/\x22/g, "").replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/\s+/g, "\\s+");
    const seek = around => [...text.matchAll(RegExp(`(?<!${around})${pattern}(?!${around})`, "giu"))];
    const whole = seek("[\\p{L}\\p{N}]");
    return whole[0] ? whole : seek("[]");
  }).sort((one, other) => one.index - other.index).map(({0: {length}, index}) => {
    const range = new Range();
    const put = (side, place) => {
      while (nodes[at + 1]?.[0] < place) at++;
      range[side](nodes[at][1], place - nodes[at][0]);
    };
    put("setEnd", index + length);
    while (nodes[at][0] > index) at--;
    range.setStart(nodes[at][1], index - nodes[at][0]);
    return range;
  });
  CSS.highlights.set("hit", new Highlight(...marks));
};

const bar = make("div", "", {className: "find", role: "group", ariaLabel: "Marked words"});
const count = bar.appendChild(make("span", "", {role: "status"}));
const tell = () => count.textContent = now < 0 ? `${marks.length} marked` : `${now + 1} of ${marks.length} marked`;
const step = by => {
  now = Math.max(now + by + marks.length, 0) % marks.length;
  const range = marks[now];
  if (!range) return;
  tell();
  CSS.highlights.set("now", Object.assign(new Highlight(range), {priority: 1}));
  for (let up = range.startContainer; up; up = up.parentElement) up.open = true;
  range.startContainer.parentElement.scrollIntoView();
  scrollBy(0, range.getBoundingClientRect().top - innerHeight / 2);
};
const end = () => {
  bar.remove();
  CSS.highlights.clear();
  words = "";
  history.replaceState(null, "");
};
const offer = (text, title, onclick) => bar.append(make("button", text, {title, ariaLabel: title, onclick}));
// What is packed in the row of the hit takes a moment to come.
const start = left => {
  if (!words) return;
  find();
  const here = row();
  const first = marks.findIndex(range => here?.contains(range.startContainer));
  if (here && first < 0 && left) return setTimeout(start, 300, left - 1);
  now = Math.max(first, 0) - 1;
  tell();
  if (!here || first >= 0) step(1);
};
addEventListener("DOMContentLoaded", () => {
  if (asked) location.replace(anchor || "#main");
  if (!words || !CSS.highlights) return;
  history.replaceState(words, "");
  setOpen(all("[data-z]", row() || bar), true);
  offer("↑", "previous mark", () => step(-1));
  offer("↓", "next mark", () => step(1));
  offer("×", "no marks", end);
  document.body.append(bar);
  KEYS["."] = ["next mark", () => step(1)];
  KEYS[","] = ["previous mark", () => step(-1)];
  setTimeout(start, 99, 9);
  // What opens may have been unpacked: there are more marks then, and the reader stays at the same one.
  addEventListener("toggle", () => setTimeout(() => {
    const here = marks[now];
    if (!words) return;
    find();
    if (here) now = marks.findIndex(range => range.startContainer == here.startContainer && range.startOffset == here.startOffset);
    tell();
  }, 400), true);
});
})();
//?
