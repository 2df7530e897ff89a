// The panel beside an action: what this page is. A page without a server has no code to call it by.

import { h } from "../playground/dom.js";
import { number, t } from "../playground/language.js";

export const curl = () => "";
export const python = () => "";
export const pythonValue = (value) => JSON.stringify(value);

export class CodePanel {
  constructor() {
    this.node = h("section", { class: "code about", "aria-labelledby": "about-title" },
      h("h2", { id: "about-title" }, t("page.title")),
      h("p", { class: "soft" }, t("page.private")),
      h("p", { class: "soft" }, t("page.offline")),
      checked());
  }

  show() {}
}

/** How the page's answers compare with Python's, where they were compared when it was written. */
function checked() {
  const said = document.querySelector("meta[name=foretext-check]")?.content;
  if (!said) return null;
  const [texts, largest] = said.split(" ").map(Number);
  return h("p", { class: "soft" }, t("page.checked", { texts: number(texts), largest: number(largest, 5) }));
}
