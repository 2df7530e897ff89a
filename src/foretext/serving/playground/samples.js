// What stands in a form at first, so that one click shows something. Of a classifier whose weights belong
// to words, /info has an example.

import { language } from "./language.js";

/** In the language that the model knows best; in that of the page, where the server cannot tell. */
export function sample(model, english, chinese) {
  return (model.languages?.[0] ?? language()) === "zh" ? chinese : english;
}

const ENGLISH = ["city", "water", "music", "river", "village", "song", "school", "army"];
const CHINESE = ["城市", "音乐", "河流", "学校", "经济", "电影", "军队", "大学"];

/** Words that the model knows, where /info names some. */
export function sampleWords(model, count) {
  return (model.examples ?? sample(model, ENGLISH, CHINESE)).slice(0, count);
}
