import tasks from "../playground/words.tasks.en.js";

export default {
  ...tasks,
  "classify.hint": "The label of a text, with the probability of each label.",
};
