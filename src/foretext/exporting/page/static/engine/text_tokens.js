// Tokens of a raw text with their positions: words, punctuation, characters without blanks, as
// foretext.corpus.text_tokens has them. Positions count code points.

import { runOf } from "./character_runs.js";

// Over classes of characters: a and A, letters, small and capital; 0, a digit; +, what belongs to the character
// before it; . - and , for marks like them; c, what is contracted; x, always a token; a blank.
const TOKEN = /(?:[aA]\+*\.){2,}|A\+*\.(?= *A)|[aA0](?:[aA0+]|[-.](?=[aA0])|(?<=0),(?=0))*|c+|\.{2,}|-{2,}|[^ ]\+*/g;
const CHARACTER = /[^ ]\+*/g;
const APOSTROPHE = /^['’]$/u;
const CONTRACTED = /^(?:s|re|ve|ll|d|m)/iu;
const LONGEST = 2; // letters that are contracted

export class TextTokens {
  /** starts: the first code point of each run; classes and words: a class, and 0 or 1, of each run; by_character: whether each character is a token. */
  constructor({ starts, classes, words, by_character: byCharacter }) {
    Object.assign(this, { starts, classes, words, byCharacter });
  }

  /** [{text, start, end}] */
  split(text) {
    const characters = [...text];
    const pattern = this.byCharacter ? CHARACTER : TOKEN;
    return [...this.classesOf(characters).matchAll(pattern)].map(({ 0: { length }, index }) => (
      { text: characters.slice(index, index + length).join(""), start: index, end: index + length }));
  }

  /** The class of each character. */
  classesOf(characters) {
    const found = characters.map((character) => this.classes[this.run(character)]);
    characters.forEach((character, at) => {
      if (!APOSTROPHE.test(character)) return;
      const letters = characters.slice(at + 1, at + 1 + LONGEST).join("").match(CONTRACTED);
      if (!letters) return;
      const end = at + 1 + letters[0].length; // they are all in the first plane
      if (end === characters.length || this.words[this.run(characters[end])] === "0") found.fill("c", at, end);
    });
    return found.join("");
  }

  /** The number of a character's run. */
  run(character) {
    return runOf(this.starts, character.codePointAt(0));
  }
}
