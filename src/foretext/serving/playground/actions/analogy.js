// "a is to b as c is to ...": the words nearest to b - a + c.

import { t } from "../language.js";
import { bars } from "../pictures/bars.js";
import { nearestFirst } from "./neighbors.js";

export default {
  name: "analogy",
  needs: ["analogy"],

  fields: ({ examples }) => {
    const [a, b, c] = examples.analogy;
    return [
      { name: "a", kind: "line", value: a, beside: true },
      { name: "b", kind: "line", value: b, beside: true },
      { name: "c", kind: "line", value: c, beside: true },
      { name: "k", kind: "number", value: "10", min: 1, max: 100 },
    ];
  },

  request: ({ a, b, c, k }) => ({
    path: "analogy", body: { a: a.trim(), b: b.trim(), c: c.trim(), k },
  }),

  show: (answer, { values, explore }) => bars(nearestFirst(answer), {
    caption: t("analogy.sentence", values),
    head: [t("table.word"), t("table.cosine")],
    choose: (word) => explore({ c: word }),
  }),
};
