// check.html: the answers of the model in this browser, beside those that Python gave.

import { compare } from "../engine/check.js";
import { opened } from "../engine/models.js";
import { h } from "../playground/dom.js";
import { language, number, t } from "../playground/language.js";
import { modelFile } from "./model_file.js";

const PAUSE = 30; // milliseconds, in which the page is drawn

const show = (...nodes) => document.getElementById("work").replaceChildren(h("h1", {}, t("check.title")), ...nodes);

async function run() {
  document.documentElement.lang = language() === "zh" ? "zh-Hans" : language();
  document.title = `${t("check.title")} · foretext`;
  show(h("p", { role: "status" }, t("check.running")));
  await new Promise((go) => setTimeout(go, PAUSE));
  const wanted = globalThis.foretextWanted;
  try {
    const { model } = opened(await modelFile());
    drawn(compare(model, wanted), wanted.bound);
  } catch (error) {
    show(h("p", { class: "refusal", role: "alert" }, String(error)));
  }
}

function drawn({ texts, numbers, largest, faults }, bound) {
  const values = { texts: number(texts), numbers: number(numbers), largest: largest.toExponential(1), bound };
  if (!faults.length) return show(h("p", { role: "status", class: "right" }, t("check.right", values)));
  return show(
    h("p", { role: "alert", class: "refusal" }, t("check.wrong", values)),
    h("ul", { class: "faults" }, faults.map((fault) => h("li", {}, fault))),
  );
}

run();
