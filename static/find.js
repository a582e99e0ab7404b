// For sites that can be searched. No pattern here holds quotes or blanks.
//? search
// The search box on every page.
(() => {
const box = document.createElement("input");
box.type = "search";
box.placeholder = box.ariaLabel = "Search the archive";
const page = location.pathname.replace(/.*\/|(\.p\d+)?\.html$/g, "");
onkeyup = ({key, target}) => {
  if (target == box && key == "Enter") {
    const home = document.querySelector(".bar>a").href;
    location = home.replace(/\w+\.html$/, "search.html#q=") + `${encodeURIComponent(box.value)}&in=${page}`;
  } else if (key == "/" && !target.closest("input,dialog")) box.focus();
};
addEventListener("DOMContentLoaded", () => document.getElementById("query") || document.querySelector(".bar nav").after(box));
})();
//?
//? marks
// The words of a hit, marked. An address such as `run.html#e-12&q=words` leads to a row and says what to mark.
(() => {
const [anchor, asked] = location.hash.split("&q=");
let words = "";
try { words = decodeURIComponent(asked ?? history.state ?? "") } catch {}
let marks = [];
let now = -1;

// Every place where a word stands: whole, if it stands whole anywhere.
const find = () => {
  const walker = document.createTreeWalker(document.querySelector("main"), 4);
  const nodes = [];
  let text = "";
  for (let node; node = walker.nextNode(); text += node.data) nodes.push([text.length, node]);
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

const button = document.createElement("button");
const go = step => {
  now = Math.max(now + step + marks.length, 0) % marks.length;
  const range = marks[now];
  if (!range) return;
  button.textContent = `${now + 1} of ${marks.length} marked: next`;
  CSS.highlights.set("now", Object.assign(new Highlight(range), {priority: 1}));
  for (let up = range.startContainer; up; up = up.parentElement) up.open = true;
  range.startContainer.parentElement.scrollIntoView();
  scrollBy(0, range.getBoundingClientRect().top - innerHeight / 2);
};
// What is packed in the row of the hit takes a moment to come.
const start = left => {
  find();
  const row = document.getElementById(anchor.slice(1));
  const first = marks.findIndex(range => row?.contains(range.startContainer));
  if (row && first < 0 && left) return setTimeout(start, 300, left - 1);
  now = first - 1;
  button.textContent = `${marks.length} marked: next`;
  if (!row || first >= 0) go(1);
};
addEventListener("DOMContentLoaded", () => {
  if (!words || !CSS.highlights) return;
  if (asked) location.replace(anchor);
  history.replaceState(words, "");
  document.getElementById(anchor.slice(1))?.querySelectorAll("[data-z]").forEach(fold => fold.open = true);
  button.className = "find";
  button.onclick = () => go(1);
  document.body.append(button);
  setTimeout(start, 99, 9);
  addEventListener("toggle", () => setTimeout(find, 400), true);
  addEventListener("keyup", ({key}) => key == "." ? go(1) : key == "," && go(-1));
});
})();
//?
