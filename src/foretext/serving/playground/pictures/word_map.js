// Words as labelled points. A label that finds no free room is left out; the table has all words.

import { svg } from "../dom.js";

const WIDE = { width: 680, height: 460 };
const NARROW = { width: 340, height: 400 };
const EDGE = 34;
const LINE = 15;
const FONTS = { true: "650 13px", false: "13px" }; // of words that were given, and of the others

/** points: [{word, x, y, given}]; label: what the picture is, in words. */
export function wordMap(points, label) {
  const size = matchMedia("(max-width: 800px)").matches ? NARROW : WIDE;
  const placed = scaled(points, size);
  const taken = placed.map(({ left, top }) => ({ left: left - 4, right: left + 4, top: top - 4, bottom: top + 4 }));
  const ruler = document.createElement("canvas").getContext("2d");
  const measured = ({ word, given }) => {
    ruler.font = `${FONTS[given]} ${getComputedStyle(document.body).fontFamily}`;
    return ruler.measureText(word).width;
  };
  const first = [...placed].sort((one, other) => Number(other.given) - Number(one.given));
  const labels = first.map((point) => labelled(point, measured(point), taken, size)).filter(Boolean);
  return svg("svg", { class: "word-map", viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": label },
    placed.map(({ word, left, top, given }) => svg("circle", {
      cx: left, cy: top, r: given ? 5 : 3.5, class: given ? "given" : "near",
    }, svg("title", {}, word))), labels);
}

function scaled(points, { width, height }) {
  const along = (name, size) => {
    const all = points.map((point) => point[name]);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const spread = high - low || 1;
    const start = high === low ? size / 2 - EDGE : 0;
    return (value) => EDGE + start + ((value - low) / spread) * (size - 2 * EDGE);
  };
  const [left, top] = [along("x", width), along("y", height)];
  return points.map(({ word, x, y, given }) => ({ word, given, left: left(x), top: height - top(y) }));
}

/** The label at the first free side of its point; null where all are taken. */
function labelled({ word, left, top, given }, width, taken, size) {
  const sides = [
    { anchor: "start", x: left + 8, y: top + 4, from: left + 8 },
    { anchor: "end", x: left - 8, y: top + 4, from: left - 8 - width },
    { anchor: "middle", x: left, y: top - 9, from: left - width / 2 },
    { anchor: "middle", x: left, y: top + 18, from: left - width / 2 },
  ];
  for (const { anchor, x, y, from } of sides) {
    const box = { left: from, right: from + width, top: y - LINE + 4, bottom: y + 4 };
    const inside = box.left >= 0 && box.right <= size.width && box.top >= 0 && box.bottom <= size.height;
    if (!inside || taken.some((other) => overlap(box, other))) continue;
    taken.push(box);
    return svg("text", { x, y, "text-anchor": anchor, class: given ? "given" : "near" }, word);
  }
  return null;
}

const overlap = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
