// The networks that a page can hold, by their kind.
//
// A class has `answers`, functions by the path of a request; rows(texts), what the network reads of an input; numbers(texts), a
// promise of probabilities, scores or a vector; and, if a page's answer is computed from these numbers, answer(texts, numbers).

import { sigmoid, softmax } from "./fasttext.js";
import { Network } from "./network.js";
import { NetworkSearch } from "./network_search.js";
import { ranked } from "./predictions.js";
import { Reader } from "./reader.js";
import { Tagger } from "./tagger.js";
import { Tensors } from "./tensors.js";
import { unit } from "./vectors.js";

/** Labels of a text or of a pair, or the score of a pair. */
class Classifier {
  constructor(about, network) {
    Object.assign(this, { network, labels: about.labels, several: about.several, pair: about.pair });
    this.answers = { predict: ({ inputs }) => this.answered(Array.isArray(inputs) ? inputs : [inputs]) };
  }

  /** [{label, score}], the best first; of a model without labels [{score}]. */
  async answered(texts) {
    const numbers = await this.numbers(texts);
    return this.labels ? ranked(this.labels, numbers) : numbers.map((score) => ({ score }));
  }

  rows(texts) {
    return [this.pair ? this.network.pairRow(texts, this.pair) : this.network.row(...texts)];
  }

  /** The probability of each label, or the score. */
  async numbers(texts) {
    const [scores] = await this.network.run(...this.rows(texts));
    if (!this.labels) return scores;
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

  rows([text]) {
    return [this.network.row(text)];
  }

  /** The vector of a text. */
  async numbers([text]) {
    const [vector] = await this.network.run(this.network.row(text));
    return vector;
  }

  async vectors(texts) {
    const found = [];
    for (const text of texts) {
      if (!this.kept.has(text)) this.kept.set(text, Array.from(unit(await this.numbers([text]))));
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

const KINDS = {
  "text-classification": Classifier,
  "text-pair-classification": Classifier,
  "sentence-similarity": Encoder,
  "token-classification": Tagger,
  "question-answering": Reader,
  "search index": NetworkSearch,
};
const WITH_TENSORS = ["search index"]; // kinds that read the page's file of tensors, too
const TENSORS = "model.safetensors";

/** What a page does with a network: {info, model, answer(path, body)}; the arguments are those of `Network.open`. */
export async function openedNetwork(about, read, runtime) {
  const file = WITH_TENSORS.includes(about.kind) ? new Tensors(await read(TENSORS)) : null;
  const model = new KINDS[about.kind](about, await Network.open(about, read, runtime), file);
  return { info: about.info, model, answer: (path, body) => model.answers[path](body) };
}

const dot = (one, other) => one.reduce((total, value, index) => total + value * other[index], 0);
