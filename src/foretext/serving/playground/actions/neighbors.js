// The words nearest to others. A neighbour can be chosen to go on from there.

import { h } from "../dom.js";
import { t } from "../language.js";
import { bars } from "../pictures/bars.js";

export default {
  name: "neighbors",
  needs: ["neighbors"],

  fields: ({ examples }) => [
    { name: "words", kind: "words", value: examples.words.slice(0, 2).join(" ") },
    { name: "k", kind: "number", value: "10", min: 1, max: 100 },
  ],

  request: ({ words, k }) => ({ path: "neighbors", body: { words, k } }),

  show: (answer, { explore }) => h("div", { class: "columns" }, Object.entries(answer).map(
    ([word, near]) => bars(Object.entries(near), {
      caption: word, head: [t("table.word"), t("table.cosine")], digits: 3,
      choose: (neighbor) => explore({ words: neighbor }),
    }),
  )),
};
