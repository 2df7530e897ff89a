// The words that decided on an answer: marked in the text, and as a table. A solid line is under
// words that speak for the label, a dashed one under those against it, for who sees no colours.

import { h } from "../dom.js";
import { refusal } from "../errors.js";
import { has, number, t } from "../language.js";
import { marked, tinted } from "./marked.js";
import { weights } from "./weights.js";

const MOST = 12; // words in the table
const FAINTEST = 0.1; // of the largest weight; words below it are not marked

/** A place that asks `request` and shows the words; texts: those of the request by their names. */
export function explained(request, texts, { call, signal }) {
  const place = h("section", { class: "explained stack", "aria-busy": "true" },
    h("p", { class: "soft" }, t("explain.running")));
  call(request).then(({ answer }) => drawn(answer, texts), refusal).then((nodes) => {
    if (signal.aborted) return;
    place.removeAttribute("aria-busy");
    place.replaceChildren(...[nodes].flat());
  });
  return place;
}

function drawn({ words, label, method, predictions }, texts) {
  const most = Math.max(...words.map(({ weight }) => Math.abs(weight)), 1e-9);
  const heavy = words.filter(({ weight }) => Math.abs(weight) > FAINTEST * most);
  if (!heavy.length) return h("p", {}, t("explain.none"));
  const several = Object.keys(texts).length > 1;
  const of = (name) => heavy.filter(({ field }) => !several || field === name);
  const ranked = [...heavy].sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight));
  const how = `explain.${method}`;
  return [
    h("h2", {}, label === null ? t("explain.title") : t("explain.label", { label })),
    Object.entries(texts).map(([name, text]) => h("p", { class: "text" },
      several ? h("span", { class: "soft" }, `${t(`field.${name}`)}: `) : null,
      marked(text, of(name), ({ weight }, word) => decisive(word, weight / most, number(weight, 3))))),
    h("p", { class: "legend" },
      h("span", {}, decisive(t("explain.word"), 1), ` ${t("explain.for")}`),
      h("span", {}, decisive(t("explain.word"), -1), ` ${t("explain.against")}`)),
    weights(ranked.slice(0, MOST).map((word) => [several ? placed(word) : word.text, word.weight]), {
      caption: t("explain.heaviest"), sides: [t("explain.yes"), t("explain.no")],
      head: [t("table.word"), t("explain.side"), t("explain.weight")],
    }),
    has(how) ? h("p", { class: "soft" }, t(how, { count: number(predictions) })) : null,
  ].flat().filter(Boolean);
}

/** A word with the name of its text. */
const placed = ({ text, field }) => [text, h("span", { class: "soft" }, ` · ${t(`field.${field}`)}`)];

/** share: of the largest weight, from -1 to 1. */
function decisive(word, share, title = null) {
  const [kind, color] = share > 0 ? ["above", "var(--series-1)"] : ["below", "var(--series-4)"];
  return tinted(h("mark", { class: `decisive ${kind}`, title }, word), color, Math.abs(share));
}
