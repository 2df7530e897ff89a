// Weights between tokens as tinted squares: a row for the token that looks, a column for what it sees.

import { svg } from "../dom.js";
import { number } from "../language.js";

const LARGEST = 26; // pixels of a square
const SMALLEST = 11;
const ROOM = 560; // pixels that the picture should fill at most
const LABEL = 96;
const LONGEST = 12; // characters of a label

/** weights: (T, T) or more, of which the first tokens are shown; label: what it is, in words. */
export function heatMap(tokens, weights, label) {
  const side = Math.max(SMALLEST, Math.min(LARGEST, Math.floor(ROOM / tokens.length)));
  const size = LABEL + side * tokens.length + 2;
  const most = Math.max(...tokens.map((_, row) => Math.max(...weights[row].slice(0, tokens.length))), 1e-9);
  const at = (index) => LABEL + side * index;
  const squares = tokens.flatMap((from, row) => tokens.map((to, column) => svg("rect", {
    x: at(column), y: at(row), width: side - 1, height: side - 1, "fill-opacity": (weights[row][column] / most).toFixed(3),
  }, svg("title", {}, `${from} → ${to}: ${number(weights[row][column], 3)}`))));
  const names = tokens.flatMap((token, index) => [
    svg("text", { x: LABEL - 6, y: at(index) + side / 2 + 4, "text-anchor": "end" }, short(token)),
    svg("text", { transform: `translate(${at(index) + side / 2 + 4} ${LABEL - 6}) rotate(-90)` }, short(token)),
  ]);
  const picture = svg("svg", {
    class: "heat-map", width: size, height: size, viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label,
  }, svg("rect", { class: "ground", x: LABEL, y: LABEL, width: size - LABEL, height: size - LABEL }), squares, names);
  const frame = document.createElement("div");
  frame.className = "scroll";
  frame.append(picture);
  return frame;
}

const short = (token) => ([...token].length > LONGEST ? `${[...token].slice(0, LONGEST - 1).join("")}…` : token);
