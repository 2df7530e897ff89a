// The label of a text: all labels with their probabilities, and the words that decided.

import { explanation, labelField, labels } from "../pictures/labels.js";

const OTHERS = ["tag", "embed", "translate"]; // what reads one text and has an action of its own

export default {
  name: "classify",
  needs: ["predict"],
  suits: ({ fields, abilities }) => fields?.length === 1 && !OTHERS.some((name) => abilities.includes(name)),

  fields: (model) => [
    { name: "text", kind: "text", rows: 4, file: true, value: model.examples.text },
    ...labelField("classify", model),
  ],

  request: ({ text }) => ({ path: "predict", body: { inputs: text } }),

  also: (values, model) => explanation(values.text, values, model),

  show: (answer, context) => {
    const { values, model } = context;
    return labels(answer, explanation(values.text, values, model), { text: values.text }, context);
  },
};
