// How many words and characters two texts share, as foretext.data.overlap_features has it, and a regression on it.

import { CharacterRuns } from "./character_runs.js";
import { softmax } from "./fasttext.js";
import { ranked } from "./predictions.js";
import { Splitter } from "./splitter.js";

const WORD_GRAMS = [1, 2, 3];
const CHARACTER_GRAMS = [2, 3, 4];
const JOINT = "\n"; // which no word has

export class LinearMatcher {
  constructor(tensors) {
    const { splitter, weights, bias } = tensors.about.settings;
    Object.assign(this, { weights, bias, labels: tensors.about.labels }); // labels: null where answers are scores
    this.splitter = new Splitter(tensors, "splitter", splitter);
    this.digits = new CharacterRuns(tensors, "digits");
    this.answers = { predict: ({ inputs }) => this.answered(inputs) };
  }

  parts(text) {
    return this.splitter.words(text);
  }

  /** [{label, score}], the best first; of a model without labels [{score}]. */
  answered(pair) {
    const found = this.probabilities(pair);
    return this.labels ? ranked(this.labels, found) : [{ score: found[0] }];
  }

  /** The probability of each label, or the score alone. */
  probabilities(pair) {
    const features = this.features(...pair.map((text) => this.parts(text)));
    const sums = this.bias.map((added, label) => features.reduce((sum, value, index) => sum + value * this.weights[index][label], added));
    return this.labels ? Array.from(softmax(Float64Array.from(sums))) : sums;
  }

  /** Shares of two lists of words, in Python's order. */
  features(first, second) {
    const both = [first, second];
    const found = WORD_GRAMS.flatMap((length) => shares(...both.map((words) => grams(words, length, JOINT))));
    const letters = both.map((words) => [...words.join(" ")]);
    found.push(...CHARACTER_GRAMS.flatMap((length) => shares(...letters.map((own) => grams(own, length, "")))));
    const [shorter, longer] = [first.length, second.length].sort((one, other) => one - other);
    found.push((longer - shorter) / Math.max(longer, 1), Math.log1p(longer - shorter));
    const isNumber = (word) => [...word].some((character) => this.digits.of(character));
    return [...found, ...shares(...both.map((words) => words.filter(isNumber)))];
  }
}

/** Runs of neighbours. */
const grams = (parts, length, joint) => (
  Array.from({ length: Math.max(0, parts.length - length + 1) }, (_, start) => parts.slice(start, start + length).join(joint)));

/** What two lists share, of the shorter and of the longer one; all of nothing is 1. */
function shares(first, second) {
  const counts = new Map();
  for (const each of first) counts.set(each, (counts.get(each) ?? 0) + 1);
  let common = 0;
  for (const each of second) {
    const left = counts.get(each) ?? 0;
    if (left) common += 1;
    counts.set(each, Math.max(0, left - 1));
  }
  const sizes = [first.length, second.length].sort((one, other) => one - other);
  return sizes.map((size) => (size ? common / size : Number(sizes[0] === sizes[1])));
}
