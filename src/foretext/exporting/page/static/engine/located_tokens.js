// The tokens of a text with the characters that they stand for, as the library `tokenizers` for Python gives them.
//
// The package of npm gives tokens without positions. Its own parts (normaliser, pre-tokeniser, model) are called here one after
// another, on characters that keep their positions in the given text.

import { given, joined, spread, stepped, unitNumbers } from "./aligned_text.js";

const BYTE = /^<0x([0-9A-F]{2})>$/; // a token for a byte of a character that has no token
const BLANK_BYTE = "Ġ"; // the blank, as byte-level tokenizers write it

export class LocatedTokens {
  /**
   * tokenizer: of the package of npm; rules: tokenizer.json; unknown: the id of what has no token; form: the normal form of texts;
   * marks: runs of the combining characters.
   */
  constructor(tokenizer, rules, unknown, { form, marks }) {
    Object.assign(this, { tokenizer, rules, unknown, form, marks });
    const isNormal = ({ normalized, special }) => tokenizer.normalizer !== null && (normalized ?? !special);
    this.added = [false, true].map((after) => new AddedTokens(rules.added_tokens.filter((token) => isNormal(token) === after), (text) => (
      after ? tokenizer.normalizer.normalize(text) : text)));
    this.words = wordRules(rules.pre_tokenizer);
  }

  /** [{id, start, end}]; start and end count code points. */
  of(text) {
    return this.added[0].split(given(text, this.form, this.marks)).flatMap((section, number) => {
      if (section.token) return located(section);
      const { normalizer } = this.tokenizer;
      const characters = normalizer === null ? section.characters : stepped(section.characters, normalizer, this.marks);
      return this.added[1].split(characters).flatMap((part) => (
        part.token ? located(part) : this.wordsOf(part.characters, number).flatMap((word) => this.tokensOf(word))));
    });
  }

  /** The characters of each word. */
  wordsOf(characters, section) {
    if (!characters.length) return [];
    const { pre_tokenizer: splitter } = this.tokenizer;
    const { mark, isOfBytes, isSplit } = this.words;
    const text = joined(characters);
    const words = (splitter === null ? [text] : splitter.pre_tokenize(text, { section_index: section }))
      .flatMap((word) => (isSplit ? splitBefore(word, mark) : [word])).filter((word) => word.length);
    const written = isOfBytes ? characters.flatMap(bytesOf) : characters.map((each) => this.written(each));
    return charactersOf(words, written, mark);
  }

  written(character) {
    return character.text === " " && this.words.marksBlanks ? { ...character, text: this.words.mark } : character;
  }

  /** [{id, start, end}] of a word. */
  tokensOf(characters) {
    const { model } = this.tokenizer;
    const tokens = [];
    let at = 0;
    let bytes = 0; // of the character at `at` that already have tokens
    for (const token of model.encode([joined(characters)])) {
      const id = Number(model.tokens_to_ids.get(token) ?? model.unk_token_id ?? this.unknown);
      const isByte = this.isByte(token, characters[at]);
      const size = isByte ? 1 : this.sizeOf(token, characters, at);
      if (size < 1 || at + size > characters.length) throw new Error(`the token ${token} is not in the word ${joined(characters)}`);
      const { start } = characters[at];
      const { end } = characters[at + size - 1];
      const before = tokens.at(-1);
      if (model.fuse_unk && before && id === model.unk_token_id && before.id === id) before.end = end;
      else tokens.push({ id, start, end });
      bytes += 1;
      if (isByte && bytes < bytesOf(characters[at]).length) continue;
      at += size;
      bytes = 0;
    }
    return tokens;
  }

  isByte(token, character) {
    return Boolean(this.tokenizer.model.byte_fallback && BYTE.test(token) && character?.text !== "<");
  }

  /** How many characters a token has. */
  sizeOf(token, characters, at) {
    const { type, continuing_subword_prefix: prefix, end_of_word_suffix: suffix } = this.rules.model;
    const rest = characters.length - at;
    if (type === "WordLevel") return rest;
    const { length } = [...token];
    const isUnknown = token === this.tokenizer.model.unk_token;
    if (type === "WordPiece") {
      if (isUnknown && token !== joined(characters)) return rest;
      return length - (at && prefix ? [...prefix].length : 0);
    }
    if (type !== "BPE") return length;
    if (isUnknown) return 1;
    const ends = suffix && token.endsWith(suffix) && length - [...suffix].length === rest;
    return ends ? rest : length;
  }
}

/** Tokens that are searched literally, before a text is split into words. */
class AddedTokens {
  constructor(tokens, written) {
    this.byContent = new Map(tokens.map((token) => [written(token.content), token]));
    const contents = [...this.byContent.keys()].filter((each) => each).sort((one, other) => other.length - one.length);
    this.pattern = contents.length ? new RegExp(contents.map(escaped).join("|"), "g") : null;
  }

  /** [{token, characters}]: the added tokens, and the sections between them, whose token is null. */
  split(characters) {
    if (this.pattern === null) return [{ token: null, characters }];
    const numbers = unitNumbers(characters);
    const sections = [];
    let done = 0;
    for (const { 0: content, index } of joined(characters).matchAll(this.pattern)) {
      const [first, last] = [numbers[index], numbers[index + content.length]];
      sections.push({ token: null, characters: characters.slice(done, first) });
      sections.push({ token: this.byContent.get(content), characters: characters.slice(first, last) });
      done = last;
    }
    sections.push({ token: null, characters: characters.slice(done) });
    sections.forEach(({ token }, at) => {
      if (token?.lstrip) sections[at - 1].characters = trimmed(sections[at - 1].characters, "trimEnd");
      if (token?.rstrip) sections[at + 1].characters = trimmed(sections[at + 1].characters, "trimStart");
    });
    return sections.filter((section) => section.characters.length);
  }
}

const located = ({ token, characters }) => [{ id: token.id, start: characters[0].start, end: characters.at(-1).end }];

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function trimmed(characters, side) {
  const { length } = [...joined(characters)[side]()];
  return side === "trimEnd" ? characters.slice(0, length) : characters.slice(characters.length - length);
}

/** How the words of a pre-tokeniser are written: {mark, marksBlanks, isOfBytes, isSplit}. */
function wordRules(rules) {
  const steps = rules === null ? [] : rules.type === "Sequence" ? rules.pretokenizers : [rules];
  const named = (type) => steps.find((step) => step.type === type);
  const metaspace = named("Metaspace");
  const isOfBytes = named("ByteLevel") !== undefined;
  return {
    mark: isOfBytes ? BLANK_BYTE : metaspace?.replacement ?? null, // before a word
    marksBlanks: metaspace !== undefined && named("WhitespaceSplit") === undefined,
    isOfBytes,
    isSplit: metaspace !== undefined && metaspace.split !== false,
  };
}

/** Parts of a word, each of which begins with the mark. */
const splitBefore = (word, mark) => word.split(new RegExp(`(?=${escaped(mark)})`, "u"));

/** The characters of each word, in order; a mark that only the word has gets the position of the word's first character. */
function charactersOf(words, characters, mark) {
  const text = joined(characters);
  const numbers = unitNumbers(characters);
  let from = 0;
  return words.map((word) => {
    let at = text.indexOf(word, from);
    let written = word;
    if (mark !== null && word.startsWith(mark)) {
      const rest = word.slice(mark.length);
      const bare = text.indexOf(rest, from);
      if (at < 0 || (rest && bare < at)) [at, written] = [bare, rest];
    }
    if (at < 0) throw new Error(`the word ${word} is not in the text ${text.slice(from, from + 40)}`);
    from = at + written.length;
    const own = characters.slice(numbers[at], numbers[from]);
    return written === word ? own : [...spread(mark, characters.slice(numbers[at], numbers[at] + 1)), ...own];
  });
}

/** The bytes of a character, as byte-level tokenizers write them. */
const bytesOf = ({ text, start, end }) => Array.from(ENCODER.encode(text), (byte) => ({ text: BYTES[byte], start, end }));

const ENCODER = new TextEncoder();
const BYTES = (() => { // bytes that are no visible characters of Latin-1 become the characters from 256 on
  const isVisible = (byte) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  let hidden = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const point = isVisible(byte) ? byte : hidden;
    if (!isVisible(byte)) hidden += 1;
    return String.fromCharCode(point);
  });
})();
