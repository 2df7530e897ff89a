// A text becomes passages that can be found: its paragraphs, or its lines where no line is empty. Long
// ones are divided at the ends of sentences.

const LONGEST = 600; // characters
const SENTENCE = /[^.!?。！？]*[.!?。！？]+["'”’」)]*\s*|[^.!?。！？]+$/gu;

/** The passages of a text, without empty ones. */
export function passages(text) {
  const lines = text.replaceAll("\r", "");
  const blocks = /\n\s*\n/.test(lines.trim()) ? lines.split(/\n\s*\n/) : lines.split("\n");
  return blocks.map((block) => block.replace(/\s+/g, " ").trim()).filter(Boolean).flatMap(divided);
}

function divided(block) {
  if (block.length <= LONGEST) return [block];
  const parts = [""];
  for (const sentence of block.match(SENTENCE) ?? [block]) {
    for (const piece of pieces(sentence)) {
      if (parts.at(-1).length + piece.length > LONGEST) parts.push("");
      parts[parts.length - 1] += piece;
    }
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** A sentence that is itself too long, in parts that end at a blank where there is one. */
function pieces(sentence) {
  const found = [];
  let rest = sentence;
  while (rest.length > LONGEST) {
    const blank = rest.lastIndexOf(" ", LONGEST);
    const end = blank > LONGEST / 2 ? blank + 1 : LONGEST;
    found.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...found, rest];
}
