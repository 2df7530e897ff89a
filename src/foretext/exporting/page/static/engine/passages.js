// The passages of an index: their texts, where they stand, and those whose vectors are nearest to a query's.

import { Rows, best, unit } from "./vectors.js";

const UNKNOWN = "the model knows no word of this query"; // as Python has it

export class Passages {
  constructor(tensors) {
    this.texts = tensors.json("passages");
    this.places = tensors.json("places");
    this.rows = new Rows(tensors.matrix("passages.vectors"));
    this.lengths = this.rows.lengths();
  }

  /** The cosine of each passage with a vector; of a passage without a vector, or with zeros, -Infinity. */
  cosines(vector) {
    const wanted = unit(vector);
    const isKnown = wanted.some((value) => value !== 0);
    return this.rows.products(wanted).map((product, row) => (isKnown && this.lengths[row] ? product / this.lengths[row] : -Infinity));
  }

  /** What a page answers to a query by its vector. */
  found(query, vector, count) {
    const cosines = this.cosines(vector);
    const results = nearest(cosines, count).map((row) => ({
      score: cosines[row], cosine: cosines[row], bm25: null, text: this.texts[row], ...this.places[row],
    }));
    return { query, results, notes: vector.some((value) => value !== 0) ? [] : [UNKNOWN] };
  }
}

/** The rows of the highest cosines, best first. */
export const nearest = (cosines, count) => best(cosines, count, (row) => cosines[row] === -Infinity);
