// Words of a text, by classes of characters. Python has written down the class of each character, so that
// no browser's edition of Unicode decides what a letter is.

const SEPARATOR = 0; // a character of no other class
const WORD = 1;
const ALONE = 2;
const IGNORED = 3;
const LAST = 0x110000;

export class Splitter {
  /**
   * tensors  of the file, which has the tables under the name
   * name     of the splitter
   * steps    what is done to a text before: {form, dropped, blanks, lower, dotted, surrogates}
   */
  constructor(tensors, name, steps) {
    this.steps = steps;
    this.classes = new Uint8Array(LAST);
    const starts = tensors.stored(`${name}.starts`);
    tensors.stored(`${name}.kinds`).forEach((kind, run) => this.classes.fill(kind, starts[run], starts[run + 1] ?? LAST));
    const small = tensors.stored(`${name}.small`); // of each capital, its small letter
    this.small = new Map([...tensors.stored(`${name}.capitals`)].map((point, at) => [point, String.fromCodePoint(small[at])]));
  }

  /** A text as its characters are looked at. */
  prepared(text) {
    const { form, dropped, blanks, lower, dotted, surrogates } = this.steps;
    let found = form === "none" ? text : text.normalize(form);
    if (blanks) found = found.replace(new RegExp(blanks.pattern, blanks.flags), " ");
    if (dropped) found = found.replace(new RegExp(`[${dropped}]`, "g"), "");
    if (lower) found = found.toLowerCase();
    if (dotted) found = found.replaceAll("\u0130", "i\u0307");
    return surrogates ? found.replace(/\p{Surrogate}/gu, "?") : found;
  }

  words(text) {
    return this.cut(this.prepared(text));
  }

  /** The words of a text that is prepared. */
  cut(text) {
    const found = [];
    let word = "";
    for (const character of text) {
      const point = character.codePointAt(0);
      const kind = this.classes[point];
      if (kind === IGNORED) continue;
      if (kind !== WORD && word) {
        found.push(word);
        word = "";
      }
      if (kind === WORD) word += this.small.get(point) ?? character;
      else if (kind !== SEPARATOR) found.push(this.small.get(point) ?? character);
    }
    if (word) found.push(word);
    return found;
  }
}
