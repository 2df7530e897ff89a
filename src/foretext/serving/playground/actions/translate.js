// What a text becomes: its translation, its summary, or whatever else the model has learned to write.

import { h } from "../dom.js";
import { number, t } from "../language.js";
import { alignment } from "../pictures/alignment.js";

const canAlign = (model) => model.abilities.includes("alignment");

export default {
  name: "translate",
  needs: ["translate"],

  fields: (model) => [
    { name: "inputs", kind: "text", rows: 3, file: true, value: model.examples.text },
    { name: "k", kind: "number", value: "1", min: 1, max: 20 },
    { name: "num_beams", kind: "number", value: "4", min: 1, max: 100 },
    { name: "max_new_tokens", kind: "number", min: 1, max: 1024, optional: true },
    ...(canAlign(model) ? [{ name: "alignment", kind: "check", value: "yes" }] : []),
  ],

  request: (values) => ({ path: "translate", body: values }),

  show: ({ outputs, alignment: found }) => [
    h("ol", { class: "outputs" }, outputs.map(output)),
    found?.target_tokens.length ? alignment(found.source_tokens, found.target_tokens, found.weights) : null,
  ].filter(Boolean),
};

const output = ({ text, score, ended }) => h("li", {},
  h("p", { class: "text sentence" }, text || t("translate.nothing")),
  h("p", { class: "soft" },
    [score === null ? null : t("translate.score", { score: number(score, 3) }), ended ? null : t("translate.cut")]
      .filter(Boolean).join(" ")));
