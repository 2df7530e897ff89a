// The tokens of a text, as the model reads them, with their ids.

import { h } from "../dom.js";
import { number, t } from "../language.js";
import { columns, folded } from "../pictures/tables.js";

export default {
  name: "tokenize",
  needs: ["tokenize"],

  fields: ({ examples }) => [
    { name: "inputs", kind: "text", rows: 4, file: true, value: examples.text },
  ],

  request: ({ inputs }) => ({ path: "tokenize", body: { inputs: [inputs] } }),

  show: ([tokens], { values: { inputs } }) => {
    const read = tokens.filter(({ special }) => !special).length;
    const characters = [...inputs].length;
    return [
      h("p", {}, t("tokenize.count", {
        tokens: number(tokens.length), special: number(tokens.length - read),
        rate: number(characters / Math.max(read, 1), 2),
      })),
      h("ol", { class: "tokens" }, tokens.map(chip)),
      folded(columns(
        [t("table.token"), t("tokenize.id"), t("tokenize.from"), t("tokenize.to")],
        tokens.map(({ text, id, start, stop }) => [text, String(id), String(start ?? ""), String(stop ?? "")]),
      )),
    ];
  },
};

const chip = ({ text, id, special }) => h("li", { class: special ? "special" : "" },
  h("span", {}, visible(text)), h("small", {}, String(id)));

/** Blanks and line ends that one can see. */
const visible = (text) => text.replaceAll("\n", "⏎").replaceAll("\t", "⇥").replaceAll(" ", "·") || "∅";
