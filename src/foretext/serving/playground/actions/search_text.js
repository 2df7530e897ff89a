// Passages of a text that a person pasted or opened, by the vectors of a model or by BM25.

import { h } from "../dom.js";
import { number, t } from "../language.js";
import { passages } from "../passages.js";
import { hits } from "../pictures/hits.js";

const last = { text: null, parts: [] };

/** The passages of a text; those of the last one are kept, for the form asks at every key. */
function parts(text) {
  if (text !== last.text) Object.assign(last, { text, parts: passages(text) });
  return last.parts;
}

export default {
  name: "search_text",
  needs: ["embed"],

  fields: ({ examples }) => [
    { name: "texts", kind: "text", rows: 7, file: true, value: examples.passage.join("\n") },
    { name: "query", kind: "line", value: examples.question },
    { name: "by", kind: "choice", options: ["vectors", "words", "both"], value: "vectors" },
    { name: "k", kind: "number", value: "5", min: 1, max: 1000 },
  ],

  request: ({ texts, query, by, k }) => ({ path: "search", body: { query, by, k, texts: parts(texts) } }),

  show: (answer, { values }) => [
    h("p", { class: "soft" }, t("search.searched", { count: number(parts(values.texts).length) })),
    hits(answer, ({ rows: [row] }) => t("search.passage", { number: number(row) })),
  ].flat(),
};
