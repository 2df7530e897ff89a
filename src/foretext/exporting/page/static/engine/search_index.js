// An index in use: passages by the cosine of their vectors with that of a query.

import { Rows, best, unit } from "./vectors.js";
import { WordVectors } from "./word_vectors.js";

const UNKNOWN = "the model knows no word of this query"; // as Python has it

export class SearchIndex {
  constructor(tensors) {
    this.words = new WordVectors(tensors);
    this.weights = tensors.has("weights") ? tensors.stored("weights") : null;
    this.passages = tensors.json("passages");
    this.places = tensors.json("places");
    this.rows = new Rows(tensors.matrix("passages.vectors"));
    this.lengths = this.rows.lengths();
  }

  parts(text) {
    return this.words.parts(text);
  }

  embed(text) {
    return this.words.embed(text.normalize("NFC"), this.weights);
  }

  /** The cosine of each passage with a query; of a passage without a vector, or for a query without one, -Infinity. */
  cosines(query) {
    const vector = unit(this.embed(query));
    const isKnown = vector.some((value) => value !== 0);
    return this.rows.products(vector).map((product, row) => (isKnown && this.lengths[row] ? product / this.lengths[row] : -Infinity));
  }

  /** The requests of a page, by path. */
  get answers() {
    return { search: ({ query, k }) => this.found(query, k) };
  }

  found(query, count) {
    const cosines = this.cosines(query);
    const results = nearest(cosines, count).map((row) => ({
      score: cosines[row], cosine: cosines[row], bm25: null, text: this.passages[row], ...this.places[row],
    }));
    const isKnown = this.embed(query).some((value) => value !== 0);
    return { query, results, notes: isKnown ? [] : [UNKNOWN] };
  }
}

/** The rows of the highest cosines, best first. */
export const nearest = (cosines, count) => best(cosines, count, (row) => cosines[row] === -Infinity);
