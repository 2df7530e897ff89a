// The actions of the playground, in the order of the menu.
//
// An action is one file with a default export, and a row here:
//
//   name      "neighbors". It stands in the address and begins its texts in words.en.js and
//             words.zh.js: "neighbors.title" and "neighbors.hint" must be there.
//   needs     ["neighbors"]: abilities that a model must have, as /info names them.
//   suits     optional, (model) => boolean: what else a model must be, such as one of two fields.
//   fields    (model) => [field, ...]: the form; form.js says what a field is. What stands in a field
//             at first is of model.examples, which are in the language of the model.
//   request   (values, model) => ({path: "neighbors", body}): what is sent, and what the panel of
//             code shows. The model's name is added, and what is null or undefined is left out.
//   also      optional, (values, model) => [request, ...]: what `show` asks for besides; the
//             panel of code shows them too.
//   show      (answer, context) => node or [node, ...], or a promise of them: draws the answer.
//   stream    instead of `show`, for server-sent events: (context) => ({node, add, end});
//             add(event) and end() return what the line of status says.
//   python    optional, (request, stream) => text: a better Python call than by `requests`.
//
// context has values, model, headers (of the reply), signal, call(request) for more requests,
// and explore({field: string}), which fills the form and runs again.
// Draw by h and svg of dom.js, never from HTML; pictures/ has bars and tables. Every picture has a
// table or a text that says the same.

import analogy from "./analogy.js";
import answer from "./answer.js";
import attention from "./attention.js";
import classify from "./classify.js";
import fill from "./fill.js";
import generate from "./generate.js";
import map from "./map.js";
import neighbors from "./neighbors.js";
import pairs from "./pairs.js";
import search from "./search.js";
import searchText from "./search_text.js";
import similarity from "./similarity.js";
import tags from "./tags.js";
import tokenize from "./tokenize.js";
import translate from "./translate.js";

export const actions = [
  neighbors, map, analogy, fill, generate, classify, pairs, tags, answer, translate, search,
  similarity, searchText, attention, tokenize,
];
