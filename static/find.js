// On every page of a site that can be searched: the search box, and the words of a hit, marked.
// An address such as `run.html#e-12&q=words` leads to a row and says what to mark. No pattern here holds quotes or blanks.
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
  marks = words.match(/\x22[^\x22]+|\S+/g).flatMap(word => {
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
  now = (now + step + marks.length) % marks.length;
  const range = marks[now];
  if (!range) return;
  button.textContent = `${now + 1} of ${marks.length} marked: next`;
  CSS.highlights.set("now", new Highlight(range));
  for (let up = range.startContainer; up; up = up.parentElement) up.open = true;
  range.startContainer.parentElement.scrollIntoView({block: "center"});
};
const begin = () => {
  history.replaceState(words, "");
  if (asked) location.replace(anchor);
  const row = document.getElementById(anchor.slice(1));
  row?.querySelectorAll("[data-z]").forEach(fold => fold.open = true);
  find();
  now = marks.findIndex(range => row?.contains(range.startContainer)) - 1;
  button.className = "find";
  button.onclick = () => go(1);
  document.body.append(button);
  setTimeout(go, 99, 1);
  addEventListener("toggle", () => setTimeout(find, 400), true);
};

const box = document.createElement("input");
box.type = "search";
box.placeholder = box.ariaLabel = "Search the archive";
onkeyup = ({key, target}) => {
  if (target == box && key == "Enter") location = document.querySelector(".bar>a").href.replace(/\w+\.html$/, "search.html#q=") + encodeURIComponent(box.value);
  if (target.closest("input,dialog")) return;
  if (key == "/") box.focus();
  if (key == "." || key == ",") go(key == "." ? 1 : -1);
};
addEventListener("DOMContentLoaded", () => {
  document.getElementById("query") || document.querySelector(".bar nav").after(box);
  words && CSS.highlights && begin();
});
})();
