import tasks from "../playground/words.tasks.zh.js";

export default {
  ...tasks,
  "classify.hint": "给出文本的标签和各标签的概率。",
};
