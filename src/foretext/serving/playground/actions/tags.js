// Names, places and other entities of a text, marked where they stand; or the tag of each token.

import { h } from "../dom.js";
import { number, t } from "../language.js";
import { marked } from "../pictures/marked.js";
import { columns } from "../pictures/tables.js";

const KINDS = 5; // colours; the label stands beside each mark, so that two may share one

export default {
  name: "tags",
  needs: ["tag"],

  fields: ({ examples }) => [
    { name: "inputs", kind: "text", rows: 4, file: true, value: examples.names },
  ],

  request: ({ inputs }) => ({ path: "tag", body: { inputs } }),

  show: (answer) => {
    const { text, spans = [], tags = [] } = answer;
    if (tags.length) return tokens(tags);
    return spans.length ? entities(text, spans) : h("p", {}, t("tags.none"));
  },
};

function entities(text, spans) {
  const names = [...new Set(spans.map(({ label }) => label))].sort();
  const kind = (label) => `entity kind-${(names.indexOf(label) % KINDS) + 1}`;
  const mark = (label, word) => h("mark", { class: kind(label) }, word, h("small", {}, label));
  const count = (name) => spans.filter(({ label }) => label === name).length;
  const rows = spans.map(({ text: word, label, probability }) => [
    word, label, probability === null ? "" : number(probability, 3),
  ]);
  return [
    h("p", { class: "text sentence" }, marked(text, spans, ({ label }, word) => mark(label, word))),
    h("ul", { class: "legend", "aria-label": t("tags.legend") },
      names.map((name) => h("li", {}, h("span", { class: `dot ${kind(name)}`, "aria-hidden": "true" }), `${name}: ${number(count(name))}`))),
    columns([t("tags.entity"), t("table.label"), t("table.probability")], rows, t("tags.found")),
  ];
}

function tokens(tags) {
  return [
    h("p", { class: "tagged" }, tags.map(([token, tag]) => [h("ruby", {}, token, h("rt", {}, tag)), " "])),
    columns([t("table.token"), t("tags.tag")], tags, t("tags.all")),
  ];
}
