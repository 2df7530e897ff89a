// The characters of a text with their positions in the text as it was given, through all normal forms.
//
// A character is {text, start, end}; start and end count code points of the given text, `end` is exclusive. The rules are
// those of foretext.corpus.decoding, and of the library `tokenizers` for Python.

import { isWithin } from "./character_runs.js";

const COMPOSING = new Set(["NFC", "NFD", "NFKC", "NFKD", "Precompiled"]); // steps by which neighbours become one character

export const joined = (characters) => characters.map(({ text }) => text).join("");

/** The characters of a text, all with the positions of the same characters of another text, `part`. */
export const spread = (text, part) => [...text].map((each) => ({ text: each, start: part[0].start, end: part.at(-1).end }));

/** The characters of a text in a normal form, "none" or that of String.normalize; marks: runs of the combining characters. */
export function given(text, form, marks) {
  const characters = [...text].map((each, at) => ({ text: each, start: at, end: at + 1 }));
  if (form === "none" || text.normalize(form) === text) return characters;
  const normalize = remembered((part) => part.normalize(form));
  return parts(characters, normalize, marks).flatMap((part) => spread(normalize(joined(part)), part));
}

/** The characters after a step of the tokenizer's normaliser, an object of the package of npm. */
export function stepped(characters, step, marks) {
  const { type } = step.config;
  if (type === "Sequence") return step.normalizers.reduce((found, each) => stepped(found, each, marks), characters);
  if (type === "Prepend") return characters.length ? [...spread(step.config.prepend, characters.slice(0, 1)), ...characters] : characters;
  if (type === "Strip") return stripped(characters, step.config);
  if (type === "Replace") return replaced(characters, step.pattern, step.config.content ?? "");
  const normalize = remembered((text) => step.normalize(text));
  const groups = COMPOSING.has(type) ? parts(characters, normalize, marks) : characters.map((character) => [character]);
  return groups.flatMap((group) => {
    const whole = normalize(joined(group));
    const alone = group.map(({ text }) => normalize(text));
    if (alone.join("") !== whole) return spread(whole, group);
    return group.flatMap((character, at) => spread(alone[at], [character]));
  });
}

/** The shortest parts that are normalised separately: letters with their marks. */
function parts(characters, normalize, marks) {
  const found = [];
  let part = [];
  let before = "";
  for (const character of characters) {
    if (part.length && standsApart(before, character.text, normalize, marks)) {
      found.push(part);
      part = [];
      before = "";
    }
    part.push(character);
    before += character.text;
  }
  return part.length ? [...found, part] : found;
}

/** Whether a character changes nothing before it, and nothing after it can change that. */
const standsApart = (before, character, normalize, marks) => (
  !isWithin(marks, character) && normalize(before + character) === normalize(before) + normalize(character));

function stripped(characters, { strip_left: left, strip_right: right }) {
  const isBlank = ({ text }) => text.trim() === "";
  let first = 0;
  let last = characters.length;
  while (left && first < last && isBlank(characters[first])) first += 1;
  while (right && last > first && isBlank(characters[last - 1])) last -= 1;
  return characters.slice(first, last);
}

/** Replace each match of a pattern; all new characters get the position of the last matched one, as in the library. */
function replaced(characters, pattern, content) {
  if (pattern === null) return characters;
  const numbers = unitNumbers(characters);
  const found = [];
  let done = 0;
  for (const { 0: match, index } of joined(characters).matchAll(pattern)) {
    const [first, last] = [numbers[index], numbers[index + match.length]];
    found.push(characters.slice(done, first), last > first ? spread(content, characters.slice(last - 1, last)) : []);
    done = last;
  }
  return [...found, characters.slice(done)].flat();
}

/** For each UTF-16 unit of the joined text the index of its character; after them, the number of characters. */
export function unitNumbers(characters) {
  return [...characters.flatMap(({ text }, number) => Array(text.length).fill(number)), characters.length];
}

/** The same function with a cache. */
function remembered(compute) {
  const known = new Map();
  return (text) => {
    if (!known.has(text)) known.set(text, compute(text));
    return known.get(text);
  };
}
