// Words and their neighbours as points of a plane.

import { number, t } from "../language.js";
import { columns, folded } from "../pictures/tables.js";
import { wordMap } from "../pictures/word_map.js";

export default {
  name: "map",
  needs: ["map"],

  fields: ({ examples }) => [
    { name: "words", kind: "words", value: examples.words.slice(0, 8).join(" ") },
    { name: "neighbors", kind: "number", value: "5", min: 0, max: 30 },
  ],

  request: ({ words, neighbors }) => ({ path: "map", body: { words, neighbors } }),

  show: ({ points }) => [
    wordMap(points, t("map.picture", { count: number(points.length) })),
    folded(columns(
      [t("table.word"), "x", "y", t("map.role")],
      points.map(({ word, x, y, given }) => [
        word, number(x, 3), number(y, 3), t(given ? "map.given" : "map.neighbor"),
      ]),
    )),
  ],
};
