// doc2vec (Le & Mikolov 2014): the vector of a text is learned here while all weights of the model stay fixed, as
// foretext.vectors.document_inference has it. All draws follow from a checksum of the words.

import { Draws, crc32 } from "./draws.js";
import { Splitter } from "./splitter.js";
import { Rows, unit } from "./vectors.js";

const LARGEST = 9.94; // score; beyond it the logistic function is constant

export class DocumentVectors {
  constructor(tensors) {
    this.settings = tensors.about.settings;
    const { splitter, dim, negative, context } = this.settings;
    this.dim = dim;
    this.indices = new Map(tensors.json("words").map((word, index) => [word, index]));
    this.splitter = new Splitter(tensors, "splitter", splitter);
    this.keep = bits(tensors, "keep"); // how often a word is learned, in 1 / 2 ** 32
    this.targets = negative ? new Noise(tensors, negative) : new Paths(tensors);
    this.outputs = new Rows(tensors.matrix("outputs"));
    this.inputs = context && new Rows(tensors.matrix("inputs")); // of words, which predict beside the text
    this.sideBySide = new Float32Array(this.outputs.dim); // filled again for each word
  }

  /** The ids of the known words of a text. */
  parts(text) {
    return this.splitter.words(text).map((word) => this.indices.get(word) ?? 0).filter((id) => this.keep[id] > 0);
  }

  /** The vector of a text; zeros for one without a known word. */
  embed(text) {
    const { passes, rates: [first, last], seed, longest } = this.settings;
    const ids = this.parts(text);
    const vector = new Float32Array(this.dim);
    if (!ids.length) return vector;
    const draws = new Draws(crc32(ids, seed));
    for (let index = 0; index < this.dim; index += 1) {
      draws.at(index);
      vector[index] = Math.fround((draws.high >>> 8) * 2 ** -24 - 0.5) / this.dim;
    }
    let counter = 0;
    for (let pass = 0; pass < passes; pass += 1) {
      const rate = Math.fround(first + ((last - first) * pass) / passes);
      for (let start = 0; start < ids.length; start += longest) {
        counter = this.learn(vector, ids.slice(start, start + longest), draws, counter, rate);
      }
    }
    return vector;
  }

  /** Pass once over words; returns the counter of draws after them. */
  learn(vector, ids, draws, counter, rate) {
    const words = [];
    const spans = [];
    ids.forEach((id, position) => {
      draws.at(counter + position);
      if (draws.low >= this.keep[id]) return;
      words.push(id);
      spans.push(draws.below(this.settings.window) + 1);
    });
    const [targets, after] = this.targets.drawn(words, draws, counter + ids.length);
    words.forEach((_, position) => this.pull(vector, this.hidden(vector, words, spans[position], position), targets[position], rate));
    return after;
  }

  /** Move the vector by what it says of its outputs: [[row, label]]. */
  pull(vector, hidden, targets, rate) {
    const { numbers, dim } = this.outputs;
    const gradients = targets.map(([row, label]) => {
      let score = 0;
      for (let index = 0, at = row * dim; index < dim; index += 1, at += 1) score += hidden[index] * numbers[at];
      return (label - logistic(score)) * rate;
    });
    for (let index = 0; index < this.dim; index += 1) {
      let moved = 0;
      for (let target = 0; target < targets.length; target += 1) moved += gradients[target] * numbers[targets[target][0] * dim + index];
      vector[index] += moved;
    }
  }

  /** What predicts a word: the vector, with those of the words around it where the model reads them. */
  hidden(vector, words, span, position) {
    const { context, window } = this.settings;
    if (!context) return vector;
    if (context === "concat") {
      this.sideBySide.set(vector);
      for (let at = position - window, to = this.dim; at <= position + window; at += 1) {
        if (at === position) continue;
        this.sideBySide.set(this.inputs.row(words[at] ?? 0), to);
        to += this.dim;
      }
      return this.sideBySide;
    }
    const found = Float64Array.from(vector);
    const [first, last] = [Math.max(0, position - span), Math.min(words.length, position + span + 1)];
    for (let at = first; at < last; at += 1) {
      if (at === position) continue;
      const row = this.inputs.row(words[at]);
      for (let index = 0; index < this.dim; index += 1) found[index] += row[index];
    }
    return context === "mean" ? found.map((value) => value / (last - first)) : found;
  }

  /** The requests of a page, by path. */
  get answers() {
    const all = (texts) => (typeof texts === "string" ? [texts] : texts);
    return {
      embed: ({ inputs, normalize }) => all(inputs).map((text) => {
        const found = this.embed(text);
        return [...(normalize ? unit(found) : found)];
      }),
    };
  }
}

/** A word and words of noise, by Walker's alias method. */
class Noise {
  constructor(tensors, negative) {
    Object.assign(this, { negative, table: bits(tensors, "noise") });
    this.size = this.table.length / 2;
  }

  /** [[[row, label]] of each word, the counter after the draws]. */
  drawn(words, draws, counter) {
    let at = counter;
    const found = words.map((word) => {
      const own = [[word, 1]];
      while (own.length <= this.negative) {
        at += 1;
        draws.at(at);
        const row = draws.below(this.size);
        const noise = draws.low < this.table[2 * row] ? row : this.table[2 * row + 1];
        if (noise !== word) own.push([noise, 0]);
      }
      return own;
    });
    return [found, at];
  }
}

/** The nodes of a word's path in a Huffman tree. */
class Paths {
  constructor(tensors) {
    this.starts = tensors.stored("path_starts");
    this.nodes = tensors.stored("path_nodes");
    this.codes = tensors.stored("path_codes");
  }

  drawn(words, draws, counter) {
    const path = (word) => Array.from(this.nodes.subarray(this.starts[word], this.starts[word + 1]), (node, step) => (
      [node, 1 - this.codes[this.starts[word] + step]]));
    return [words.map(path), counter];
  }
}

/** Lambert's fraction of the logistic function, which the model has learned with. */
function logistic(score) {
  const half = Math.max(-LARGEST, Math.min(LARGEST, score)) * 0.5;
  const square = half * half;
  const top = half * (square * (square * (square + 378) + 17325) + 135135);
  const bottom = square * (square * (square * 28 + 3150) + 62370) + 135135;
  return 0.5 * (top / bottom) + 0.5;
}

/** Unsigned integers of 32 bits. */
const bits = (tensors, name) => new Uint32Array(tensors.stored(name).buffer);
