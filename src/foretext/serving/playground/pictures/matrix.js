// A square table of numbers whose cells are tinted by their value.

import { h } from "../dom.js";
import { number } from "../language.js";

/** names: of rows and columns; columns show numbers, because texts are long. */
export function matrix(names, values, { caption, corner, digits = 2 }) {
  const place = (index) => h("b", {}, number(index + 1));
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    h("table", { class: "matrix" }, h("caption", {}, caption),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, corner),
        names.map((_, index) => h("th", { scope: "col", class: "number" }, place(index))))),
      h("tbody", {}, names.map((name, row) => h("tr", {},
        h("th", { scope: "row" }, place(row), " ", beginning(name)),
        values[row].map((value) => tinted(h("td", { class: "number" }, number(value, digits)), value)))))));
}

const LONGEST = 120; // characters of a name
const beginning = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name);

const STRONGEST = 55; // percent of colour, so that the number on it stays readable

function tinted(cell, value) {
  const share = Math.round(STRONGEST * Math.min(1, Math.max(0, value)));
  cell.style.background = `color-mix(in srgb, var(--bar) ${share}%, transparent)`;
  return cell;
}
