// A table of names and numbers with a bar in each row.

import { h, wide } from "../dom.js";
import { number, t } from "../language.js";

/**
 * rows     [[name, value], ...]; a name is a string or a node
 * caption  above the table
 * head     the two names of columns
 * most     the value of a full bar; the largest value if it is not given
 * digits   after the point
 * choose   (name) => ...: makes the names buttons; hint says what they do
 */
export function bars(rows, { caption, head, most, digits = 3, choose, hint }) {
  const full = most ?? Math.max(...rows.map(([, value]) => value), 1e-9);
  const row = ([name, value]) => h("tr", {},
    h("th", { scope: "row" }, choose ? chooser(name, choose, hint) : name),
    h("td", {}, h("span", { class: "bar-cell" },
      h("span", { class: "track", "aria-hidden": "true" }, wide(h("span", { class: "bar" }), value / full)),
      h("span", { class: "number" }, number(value, digits)))));
  return h("table", { class: "bars" }, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, head[0]), h("th", { scope: "col" }, head[1]))),
    h("tbody", {}, rows.map(row)));
}

const chooser = (name, choose, hint = t("table.explore")) => h("button", {
  type: "button", class: "word", title: hint, onclick: () => choose(name),
}, name);
