// Passages of a served index that answer a query.

import { t } from "../language.js";
import { hits } from "../pictures/hits.js";

export default {
  name: "search",
  needs: ["search"],
  suits: ({ abilities }) => !abilities.includes("embed"),

  fields: ({ examples }) => [
    { name: "query", kind: "line", value: examples.question },
    { name: "by", kind: "choice", options: ["vectors", "words", "both"], value: "vectors" },
    { name: "k", kind: "number", value: "10", min: 1, max: 1000 },
  ],

  request: ({ query, by, k }) => ({ path: "search", body: { query, by, k } }),

  show: (answer) => hits(answer, where),
};

/** The file and the lines or rows of a hit; `others` are further places of the same text. */
function where({ source, lines, rows, others }) {
  const [first, last] = lines ?? rows;
  const place = t(lines ? "search.lines" : "search.rows", { source, place: first === last ? first : `${first}–${last}` });
  return others.length ? `${place} ${t("search.others", { count: others.length })}` : place;
}
