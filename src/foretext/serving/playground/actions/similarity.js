// How similar texts are: the cosine of the vectors of each two.

import { h } from "../dom.js";
import { number, t } from "../language.js";
import { matrix } from "../pictures/matrix.js";

export default {
  name: "similarity",
  needs: ["embed"],

  fields: ({ examples: { pair, passage } }) => [
    { name: "inputs", kind: "lines", rows: 5, file: true, value: [...pair, passage.at(-1)].join("\n") },
  ],

  request: ({ inputs }) => ({ path: "embed", body: { inputs, normalize: true } }),

  show: (vectors, { values: { inputs } }) => {
    const cosines = vectors.map((one) => vectors.map((other) => cosine(one, other)));
    return [
      inputs.length > 1 ? h("p", {}, nearest(cosines)) : null,
      matrix(inputs, cosines, { caption: t("similarity.caption"), corner: t("table.text") }),
      h("p", { class: "soft" }, t("similarity.size", { size: number(vectors[0].length) })),
    ].filter(Boolean);
  },
};

function cosine(one, other) {
  const dot = (left, right) => left.reduce((sum, value, place) => sum + value * right[place], 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other) || 1);
}

function nearest(cosines) {
  const pairs = cosines.flatMap((row, a) => row.slice(0, a).map((value, b) => ({ value, a: a + 1, b: b + 1 })));
  const { value, a, b } = pairs.reduce((best, pair) => (pair.value > best.value ? pair : best));
  return t("similarity.nearest", { a: number(b), b: number(a), cosine: number(value, 3) });
}
