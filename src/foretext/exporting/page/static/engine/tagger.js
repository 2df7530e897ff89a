// Tags of the tokens of a text, and the entities that they mark.

import { decode, spaced } from "../decoder/decode.mjs";
import { marginals } from "./chain.js";
import { softmax } from "./fasttext.js";
import { TextTokens } from "./text_tokens.js";
import { WholeWords } from "./whole_words.js";
import { wordWindows } from "./word_windows.js";

const DIGITS = 1e6; // of a probability, as Python rounds it

export class Tagger {
  constructor(about, network) {
    const { tokens, decoding, marks, temperature } = about;
    Object.assign(this, { network, decoding, marks, temperature });
    this.splitter = new TextTokens(tokens);
    this.words = decoding.whole_words && new WholeWords(about.small, decoding, (word) => network.idOf(word));
    this.answers = { tag: async ({ inputs }) => this.answer([inputs], await this.numbers([inputs])) };
  }

  /** [{ids, answered, characters}]: the rows of a text, the positions of the first ids of the tokens that each answers, and the ids of the characters of words that are read whole, or null. */
  rows([text]) {
    const words = this.splitter.split(text).map((token) => token.text);
    return wordWindows(this.ids(words), this.decoding.room).map(({ ids, answered, first, last }) => {
      const row = [...this.decoding.before, ...ids, ...this.decoding.behind];
      const characters = this.words?.spelled(last > first ? words.slice(first, last) : [""]) ?? null;
      return { ids: row.length ? row : [this.decoding.pad], answered: answered.map((at) => at + this.decoding.before.length), characters };
    });
  }

  /** The ids of each word. */
  ids(words) {
    if (this.words) return words.map((word) => this.words.ids(word));
    return spaced(words, this.decoding).map((word) => {
      const found = this.network.pieces(word);
      return found.length ? found : [this.decoding.unknown];
    });
  }

  /** The scores of the tags of all tokens, one after another. */
  async numbers(input) {
    const found = [];
    const size = this.decoding.labels.length;
    for (const { ids, answered, characters } of this.rows(input)) {
      const [scores] = await this.network.run({ ids, characters });
      for (const at of answered) found.push(...scores.slice(at * size, (at + 1) * size));
    }
    return found;
  }

  /** {text, spans} or {text, tags} by the scores of all tokens. */
  answer([text], numbers) {
    const { labels } = this.decoding;
    const tokens = this.splitter.split(text);
    const rows = tokens.map((_, token) => numbers.slice(token * labels.length, (token + 1) * labels.length));
    if (!this.marks) {
      const path = this.decoded(rows);
      return { text, tags: tokens.map((token, index) => [token.text, labels[path[index]]]) };
    }
    return { text, spans: this.entities(text, tokens, this.path(rows)) };
  }

  /** The entities of a text by its tokens and their tags. */
  entities(text, tokens, { path, chances }) {
    const characters = [...text];
    return this.spans(path).map((span) => entity(characters, tokens, span, path, chances));
  }

  /** The best tags of tokens by their scores. */
  decoded(rows) {
    return decode(rows, [...rows.keys()], this.decoding);
  }

  /** {path, chances}: the same, and the probability of each tag at each token. */
  path(rows) {
    const { transitions } = this.decoding;
    const tempered = rows.map((row) => row.map((score) => score / this.temperature));
    const chances = transitions ? marginals(tempered, this.decoding) : tempered.map((row) => Array.from(softmax(row)));
    return { path: this.decoded(rows), chances };
  }

  /** [{label, first, last}], of tokens: as the script conlleval reads tags. */
  spans(path) {
    const found = [];
    let left = null;
    let first = 0;
    [...path.map((tag) => this.marks[tag]), null].forEach((right, token) => {
      const isCut = !right || !left || "ES".includes(left[0]) || "BS".includes(right[0]) || right[1] !== left[1];
      if (left && isCut) found.push({ label: left[1], first, last: token });
      if (isCut) first = token;
      left = right;
    });
    return found;
  }
}

function entity(characters, tokens, { label, first, last }, path, chances) {
  const [{ start }, { end }] = [tokens[first], tokens[last - 1]];
  const least = Math.min(...path.slice(first, last).map((tag, offset) => chances[first + offset][tag]));
  return { start, end, label, text: characters.slice(start, end).join(""), probability: Math.round(least * DIGITS) / DIGITS };
}
