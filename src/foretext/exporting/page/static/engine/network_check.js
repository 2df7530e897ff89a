// The answers of a network in this page beside those of ONNX Runtime in Python.

import { Comparison, compareHits } from "./check.js";

/**
 * wanted: {bound, inputs: [[text]], rows: [[[id]]] and segments: [[[0 or 1]]], which the network reads, numbers: [[number]], the
 * probabilities, scores or vector of each input, whose differences are divided by its largest number, and answers: what the page
 * answers by these numbers, or null; and of an index hits: [[[row, cosine]]], what each input finds, by the page's own numbers if
 * by_own_numbers, else by Python's; tie: of two cosines, whose order may differ, and near: the bound of a cosine}. Returns what `compare` of check.js does, and `misread`, the texts with different ids:
 * [{text, encoded: [[part, ids]]}], the parts that the tokenizer encoded, and their ids.
 */
export async function compareNetwork(model, wanted) {
  const found = new Comparison(wanted);
  const misread = [];
  for (const [number, texts] of wanted.inputs.entries()) {
    const where = `text ${number + 1} (${JSON.stringify(texts[0].slice(0, 40))})`;
    const { rows, error } = attempted(model, texts);
    found.lists += 1;
    if (error) found.fault(`${where}: ${error.message}`);
    if (error || JSON.stringify(rows.map(({ ids }) => ids)) !== JSON.stringify(wanted.rows[number])) {
      misread.push({ text: texts.join(" | "), encoded: encodedParts(model, texts) });
      continue;
    }
    found.same(rows.map(({ ids, segments }) => segments ?? ids.map(() => 0)), wanted.segments[number], `${where}: segments`);
    const [ours, theirs] = [await model.numbers(texts), wanted.numbers[number]];
    if (!found.asMany(ours, theirs, where)) continue;
    const largest = theirs.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
    ours.forEach((value, index) => found.near(value / largest, theirs[index] / largest, `${where}, number ${index + 1}`));
    if (wanted.hits) compareHits(model.passages.cosines(wanted.by_own_numbers ? ours : theirs), wanted.hits[number], where, found, wanted);
    if (wanted.answers[number]) compareAnswers(model.answer(texts, theirs), wanted.answers[number], where, found);
  }
  const { lists, numbers, largest, faults } = found;
  return { texts: wanted.inputs.length, lists, numbers, largest, faults, misread };
}

/** {rows}, what the network reads of an input, or {error}: positions of tokens were not found. */
function attempted(model, texts) {
  try {
    return { rows: model.rows(texts) };
  } catch (error) {
    return { error };
  }
}

/** [[part, ids]]: the parts of an input that the tokenizer encodes, and their ids. */
function encodedParts(model, texts) {
  const { network } = model;
  const found = [];
  const pieces = (part) => {
    const ids = network.pieces(part);
    found.push([part, ids]);
    return ids;
  };
  const located = (part) => {
    pieces(part);
    return network.located(part);
  };
  model.network = Object.assign(Object.create(network), { pieces, located });
  attempted(model, texts);
  model.network = network;
  return found;
}

/** Two answers by the same scores are equal, except for numbers, which are near each other. */
function compareAnswers(ours, theirs, where, found) {
  const [mine, others] = [ours, theirs].map(parted);
  found.same(mine.rest, others.rest, `${where}: answer`);
  if (!found.asMany(mine.numbers, others.numbers, where)) return;
  mine.numbers.forEach((value, index) => found.near(value, others.numbers[index], `${where}, number ${index + 1} of the answer`, CLOSE));
}

/** An answer as JSON without probabilities and scores, its keys in order; and these numbers. */
function parted(answer) {
  const numbers = [];
  const rest = (value) => {
    if (Array.isArray(value)) return value.map(rest);
    if (value && typeof value === "object") return Object.keys(value).sort().map((key) => (
      CHANCES.includes(key) && value[key] !== null ? [key, numbers.push(value[key])] : [key, rest(value[key])]));
    return value;
  };
  return { rest: rest(answer), numbers };
}

const CLOSE = 1e-4; // numbers of answers that are made of the same scores, however far the scores of int8 may differ
const CHANCES = ["probability", "score"]; // of answers
