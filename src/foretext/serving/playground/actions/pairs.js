// The label or the score of two texts, and the words of both that decided.

import { explanation, labelField, labels } from "../pictures/labels.js";

const inputs = ({ text_a, text_b }) => [text_a, text_b];

export default {
  name: "pairs",
  needs: ["predict"],
  suits: ({ fields, abilities }) => fields?.length === 2 && !abilities.includes("answer"),

  fields: (model) => {
    const [first, second] = model.examples.pair;
    return [
      { name: "text_a", kind: "text", rows: 2, value: first },
      { name: "text_b", kind: "text", rows: 2, value: second },
      ...labelField("pairs", model),
    ];
  },

  request: (values) => ({ path: "predict", body: { inputs: inputs(values) } }),

  also: (values, model) => explanation(inputs(values), values, model),

  show: (answer, context) => {
    const { values, model } = context;
    const { text_a, text_b } = values;
    return labels(answer, explanation(inputs(values), values, model), { text_a, text_b }, context);
  },
};
