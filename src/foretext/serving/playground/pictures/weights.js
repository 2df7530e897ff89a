// A table of words whose bars go to the right for weights above 0 and to the left for those below.

import { h, wide } from "../dom.js";
import { number } from "../language.js";

/** rows: [[word, weight], ...]; sides: what a weight above and one below 0 mean, in a word each. */
export function weights(rows, { caption, head, sides }) {
  const most = Math.max(...rows.map(([, weight]) => Math.abs(weight)), 1e-9);
  const half = (share, kind) => h("span", { class: `half ${kind}` }, wide(h("span"), share));
  const row = ([word, weight]) => h("tr", {},
    h("th", { scope: "row" }, word),
    h("td", {}, weight < 0 ? sides[1] : sides[0]),
    h("td", {}, h("span", { class: "bar-cell" },
      h("span", { class: "halves", "aria-hidden": "true" }, half(-weight / most, "below"), half(weight / most, "above")),
      h("span", { class: "number" }, signed(weight)))));
  return h("table", { class: "weights" }, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows.map(row)));
}

const signed = (weight) => (weight > 0 ? "+" : "") + number(weight, 2).replace("-", "−");
