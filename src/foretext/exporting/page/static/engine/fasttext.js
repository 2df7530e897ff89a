// fastText's classifier: the mean of the rows of a text's words and n-grams, and a layer of outputs (Joulin et al. 2016).

import { BucketRows, LINE_END, byteLength, ngramBuckets, wordHash, wordNgramBuckets } from "./ngrams.js";
import { Splitter } from "./splitter.js";
import { Rows, mean } from "./vectors.js";

const LONGEST_WORD = 1000; // bytes; longer ones are no words

export class FastText {
  constructor(tensors) {
    const { splitter, ngrams, loss, pruned, label_prefix: prefix } = tensors.about.settings;
    const words = tensors.json("words");
    this.indices = new Map(words.map((word, index) => [word, index]));
    this.wordRows = tensors.stored("word_rows");
    this.labels = tensors.about.labels;
    this.order = tensors.stored("label_order"); // of outputs, in the order of the labels
    this.splitter = new Splitter(tensors, "splitter", splitter);
    this.ngrams = ngrams;
    this.prefix = prefix;
    this.buckets = new BucketRows(tensors, "ngrams");
    this.rows = tensors.has("codes") ? new CodedRows(tensors) : new Rows(tensors.matrix("rows"));
    this.outputs = new Rows(tensors.matrix("outputs"));
    this.layer = new OutputLayer(loss, tensors);
    this.pruned = pruned; // whether an n-gram without a row counts as nothing, and not as zeros
  }

  /** The words of a text, with the mark of its end. */
  wordsIn(text) {
    const words = this.splitter.words(text.replaceAll("\n", " "));
    return [...words.filter((word) => !word.startsWith(this.prefix) && byteLength(word) <= LONGEST_WORD), LINE_END];
  }

  /** The row of each feature of a text, -1 where it has none. */
  parts(text) {
    const words = this.wordsIn(text);
    const ofBuckets = (buckets) => buckets.map((bucket) => this.buckets.row(bucket));
    const ofWords = words.flatMap((word) => {
      const index = this.indices.get(word);
      const own = ofBuckets(ngramBuckets(word, this.ngrams));
      return index === undefined ? own : [this.wordRows[index], ...own];
    });
    const { word_ngrams: longest, bucket } = this.ngrams;
    return longest > 1 ? ofWords.concat(ofBuckets(wordNgramBuckets(words.map(wordHash), longest, bucket))) : ofWords;
  }

  hidden(text) {
    const rows = this.parts(text);
    const known = rows.filter((row) => row >= 0);
    return mean(this.rows.dim, known.map((row) => this.rows.row(row)), this.pruned ? known.length : rows.length);
  }

  /** The chance of each label. */
  probabilities(text) {
    const chances = this.layer.chances(this.outputs.products(this.hidden(text)));
    return Array.from(this.order, (index) => chances[index]);
  }
}

/** Rows as codes of a byte for a few numbers (Jégou et al. 2011); one is decoded when it is needed. */
class CodedRows {
  constructor(tensors) {
    const { dim, dsub } = tensors.about.settings;
    Object.assign(this, { dim, dsub, parts: Math.ceil(dim / dsub), codes: tensors.stored("codes") });
    this.centroids = tensors.stored("centroids"); // by part, code and index
    this.norms = tensors.has("norm_codes") && tensors.stored("norm_codes");
    this.lengths = this.norms && tensors.stored("norm_centroids");
  }

  row(at) {
    const factor = this.norms ? this.lengths[this.norms[at]] : 1;
    return Float64Array.from({ length: this.dim }, (_, index) => {
      const part = Math.floor(index / this.dsub);
      const code = this.codes[at * this.parts + part];
      return factor * this.centroids[(part * 256 + code) * this.dsub + (index % this.dsub)];
    });
  }
}

/** What the scores of outputs say of labels. */
class OutputLayer {
  constructor(loss, tensors) {
    this.loss = loss;
    if (loss !== "hs") return;
    this.starts = tensors.stored("path_starts"); // of each label's way through Huffman's tree
    this.nodes = tensors.stored("path_nodes");
    this.codes = tensors.stored("path_codes");
  }

  chances(scores) {
    if (this.loss === "softmax") return softmax(scores);
    const yes = scores.map(sigmoid);
    return this.loss === "hs" ? this.alongPaths(yes) : yes;
  }

  alongPaths(yes) {
    return Float64Array.from({ length: this.starts.length - 1 }, (_, label) => {
      let product = 1;
      for (let step = this.starts[label]; step < this.starts[label + 1]; step += 1) {
        product *= this.codes[step] ? yes[this.nodes[step]] : 1 - yes[this.nodes[step]];
      }
      return product;
    });
  }
}

export const sigmoid = (score) => 1 / (1 + Math.exp(-score));

export function softmax(scores) {
  const most = scores.reduce((one, other) => Math.max(one, other), -Infinity);
  const shares = scores.map((score) => Math.exp(score - most));
  const total = shares.reduce((one, other) => one + other, 0);
  return shares.map((share) => share / total);
}
