// The actions of the playground that a model in a page answers; ../../playground/actions/index.js says what one is.

import analogy from "../../playground/actions/analogy.js";
import answer from "../../playground/actions/answer.js";
import classify from "../../playground/actions/classify.js";
import neighbors from "../../playground/actions/neighbors.js";
import pairs from "../../playground/actions/pairs.js";
import similarity from "../../playground/actions/similarity.js";
import tags from "../../playground/actions/tags.js";
import search from "./search.js";
import searchText from "./search_text.js";

export const actions = [neighbors, analogy, classify, pairs, tags, answer, similarity, search, searchText];
