// The labels of an answer as bars; one is chosen to see which words speak for it.

import { number, t } from "../language.js";
import { h } from "../dom.js";
import { bars } from "./bars.js";
import { explained } from "./explained.js";

/** The field for the label that is explained; none where the model does not explain itself. */
export const labelField = (action, model) => (canExplain(model) && model.labels?.length
  ? [{ name: "label", kind: "choice", options: ["", ...model.labels], value: "", optional: true }]
  : []);

/** The request for the words that decided; inputs as the model's own route takes them. */
export const explanation = (inputs, { label }, model) => (canExplain(model)
  ? [{ path: "explain", body: { inputs, label: label || null } }]
  : []);

/** A label as a page writes it; of booleans no element is made. */
const named = (label) => (typeof label === "boolean" ? String(label) : label);

const canExplain = (model) => model.abilities.includes("explain");

/** found: [{label, score}, ...] as of /predict; texts: what was asked, by names. */
export function labels(found, requests, texts, context) {
  const { model, explore } = context;
  const choose = model.labels?.length && canExplain(model) ? (label) => explore({ label }) : undefined;
  const answer = model.labels?.length
    ? bars(found.map(({ label, score }) => [named(label), score]), {
      caption: t("labels.caption"), head: [t("table.label"), t("table.probability")], most: 1, choose,
      hint: t("labels.explain"),
    })
    : h("p", { class: "figure" }, t("labels.score", { score: number(found[0].score, 4) }));
  return [answer, ...requests.map((request) => explained(request, texts, context))];
}
