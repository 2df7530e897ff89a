// Words that a network reads whole: the id of each in the vocabulary, and the ids of its characters.

import { SmallLetters } from "./character_runs.js";

const [NONE, UNKNOWN, FIRST] = [0, 1, 2]; // ids of no character, of an unknown one, and of the first that is known

export class WholeWords {
  /** small: capitals and small letters, if words are lower-cased; decoding: of a tagger; idOf: the id of a word as the vocabulary has it, or undefined. */
  constructor(small, { whole_words: rules, unknown, characters, most_characters: most }, idOf) {
    Object.assign(this, { rules, unknown, most, idOf });
    this.small = small && new SmallLetters(small);
    this.characters = characters && new Map([...characters].map((character, at) => [character, at + FIRST]));
  }

  /** The ids of a word, one alone. */
  ids(word) {
    return [this.idOf(this.form(word)) ?? this.unknown];
  }

  form(word) {
    const normal = this.rules.form === "none" ? word : word.normalize(this.rules.form);
    return this.small ? [...normal].map((character) => this.small.of(character)).join("") : normal;
  }

  /** The ids of the characters of words, one after another, of long words of both ends; null if the network reads none. */
  spelled(words) {
    if (!this.characters) return null;
    return words.flatMap((word) => {
      const all = [...word];
      const half = Math.floor(this.most / 2);
      const read = all.length <= this.most ? all : [...all.slice(0, half), ...all.slice(-half)];
      return Array.from({ length: this.most }, (_, at) => (at < read.length ? this.characters.get(read[at]) ?? UNKNOWN : NONE));
    });
  }
}
