// Features of tokens and of their neighbours, as foretext.tasks.tagging.linear_features has them, and a linear chain of tags.

import { CharacterRuns, SmallLetters } from "./character_runs.js";
import { featureIndices } from "./feature_names.js";
import { Tagger } from "./tagger.js";
import { Part } from "./tensors.js";
import { Rows, length } from "./vectors.js";
import { WordVectors } from "./word_vectors.js";

const WINDOW = [-2, -1, 0, 1, 2];
const REACH = 2;
const LONGEST_AFFIX = 4;
const [BEFORE, AFTER] = ["<s>", "</s>"]; // before and after a sentence

export class LinearTagger {
  constructor(tensors) {
    const { form, shapes, length: size, offsets, tagging, vectors } = tensors.about.settings;
    Object.assign(this, { form, shapes, size, offsets, byCharacter: tagging.tokens.by_character });
    this.tagger = new Tagger(tagging, null);
    this.numTags = tagging.decoding.labels.length;
    this.classes = new CharacterRuns(tensors, "shapes");
    this.small = new SmallLetters({ capitals: tensors.stored("small.capitals"), letters: tensors.stored("small.letters") });
    this.indices = featureIndices(tensors);
    this.weights = new Rows(tensors.matrix("features.weights"));
    this.vectors = vectors && new WordVectors(new Part(tensors, "vectors", vectors));
    this.beside = vectors && new Rows(tensors.matrix("beside.weights"));
    this.answers = { tag: ({ inputs }) => this.tagger.answer([inputs], this.numbers(inputs)) };
  }

  /** [[token, start, end]] */
  parts(text) {
    return this.tagger.splitter.split(text).map(({ text: token, start, end }) => [token, start, end]);
  }

  /** {path, chances, spans} of a text: tags by their numbers, their probabilities, and [start, end, label, text] of entities. */
  tagged(text) {
    const found = this.tagger.path(this.rows(text));
    const spans = this.tagger.marks ? this.tagger.entities(text, this.tagger.splitter.split(text), found) : [];
    return {
      path: found.path, chances: found.path.map((tag, token) => found.chances[token][tag]),
      spans: spans.map(({ start, end, label, text: own }) => [start, end, label, own]),
    };
  }

  /** The sum of scores and steps of a path of tags; NaN: it is forbidden. */
  pathScore(text, path) {
    const { transitions, start, end } = this.tagger.decoding;
    const own = this.rows(text).map((scores, token) => scores[path[token]]);
    const steps = path.slice(1).map((tag, token) => transitions[path[token]][tag]);
    const all = [...own, ...steps, ...(path.length ? [start[path[0]], end[path.at(-1)]] : [])];
    return all.reduce((sum, value) => sum + (value ?? NaN), 0);
  }

  /** The scores of the tags of all tokens, one after another. */
  numbers(text) {
    return this.rows(text).flatMap((scores) => Array.from(scores));
  }

  /** The scores of the tags of each token. */
  rows(text) {
    const tokens = this.parts(text).map(([token]) => (this.form === "none" ? token : token.normalize(this.form)));
    const rows = this.named(tokens).map((names) => this.sums(names));
    if (this.vectors) this.addVectors(rows, tokens);
    return rows;
  }

  /** What the features of a token weigh for each tag. */
  sums(names) {
    const found = new Float64Array(this.numTags);
    for (const name of names) {
      const index = this.indices.get(name);
      if (index !== undefined) add(found, this.weights.row(index), 1);
    }
    return found;
  }

  /** Add what the vectors of tokens say of themselves and of their neighbours. */
  addVectors(rows, tokens) {
    const known = new Map();
    tokens.forEach((token, at) => {
      if (!known.has(token)) known.set(token, this.besideOf(token));
      this.offsets.forEach((offset, number) => {
        if (rows[at - offset]) add(rows[at - offset], known.get(token)[number], 1);
      });
    });
  }

  /** What the vector of a token adds to the token at each offset before it. */
  besideOf(token) {
    const vector = this.vectors.find(this.vectors.spelled(token));
    const whole = vector ? length(vector) : 0;
    return this.offsets.map((_, number) => {
      const found = new Float64Array(this.numTags);
      if (!whole) return found;
      vector.forEach((value, index) => add(found, this.beside.row(number * this.vectors.dim + index), (this.size * value) / whole));
      return found;
    });
  }

  /** The names of the features of each token of a sentence. */
  named(tokens) {
    const small = around(tokens.map((token) => this.small.of(token)));
    const shapes = around(tokens.map((token) => this.shape(token)));
    return tokens.map((token, index) => {
      const at = index + REACH;
      const [before, word, after] = small.slice(at - 1, at + 2);
      const names = ["bias", ...WINDOW.map((offset) => `w${offset}=${small[at + offset]}`), `W=${token}`];
      names.push(`s-1=${shapes[at - 1]}`, `s0=${shapes[at]}`, `s1=${shapes[at + 1]}`);
      names.push(`w-1|0=${before}|${word}`, `w0|1=${word}|${after}`, `s-1|0|1=${shapes.slice(at - 1, at + 2).join("|")}`);
      return this.byCharacter ? [...names, `w-1|1=${before}|${after}`] : [...names, ...affixes([...token])];
    });
  }

  /** The classes of a token's characters, equal neighbours once. */
  shape(token) {
    let last = "";
    return [...token].map((character) => {
      const kind = this.shapes[this.classes.of(character)] || character;
      const isNew = kind !== last;
      last = kind;
      return isNew ? kind : "";
    }).join("");
  }
}

/** The beginnings and endings of a token. */
function affixes(characters) {
  const sizes = Array.from({ length: Math.min(LONGEST_AFFIX, Math.max(0, characters.length - 1)) }, (_, index) => index + 1);
  return [
    ...sizes.map((size) => `p${size}=${characters.slice(0, size).join("")}`),
    ...sizes.map((size) => `e${size}=${characters.slice(-size).join("")}`),
  ];
}

const around = (words) => [BEFORE, BEFORE, ...words, AFTER, AFTER];

function add(sums, row, factor) {
  for (let index = 0; index < sums.length; index += 1) sums[index] += factor * row[index];
}
