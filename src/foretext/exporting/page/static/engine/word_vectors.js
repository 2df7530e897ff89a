// Word vectors in use: words of a text, vectors of words, neighbours, analogies, vectors of texts.

import { BucketRows, ngramBuckets } from "./ngrams.js";
import { Refused } from "./refused.js";
import { Splitter } from "./splitter.js";
import { Rows, best, mean, sum, unit } from "./vectors.js";

const FORMS = ["NFC", "NFD"];

export class WordVectors {
  constructor(tensors) {
    const { splitter, ngrams, small_letters: smallLetters, punctuation } = tensors.about.settings;
    this.words = tensors.json("words");
    this.indices = new Map(this.words.map((word, index) => [word, index]));
    this.rows = new Rows(tensors.matrix("vectors"));
    this.lengths = this.rows.lengths();
    this.dim = this.rows.dim;
    this.splitter = new Splitter(tensors, "splitter", splitter);
    this.punctuation = punctuation && new Set(punctuation); // at the ends of words, of vectors without a tokenizer
    this.hasSmallLettersOnly = smallLetters;
    this.ngrams = ngrams;
    this.buckets = ngrams && new BucketRows(tensors, "ngrams");
    this.ngramRows = ngrams && new Rows(tensors.matrix("ngrams.vectors"));
  }

  /** The words of a text, known or not, each in the form in which it is known. */
  parts(text) {
    const words = this.splitter.words(text);
    return words.map((word) => (this.punctuation ? this.knownSpelling(word) : this.knownForm(word)));
  }

  knownForm(word) {
    if (this.indices.has(word)) return word;
    return FORMS.map((form) => word.normalize(form)).find((form) => this.indices.has(form)) ?? word;
  }

  knownSpelling(word) {
    const bare = this.bare(word);
    for (const spelling of [word, word.toLowerCase(), bare, bare.toLowerCase()]) {
      const form = this.knownForm(spelling);
      if (this.indices.has(form)) return form;
    }
    return bare;
  }

  bare(word) {
    const characters = [...word];
    const isKept = (character) => !this.punctuation.has(character);
    return characters.slice(characters.findIndex(isKept), characters.findLastIndex(isKept) + 1).join("");
  }

  /** A word as the vocabulary spells it; one that it does not have as a text is cut. */
  spelled(word) {
    const known = this.knownForm(word);
    if (this.indices.has(known)) return known;
    if (!this.hasSmallLettersOnly) return this.asCut(word);
    const small = [...word.normalize("NFC")].map((letter) => letter.toLowerCase()).join("");
    return this.indices.has(small) || this.ngrams ? small : word;
  }

  asCut(word) {
    const parts = this.punctuation || !this.ngrams ? [word] : this.splitter.words(word);
    return parts.length === 1 ? parts[0] : word;
  }

  /** What the n-grams of an unseen word give, or null. */
  composed(word) {
    if (!this.ngrams) return null;
    const rows = ngramBuckets(word, this.ngrams).map((bucket) => this.buckets.row(bucket));
    const known = rows.filter((row) => row >= 0);
    return known.length ? mean(this.dim, known.map((row) => this.ngramRows.row(row)), rows.length) : null;
  }

  /** The vector of a word that a text has, or null. */
  find(word) {
    const index = this.indices.get(word);
    return index === undefined ? this.composed(word) : this.rows.row(index);
  }

  vector(word) {
    const found = this.find(this.spelled(word));
    if (!found) throw new Refused("page.unknown_word", { word });
    return found;
  }

  /** The mean of the words' vectors; weights: of each known word, others, as they are cut, weigh 1; null: all weigh the same. */
  embed(text, weights = null) {
    const vectorOf = (word) => this.find(this.ngrams ? this.spelled(word) : word);
    const found = this.parts(text).map((word) => [vectorOf(word), weights?.[this.indices.get(word)] ?? 1])
      .filter(([vector]) => vector);
    const [vectors, factors] = [0, 1].map((index) => found.map((each) => each[index]));
    return sum(this.dim, vectors, factors).map((value) => value / Math.max(found.length, 1));
  }

  /** [[word, cosine], ...] nearest to a vector, without some words. */
  nearest(vector, count, without) {
    const query = unit(vector);
    const scores = this.rows.products(query);
    for (let row = 0; row < scores.length; row += 1) scores[row] = this.lengths[row] ? scores[row] / this.lengths[row] : 0;
    const leftOut = new Set(without.map((word) => this.indices.get(this.spelled(word))));
    return best(scores, count, (row) => leftOut.has(row)).map((row) => [this.words[row], scores[row]]);
  }

  neighbors(word, count) {
    return this.nearest(this.vector(word), count, [word]);
  }

  analogy(a, b, c, count) {
    const units = [b, c, a].map((word) => unit(this.vector(word)));
    return this.nearest(sum(this.dim, units, [1, 1, -1]), count, [a, b, c]);
  }

  /** The requests of a page, by path. */
  get answers() {
    const all = (texts) => (typeof texts === "string" ? [texts] : texts);
    return {
      neighbors: ({ words, k }) => Object.fromEntries(
        words.map((word) => [word, Object.fromEntries(this.neighbors(word, k))]),
      ),
      analogy: ({ a, b, c, k }) => Object.fromEntries(this.analogy(a, b, c, k)),
      embed: ({ inputs, normalize }) => all(inputs).map((text) => {
        const found = this.embed(text);
        return [...(normalize ? unit(found) : found)];
      }),
    };
  }
}
