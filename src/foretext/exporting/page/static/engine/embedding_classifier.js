// Views of a text, vectors that stay as they are and words, and logistic regressions on them, whose probabilities are mixed.

import { DocumentVectors } from "./document_vectors.js";
import { LogisticHead } from "./logistic_head.js";
import { Part } from "./tensors.js";
import { TfIdf } from "./tf_idf.js";
import { sum } from "./vectors.js";
import { WordVectors } from "./word_vectors.js";

/** The vector of a text, without what the texts of the training have in common. */
class VectorView {
  constructor(tensors, Model) {
    this.model = new Model(tensors);
    this.size = this.model.dim;
    this.weights = tensors.has("weights") ? tensors.stored("weights") : null; // of words
    this.direction = tensors.has("direction") ? tensors.stored("direction") : null;
  }

  parts(text) {
    return this.model.parts(text);
  }

  features(text) {
    const vector = this.model.embed(text, this.weights);
    const own = this.direction ? sum(this.size, [vector, this.direction], [1, -dot(vector, this.direction)]) : vector;
    return [...own].map((value, index) => [index, value]);
  }
}

const VIEWS = {
  words: (tensors) => new TfIdf(tensors),
  "word vectors": (tensors) => new VectorView(tensors, WordVectors),
  "document vectors": (tensors) => new VectorView(tensors, DocumentVectors),
};

export class EmbeddingClassifier {
  constructor(tensors) {
    const { form, several, views, heads } = tensors.about.settings;
    this.labels = tensors.about.labels;
    this.form = form; // of Unicode, which texts are brought into
    this.views = views.map(({ name, kind, settings }) => VIEWS[kind](new Part(tensors, name, settings)));
    this.heads = heads.map(({ name, ...about }) => (
      { ...about, head: new LogisticHead(new Part(tensors, name, {}), this.labels.length, several) }));
  }

  composed(text) {
    return this.form === "none" ? text : text.normalize(this.form);
  }

  /** What each view reads of a text. */
  parts(text) {
    return this.views.map((view) => view.parts(this.composed(text)));
  }

  probabilities(text) {
    const features = this.views.map((view) => view.features(this.composed(text)));
    const found = this.heads.map(({ head, views, binary }) => {
      const own = this.sideBySide(features, views);
      return head.probabilities(binary ? own.map(([index]) => [index, 1]) : own);
    });
    return Array.from(sum(this.labels.length, found, this.heads.map(({ weight }) => weight)));
  }

  /** The features of some views, one behind another. */
  sideBySide(features, views) {
    let first = 0;
    return views.flatMap((number) => {
      const own = features[number].map(([index, value]) => [first + index, value]);
      first += this.views[number].size;
      return own;
    });
  }
}

const dot = (one, other) => one.reduce((total, value, index) => total + value * other[index], 0);
