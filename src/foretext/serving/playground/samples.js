// What stands in a form at first, so that one click shows something.

import { language } from "./language.js";

/** Chinese for a model that reads Chinese, as far as the server knows; else as the page. */
export function sample(model, english, chinese) {
  const known = model.languages;
  const isChinese = known?.length ? known.includes("zh") && !known.includes("en") : language() === "zh";
  return isChinese ? chinese : english;
}

const ENGLISH = ["city", "water", "music", "river", "village", "song", "school", "army"];
const CHINESE = ["城市", "音乐", "河流", "学校", "经济", "电影", "军队", "大学"];

/** Words that the model knows, where /info names some. */
export function sampleWords(model, count) {
  return (model.examples ?? sample(model, ENGLISH, CHINESE)).slice(0, count);
}
