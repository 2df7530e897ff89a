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

  show: (answer, { values: { words }, explore }) => h("div", { class: "columns" }, [...new Set(words)].map(
    (word) => bars(nearestFirst(answer[word]), {
      caption: word, head: [t("table.word"), t("table.cosine")], digits: 3,
      choose: (neighbor) => explore({ words: neighbor }),
    }),
  )),
};

/** A word such as "1914" stands at the head of an object's names, wherever it was put. */
export const nearestFirst = (near) => Object.entries(near).sort(([, one], [, other]) => other - one);
