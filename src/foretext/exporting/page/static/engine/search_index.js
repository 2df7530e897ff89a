// An index of word vectors in use: passages by the cosine of their vectors with that of a query.

import { Passages } from "./passages.js";
import { WordVectors } from "./word_vectors.js";

export class SearchIndex {
  constructor(tensors) {
    this.words = new WordVectors(tensors);
    this.weights = tensors.has("weights") ? tensors.stored("weights") : null;
    this.passages = new Passages(tensors);
  }

  parts(text) {
    return this.words.parts(text);
  }

  embed(text) {
    return this.words.embed(text.normalize("NFC"), this.weights);
  }

  /** The requests of a page, by path. */
  get answers() {
    return { search: ({ query, k }) => this.passages.found(query, this.embed(query), k) };
  }
}
