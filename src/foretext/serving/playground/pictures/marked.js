// Parts of a text as elements of their own. Places count characters as the server does: code points,
// of which an emoji is one, and two units of a string in JavaScript.

/** parts: [{start, end, ...}] in any order; wrap(part, text) makes the element of each. */
export function marked(text, parts, wrap) {
  const characters = [...text];
  const cut = (start, end) => characters.slice(start, end).join("");
  const nodes = [];
  let done = 0;
  for (const part of [...parts].sort((one, other) => one.start - other.start)) {
    if (part.start < done) continue; // it stands within another one
    nodes.push(cut(done, part.start), wrap(part, cut(part.start, part.end)));
    done = part.end;
  }
  return [...nodes, cut(done)];
}

/** A colour behind an element, from none at 0 to the strongest at 1 on which text can be read. */
export function tinted(element, color, share) {
  const percent = Math.round(STRONGEST * Math.min(1, Math.max(0, share)));
  element.style.background = `color-mix(in srgb, ${color} ${percent}%, transparent)`;
  return element;
}

const STRONGEST = 40; // percent
