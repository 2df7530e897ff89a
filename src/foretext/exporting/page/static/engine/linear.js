// Logistic regression on TF-IDF: words and pairs of words, or one to three characters.

import { sigmoid, softmax } from "./fasttext.js";
import { Splitter } from "./splitter.js";

export class Linear {
  constructor(tensors) {
    const { splitter, features, longest, blank, several } = tensors.about.settings;
    this.indices = new Map(tensors.json("features").map((feature, index) => [feature, index]));
    this.labels = tensors.about.labels;
    this.splitter = new Splitter(tensors, "splitter", splitter);
    this.byWord = features === "words";
    this.longest = longest;
    this.blanks = new RegExp(`[${blank}]{2,}`, "g");
    this.several = several; // whether a text has any number of labels
    this.idf = tensors.stored("idf");
    this.bias = tensors.stored("bias");
    const { numbers, dim } = tensors.matrix("weights");
    Object.assign(this, { weights: numbers, outputs: dim });
  }

  /** The words of a text, or its characters. */
  parts(text) {
    const prepared = this.splitter.prepared(text);
    return this.byWord ? this.splitter.cut(prepared) : [...prepared.replace(this.blanks, " ")];
  }

  /** How often a text has each known feature, by the feature's index. */
  counts(text) {
    const parts = this.parts(text);
    const joint = this.byWord ? " " : "";
    const counts = new Map();
    for (let length = 1; length <= this.longest; length += 1) {
      for (let start = 0; start + length <= parts.length; start += 1) {
        const index = this.indices.get(parts.slice(start, start + length).join(joint));
        if (index !== undefined) counts.set(index, (counts.get(index) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** Pairs of an index and a value; the vector of values has length 1. */
  features(text) {
    const found = [...this.counts(text)].map(([index, count]) => [index, (1 + Math.log(count)) * this.idf[index]]);
    const whole = Math.sqrt(found.reduce((sum, [, value]) => sum + value * value, 0));
    return found.map(([index, value]) => [index, value / whole]);
  }

  logits(text) {
    const sums = Float64Array.from(this.bias);
    for (const [index, value] of this.features(text)) {
      for (let label = 0; label < this.outputs; label += 1) sums[label] += this.weights[index * this.outputs + label] * value;
    }
    return this.outputs < this.labels.length ? Float64Array.of(0, ...sums) : sums;
  }

  probabilities(text) {
    const logits = this.logits(text);
    return Array.from(this.several ? logits.map(sigmoid) : softmax(logits));
  }
}
