// The label or the score of two texts, and the words of both that decided.

import { explanation, labelField, labels } from "../pictures/labels.js";
import { sample } from "../samples.js";

const ENGLISH = ["The company said its profit rose by ten percent.", "Profit was up 10 percent, the company said."];
const CHINESE = ["这款手机的电池能用多久？", "这个手机充一次电可以用几天？"];

const inputs = ({ text_a, text_b }) => [text_a, text_b];

export default {
  name: "pairs",
  needs: ["predict"],
  suits: ({ fields, abilities }) => fields?.length === 2 && !abilities.includes("answer"),

  fields: (model) => {
    const [first, second] = sample(model, ENGLISH, CHINESE);
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
