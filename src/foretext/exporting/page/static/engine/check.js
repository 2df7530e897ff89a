// The answers of this page beside those that Python gave: how far apart they are.

import { predictions } from "./predictions.js";
import { nearest } from "./passages.js";
import { unit } from "./vectors.js";

const MOST_FAULTS = 20;
const MOST_HITS = 10;
const TIE = 1e-6; // between two cosines, or two scores of tags, that Python may put in another order

/**
 * wanted: {bound, texts: [text], parts: [[word or row]] or null, and by kind of model labels: [label], probabilities:
 * [[chance]], best: [[label, chance]], or cosines: [cosine with the text before], known: [whether it has a vector],
 * neighbors: [[word, [[word, cosine]]]], analogies: [[[a, b, c], [[word, cosine]]]], and of an
 * index hits: [[query, [[row, cosine]]]]; or tags: [{path: [tag], chances: [chance], spans: [[start, end, label, text]]}];
 * pairs: whether each text is read with the one before it}.
 * Returns {texts, lists, numbers, largest, faults}: `lists` and `numbers` are how many were compared, `largest` is the
 * largest difference of two numbers.
 */
export function compare(model, wanted) {
  const found = new Comparison(wanted);
  wanted.parts?.forEach((parts, number) => {
    const text = wanted.texts[number];
    found.same(model.parts(text), parts, `text ${number + 1} (${JSON.stringify(text.slice(0, 40))}): parts`);
  });
  if (wanted.tags) compareTags(model, wanted, found);
  else if (wanted.probabilities) compareLabels(model, wanted, found);
  else compareVectors(model, wanted, found);
  const { lists, numbers, largest, faults } = found;
  return { texts: wanted.texts.length, lists, numbers, largest, faults };
}

/** What was compared so far. */
export class Comparison {
  constructor({ bound }) {
    Object.assign(this, { bound, lists: 0, numbers: 0, largest: 0, faults: [] });
  }

  fault(text) {
    if (this.faults.length < MOST_FAULTS) this.faults.push(text);
  }

  /** Two numbers are near each other. */
  near(ours, theirs, where, bound = this.bound) {
    const difference = Math.abs(ours - theirs);
    this.numbers += 1;
    if (!(difference <= this.largest)) this.largest = difference;
    if (!(difference <= bound)) this.fault(`${where}: ${ours} here, ${theirs} in Python`);
  }

  /** Two lists are equal. */
  same(ours, theirs, where) {
    const [mine, others] = [ours, theirs].map((each) => JSON.stringify(each));
    this.lists += 1;
    if (mine !== others) this.fault(`${where} ${mine.slice(0, 300)} here, ${others.slice(0, 300)} in Python`);
  }

  /** Two lists have as many elements, which is why all of them are compared. */
  asMany(ours, theirs, where) {
    if (ours.length !== theirs.length) this.fault(`${where}: ${ours.length} here, ${theirs.length} in Python`);
    return ours.length === theirs.length;
  }

  /** Two lists of words with cosines are equal, but for words that are as near. */
  ranked(ours, theirs, where) {
    this.lists += 1;
    if (!this.asMany(ours, theirs, where)) return;
    ours.forEach(([name, cosine], index) => {
      this.near(cosine, theirs[index][1], `${where}, rank ${index + 1}`);
      const isTie = Math.abs(theirs.at(-1)[1] - cosine) <= 2 * this.bound;
      if (!isTie && !theirs.some(([other]) => other === name)) this.fault(`${where}: ${name} here, and not in Python`);
    });
  }
}

function compareLabels(model, wanted, found) {
  found.same(model.labels, wanted.labels, "labels");
  wanted.texts.forEach((text, number) => {
    const where = `text ${number + 1}`;
    const theirs = wanted.probabilities[number];
    const input = wanted.pairs ? [wanted.texts[Math.max(0, number - 1)], text] : text;
    const ours = model.probabilities(input);
    if (!found.asMany(ours, theirs, `${where}, labels`)) return;
    ours.forEach((chance, label) => found.near(chance, theirs[label], `${where}, label ${model.labels?.[label] ?? "score"}`));
    if (!model.labels) return;
    const [first] = predictions(model, input);
    const [label, chance] = wanted.best[number];
    found.near(first.score, chance, `${where}, the most probable label`);
    const isTie = chance - theirs[model.labels.indexOf(first.label)] <= 2 * wanted.bound;
    if (first.label !== label && !isTie) found.fault(`${where}: ${first.label} here, ${label} in Python`);
  });
}

/** The same tags, except where two paths of tags have nearly the same score. */
function compareTags(model, wanted, found) {
  wanted.texts.forEach((text, number) => {
    const where = `text ${number + 1}`;
    const [ours, theirs] = [model.tagged(text), wanted.tags[number]];
    const isTie = () => Math.abs(model.pathScore(text, ours.path) - model.pathScore(text, theirs.path)) <= TIE;
    if (JSON.stringify(ours.path) !== JSON.stringify(theirs.path) && isTie()) return;
    found.same(ours.path, theirs.path, `${where}: tags`);
    found.same(ours.spans, theirs.spans, `${where}: entities`);
    if (!found.asMany(ours.chances, theirs.chances, where)) return;
    ours.chances.forEach((chance, token) => found.near(chance, theirs.chances[token], `${where}, token ${token + 1}`));
  });
}

function compareVectors(model, wanted, found) {
  let before = null;
  wanted.texts.forEach((text, number) => {
    if (!wanted.cosines) return; // texts are cut by jieba
    const vector = unit(model.embed(text));
    if (before) found.near(dot(vector, before), wanted.cosines[number], `texts ${number} and ${number + 1}`);
    if (vector.some((value) => value !== 0) !== wanted.known[number]) found.fault(`text ${number + 1}: a vector, or none`);
    before = vector;
  });
  for (const [word, theirs] of wanted.neighbors) {
    found.ranked(model.neighbors(word, theirs.length), theirs, `neighbours of ${word}`);
  }
  for (const [words, theirs] of wanted.analogies) {
    found.ranked(model.analogy(...words, theirs.length), theirs, `analogy ${words.join(" ")}`);
  }
  for (const [query, theirs] of wanted.hits ?? []) compareHits(model.passages.cosines(model.embed(query)), theirs, `search for ${query}`, found);
}

/** The same passages in the same order, except where two cosines differ by `tie` at most. */
export function compareHits(cosines, theirs, where, found, { tie = TIE, near = found.bound } = {}) {
  const rows = nearest(cosines, MOST_HITS);
  found.lists += 1;
  if (!found.asMany(rows, theirs, where)) return;
  theirs.forEach(([row, cosine], rank) => {
    found.near(cosines[rows[rank]], cosine, `${where}, rank ${rank + 1}`, near);
    const isTie = Math.abs(cosines[rows[rank]] - cosines[row]) <= tie;
    if (!isTie) found.fault(`${where}, rank ${rank + 1}: passage ${rows[rank]} here, ${row} in Python`);
  });
}

const dot = (one, other) => one.reduce((total, value, index) => total + value * other[index], 0);
