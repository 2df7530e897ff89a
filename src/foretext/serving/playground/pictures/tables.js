// Plain tables, and a place where they fold away beside a picture.

import { h } from "../dom.js";
import { t } from "../language.js";

/** A table with a head; the first cell of each row names it. Cells are strings or nodes. */
export function columns(head, rows, caption = null) {
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption ?? t("table.table") },
    h("table", {}, caption ? h("caption", {}, caption) : null,
      h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, rows.map(([first, ...others]) => h("tr", {},
        h("th", { scope: "row" }, first), others.map((cell) => h("td", {}, cell)))))));
}

/** The same as the picture above, for those who do not see it and those who copy numbers. */
export const folded = (table, name = t("table.as_table")) => h("details", {}, h("summary", {}, name), table);
