// The label of a text: all labels with their probabilities, and the words that decided.

import { explanation, labelField, labels } from "../pictures/labels.js";
import { sample } from "../samples.js";

const ENGLISH = "A wonderful film with great actors, but the end is far too long.";
const CHINESE = "演员很出色，故事也感人，只是结尾太拖沓。";
const OTHERS = ["tag", "embed", "translate"]; // what reads one text and has an action of its own

export default {
  name: "classify",
  needs: ["predict"],
  suits: ({ fields, abilities }) => fields?.length === 1 && !OTHERS.some((name) => abilities.includes(name)),

  fields: (model) => [
    { name: "text", kind: "text", rows: 4, file: true, value: model.example ?? sample(model, ENGLISH, CHINESE) },
    ...labelField("classify", model),
  ],

  request: ({ text }) => ({ path: "predict", body: { inputs: text } }),

  also: (values, model) => explanation(values.text, values, model),

  show: (answer, context) => {
    const { values, model } = context;
    return labels(answer, explanation(values.text, values, model), { text: values.text }, context);
  },
};
