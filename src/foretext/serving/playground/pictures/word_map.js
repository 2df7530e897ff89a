// Words as labelled points. Words that were given always have a label; one of another word is left out
// where it finds no free room, and stands in the table alone.

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
  return svg("svg", { class: "word-map", viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": label },
    placed.map(dot), labels(placed, size).map(text));
}

const side = (point) => (point.given ? "given" : "near");
const dot = (point) => svg("circle", {
  cx: point.left, cy: point.top, r: point.given ? 5 : 3.5, class: side(point),
}, svg("title", {}, point.word));
const text = ({ point, place }) => svg("text", {
  x: place.x, y: place.y, "text-anchor": place.anchor, class: side(point),
}, point.word);

/** [{point, place}]: where the label of each point stands, of as many as there is room for. */
function labels(points, size) {
  const dots = points.map(({ left, top }) => ({ left: left - 4, right: left + 4, top: top - 4, bottom: top + 4 }));
  const found = [];
  for (const point of [...points].sort((one, other) => Number(other.given) - Number(one.given))) {
    const inside = places(point, widthOf(point)).filter(({ box }) => fits(box, size));
    const apart = inside.filter(({ box }) => !found.some(({ place }) => overlap(box, place.box)));
    const free = apart.find(({ box }) => !dots.some((one) => overlap(box, one)));
    const place = free ?? (point.given ? (apart[0] ?? inside[0]) : undefined);
    if (place) found.push({ point, place });
  }
  return found;
}

const ruler = document.createElement("canvas").getContext("2d");

function widthOf({ word, given }) {
  ruler.font = `${FONTS[given]} ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(word).width;
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

/** The four places of a label beside its point, the best first. */
function places({ left, top }, width) {
  const place = (anchor, x, y, from) => (
    { anchor, x, y, box: { left: from, right: from + width, top: y - LINE + 4, bottom: y + 4 } });
  return [
    place("start", left + 8, top + 4, left + 8),
    place("end", left - 8, top + 4, left - 8 - width),
    place("middle", left, top - 9, left - width / 2),
    place("middle", left, top + 18, left - width / 2),
  ];
}

const fits = ({ left, right, top, bottom }, { width, height }) =>
  left >= 0 && right <= width && top >= 0 && bottom <= height;
const overlap = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
