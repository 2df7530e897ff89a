// How often a text has words and pairs of words, or one to three characters, and how rare these are: TF-IDF.

import { featureIndices } from "./feature_names.js";
import { Splitter } from "./splitter.js";

export class TfIdf {
  constructor(tensors) {
    const { splitter, features, longest, blank } = tensors.about.settings;
    this.indices = featureIndices(tensors);
    this.splitter = new Splitter(tensors, "splitter", splitter);
    this.byWord = features === "words";
    this.longest = longest;
    this.blanks = new RegExp(`[${blank}]{2,}`, "g");
    this.idf = tensors.stored("idf");
    this.size = this.idf.length; // how many features there are
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
}
