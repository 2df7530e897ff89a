// The answer to a question, marked in the passage where it stands; or that there is none.

import { h } from "../dom.js";
import { number, t } from "../language.js";
import { bars } from "../pictures/bars.js";
import { marked } from "../pictures/marked.js";

export default {
  name: "answer",
  needs: ["answer"],

  fields: ({ examples }) => [
    { name: "question", kind: "line", value: examples.question },
    { name: "passage", kind: "text", rows: 6, file: true, value: examples.passage.join("\n") },
    { name: "k", kind: "number", value: "3", min: 1, max: 20 },
  ],

  request: ({ question, passage, k }) => ({ path: "answer", body: { question, passage, k } }),

  show: ({ answers, context: passage }) => {
    const place = h("p", { class: "text" });
    const said = h("p", { class: "sentence", role: "status" });
    const rows = answers.map((answer, rank) => [`${rank + 1}. ${name(answer)}`, answer.probability ?? 0]);
    const table = bars(rows, {
      caption: t("answer.all"), head: [t("table.answer"), t("table.probability")], most: 1,
      choose: (row) => show(rows.findIndex(([one]) => one === row)), hint: t("answer.choose"),
    });
    const buttons = [...table.querySelectorAll("button")];
    function show(rank) {
      said.replaceChildren(h("strong", {}, name(answers[rank])), share(answers[rank]));
      place.replaceChildren(...within(passage, answers[rank]));
      buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === rank)));
    }
    if (!answers.length) return h("p", {}, t("answer.none"));
    show(0);
    return [said, place, table];
  },
};

const name = ({ text }) => text || t("answer.none");

const share = ({ probability }) => (probability === null
  ? ""
  : h("span", { class: "soft" }, ` ${t("answer.probability", { share: number(100 * probability, 1) })}`));

const within = (passage, { start, end }) => (start === null
  ? [passage]
  : marked(passage, [{ start, end }], (_, text) => h("mark", { class: "found" }, text)));
