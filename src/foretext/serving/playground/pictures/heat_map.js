// Weights between tokens as tinted squares: a row for the token that looks, a column for what it sees.

import { h, svg } from "../dom.js";
import { number } from "../language.js";

const LARGEST = 26; // pixels of a square
const SMALLEST = 12;
const WIDE = 560; // pixels that the picture should fill at most
const NARROW = 322;
const LETTER = 7; // pixels; a Chinese character takes more
const LONGEST = 12; // characters of a label
const FONT = 11.5; // pixels, unless squares are smaller

/** weights: (T, T) or more, of which the first tokens are shown; label: what it is, in words. */
export function heatMap(tokens, weights, label) {
  const room = matchMedia("(max-width: 800px)").matches ? NARROW : WIDE;
  const edge = 10 + Math.max(...tokens.map((token) => wide(short(token))));
  const side = Math.max(SMALLEST, Math.min(LARGEST, Math.floor((room - edge) / tokens.length)));
  const size = edge + side * tokens.length;
  const most = Math.max(...tokens.map((_, row) => Math.max(...weights[row].slice(0, tokens.length))), 1e-9);
  const at = (index) => edge + side * index;
  const squares = tokens.flatMap((from, row) => tokens.map((to, column) => svg("rect", {
    x: at(column), y: at(row), width: side - 1, height: side - 1, "fill-opacity": (weights[row][column] / most).toFixed(3),
  }, svg("title", {}, `${from} → ${to}: ${number(weights[row][column], 3)}`))));
  const names = tokens.flatMap((token, index) => [
    svg("text", { x: edge - 6, y: at(index) + side / 2 + 4, "text-anchor": "end" }, short(token)),
    svg("text", { transform: `translate(${at(index) + side / 2 + 4} ${edge - 6}) rotate(-90)` }, short(token)),
  ]);
  const picture = svg("svg", {
    class: "heat-map", width: size, height: size, viewBox: `0 0 ${size} ${size}`, role: "img", "font-size": Math.min(FONT, side - 2), "aria-label": label,
  }, svg("rect", { class: "ground", x: edge, y: edge, width: size - edge, height: size - edge }), squares, names);
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, picture);
}

const wide = (text) => [...text].reduce((sum, letter) => sum + (letter > "\u2e80" ? 12 : LETTER), 0);
const short = (token) => ([...token].length > LONGEST ? `${[...token].slice(0, LONGEST - 1).join("")}…` : token);
