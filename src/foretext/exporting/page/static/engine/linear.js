// Logistic regression on TF-IDF: words and pairs of words, or one to three characters.

import { LogisticHead } from "./logistic_head.js";
import { TfIdf } from "./tf_idf.js";

export class Linear {
  constructor(tensors) {
    this.labels = tensors.about.labels;
    this.words = new TfIdf(tensors);
    this.head = new LogisticHead(tensors, this.labels.length, tensors.about.settings.several);
  }

  /** The words of a text, or its characters. */
  parts(text) {
    return this.words.parts(text);
  }

  probabilities(text) {
    return this.head.probabilities(this.words.features(text));
  }
}
