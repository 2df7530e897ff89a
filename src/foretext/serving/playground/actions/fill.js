// What a masked language model reads at each [MASK], with probabilities.

import { h } from "../dom.js";
import { number, t } from "../language.js";
import { bars } from "../pictures/bars.js";

const MASK = "[MASK]"; // whatever the tokenizer calls it

export default {
  name: "fill",
  needs: ["fill"],

  fields: ({ examples }) => [
    { name: "inputs", kind: "text", rows: 3, insert: MASK, value: examples.blank },
    { name: "k", kind: "number", value: "8", min: 1, max: 50 },
  ],

  request: ({ inputs, k }) => ({ path: "fill", body: { inputs, k } }),

  show: (masks, { values, explore }) => [
    h("p", { class: "sentence" }, filled(values.inputs, masks)),
    h("div", { class: "columns" }, masks.map((answers, place) => table(answers, place, masks.length, explore))),
  ],
};

/** The text with the likeliest token at each mask. */
function filled(text, masks) {
  const parts = text.split(MASK);
  return parts.flatMap((part, place) => {
    const best = masks[place]?.[0];
    return place + 1 < parts.length && best ? [part, h("mark", {}, bare(best.token))] : [part];
  });
}

const bare = (token) => token.replace(/^(##|▁|Ġ)/, "");

/** With several masks, a token can be chosen: the others are read again beside it. */
function table(answers, place, count, explore) {
  const texts = new Map(answers.map(({ token, text }) => [token, text]));
  return bars(answers.map(({ token, probability }) => [token, probability]), {
    caption: count > 1 ? t("fill.mask", { place: number(place + 1) }) : t("fill.likeliest"),
    head: [t("table.token"), t("table.probability")],
    most: 1,
    choose: count > 1 ? (token) => explore({ inputs: texts.get(token) }) : undefined,
  });
}
