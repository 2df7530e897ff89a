// Classes and small letters of characters, as Python has them.

/** The number of the run that a code point is in; starts: the first code point of each run. */
export function runOf(starts, point) {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= point) low = middle;
    else high = middle;
  }
  return low;
}

/** Whether a character is in one of every second run; starts: the first code point of each run. */
export const isWithin = (starts, character) => runOf(starts, character.codePointAt(0)) % 2 === 1;

export class CharacterRuns {
  /** tensors: of the file; name: of the runs in it. */
  constructor(tensors, name) {
    Object.assign(this, { starts: tensors.stored(`${name}.starts`), kinds: tensors.stored(`${name}.kinds`) });
  }

  /** The class of a character. */
  of(character) {
    return this.kinds[runOf(this.starts, character.codePointAt(0))];
  }
}

const SIGMA = "Σ"; // its small letter depends on the letters around it

/** What Python's `str.lower` gives. */
export class SmallLetters {
  /** capitals, letters: code points of capitals, and of the small letter of each. */
  constructor({ capitals, letters }) {
    this.small = new Map([...capitals].map((point, at) => [String.fromCodePoint(point), String.fromCodePoint(letters[at])]));
    this.small.set("\u0130", "i\u0307"); // I with a dot
  }

  of(text) {
    const small = [...text].map((character) => this.small.get(character) ?? character);
    if (!text.includes(SIGMA)) return small.join("");
    const whole = text.toLowerCase();
    let end = 0; // in `whole`, of the characters before this one
    return [...text].map((character, at) => {
      const own = character === SIGMA ? whole[end] : small[at];
      end += character.toLowerCase().length;
      return own;
    }).join("");
  }
}
