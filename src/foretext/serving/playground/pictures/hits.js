// Passages that were found, the best first, with the words of the query marked in them.

import { h, wide } from "../dom.js";
import { number, t } from "../language.js";

const LONGEST = 600; // characters of a passage at first
const FREQUENT = new Set(("a an and are as at be by for from how in is it of on or that the this to was what when where which "
  + "who with 的 了 是 在 和 与 或 也 吗 呢 什么 怎么 哪里 谁 有 被 把 对 为 这 那").split(" "));

/** answer: as of /search; where: (hit) => text, the place of a hit. */
export function hits({ query, results, notes }, where) {
  const notices = notes.map((note) => h("p", { class: "soft" }, t("search.note", { note })));
  if (!results.length) return [h("p", {}, t("search.none")), ...notices];
  const wanted = wordsOf(query);
  const most = Math.max(...results.map(({ score }) => score), 1e-9);
  return [
    ...notices,
    h("ol", { class: "hits" }, results.map((hit) => h("li", {},
      h("div", { class: "row" },
        h("span", { class: "soft" }, where(hit)),
        h("span", { class: "track", "aria-hidden": "true" }, wide(h("span", { class: "bar" }), hit.score / most)),
        h("span", { class: "number" }, h("span", { class: "unseen" }, `${t("search.score")} `), number(hit.score, 3))),
      passage(hit.text, wanted)))),
  ];
}

/** Words in small letters, as Unicode divides a text; of Chinese by the browser's dictionary. */
function* segments(text) {
  for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)) {
    yield [segment, isWordLike ? segment.toLowerCase() : null];
  }
}

function wordsOf(query) {
  const words = [...segments(query)].map(([, word]) => word).filter(Boolean);
  const rare = words.filter((word) => !FREQUENT.has(word));
  return new Set(rare.length ? rare : words);
}

function passage(text, wanted) {
  const start = text.slice(0, LONGEST);
  const shown = h("p", { class: "text" }, highlighted(start, wanted));
  if (start === text) return shown;
  const more = h("button", { type: "button", class: "quiet", onclick: () => shown.replaceChildren(...highlighted(text, wanted)) },
    t("search.more"));
  shown.append(" … ", more);
  return shown;
}

const highlighted = (text, wanted) => [...segments(text)].map(
  ([segment, word]) => (wanted.has(word) ? h("mark", {}, segment) : segment),
);
