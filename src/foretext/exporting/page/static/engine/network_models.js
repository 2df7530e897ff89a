// The networks that a page can hold, by the pipeline of their kind.

import { sigmoid, softmax } from "./fasttext.js";
import { Network } from "./network.js";
import { ranked } from "./predictions.js";
import { unit } from "./vectors.js";

/** Labels of a text. */
class Classifier {
  constructor(about, network) {
    Object.assign(this, { network, labels: about.labels, several: about.several });
    this.answers = { predict: async ({ inputs }) => ranked(this.labels, await this.numbers(inputs)) };
  }

  /** The probability of each label. */
  async numbers(text) {
    const scores = await this.network.run(text);
    return Array.from(this.several ? scores.map(sigmoid) : softmax(scores));
  }
}

/** A vector of a text, and texts that are near. */
class Encoder {
  constructor(about, network) {
    this.network = network;
    this.kept = new Map(); // vectors of texts of earlier requests
    this.answers = {
      embed: async ({ inputs }) => this.vectors(inputs),
      search: ({ query, k, texts }) => this.search(query, k, texts),
    };
  }

  /** The vector of a text. */
  numbers(text) {
    return this.network.run(text);
  }

  async vectors(texts) {
    const found = [];
    for (const text of texts) {
      if (!this.kept.has(text)) this.kept.set(text, Array.from(unit(await this.numbers(text))));
      found.push(this.kept.get(text));
    }
    return found;
  }

  async search(query, k, texts) {
    const [wanted, ...others] = await this.vectors([query, ...texts]);
    const hits = others.map((vector, row) => ({ text: texts[row], rows: [row + 1, row + 1], score: dot(vector, wanted) }));
    return { query, notes: [], results: hits.sort((one, other) => other.score - one.score).slice(0, k) };
  }
}

const KINDS = { "text-classification": Classifier, "sentence-similarity": Encoder };

/** What a page does with a network: {info, model, answer(path, body)}; the arguments are those of `Network.open`. */
export async function openedNetwork(about, read, runtime) {
  const model = new KINDS[about.pipeline](about, await Network.open(about, read, runtime));
  return { info: about.info, model, answer: (path, body) => model.answers[path](body) };
}

const dot = (one, other) => one.reduce((total, value, index) => total + value * other[index], 0);
