// Passages of a text that a person pasted or opened, by the vectors of a model or by BM25.

import { h } from "../dom.js";
import { number, t } from "../language.js";
import { passages } from "../passages.js";
import { hits } from "../pictures/hits.js";
import { sample } from "../samples.js";

const ENGLISH = ["The museum is open from nine to five.", "Children under six need no ticket.",
  "Trains leave from the main station every hour.", "A guide shows the paintings on Sundays."];
const CHINESE = ["博物馆每天九点开放，下午五点关闭。", "六岁以下儿童免票。", "火车每小时从中央车站发出一班。", "每周日有导游讲解绘画作品。"];

const last = { text: null, parts: [] };

/** The passages of a text; those of the last one are kept, for the form asks at every key. */
function parts(text) {
  if (text !== last.text) Object.assign(last, { text, parts: passages(text) });
  return last.parts;
}

export default {
  name: "search_text",
  needs: ["embed"],

  fields: (model) => [
    { name: "texts", kind: "text", rows: 7, file: true, value: sample(model, ENGLISH, CHINESE).join("\n") },
    { name: "query", kind: "line", value: sample(model, "When does the museum open?", "博物馆几点开门？") },
    { name: "by", kind: "choice", options: ["vectors", "words", "both"], value: "vectors" },
    { name: "k", kind: "number", value: "5", min: 1, max: 1000 },
  ],

  request: ({ texts, query, by, k }) => ({ path: "search", body: { query, by, k, texts: parts(texts) } }),

  show: (answer, { values }) => [
    h("p", { class: "soft" }, t("search.searched", { count: number(parts(values.texts).length) })),
    hits(answer, ({ rows: [row] }) => t("search.passage", { number: number(row) })),
  ].flat(),
};
