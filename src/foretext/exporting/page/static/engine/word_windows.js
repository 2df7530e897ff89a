// Words of a text as rows that a network can read: each is answered in the row where it is furthest from a cut, as
// foretext.tasks.tagging.windows has it.

const SHARED = 2; // rows share this part of their room

/**
 * words: the ids of each; room: ids of a row. Returns [{ids, answered: [index of the first id in ids, ...], first, last}]: the words
 * that the rows answer are those of the text, in order; a row holds the words from first up to last.
 */
export function wordWindows(words, room) {
  const pieces = words.map((ids) => ids.slice(0, room));
  const ends = [0]; // where each word begins
  for (const piece of pieces) ends.push(ends.at(-1) + piece.length);
  const rows = heldBy(ends, room);
  const owners = ownersOf(ends, rows);
  return rows.map(([first, last], row) => {
    const held = Array.from({ length: last - first }, (_, offset) => first + offset);
    const answered = held.filter((word) => owners[word] === row).map((word) => ends[word] - ends[first]);
    return { ids: pieces.slice(first, last).flat(), answered, first, last };
  });
}

/** The words [first, last) of each row, as many as there is room for. */
function heldBy(ends, room) {
  const held = [];
  let first = 0;
  for (;;) {
    let last = first;
    while (last < ends.length - 1 && ends[last + 1] <= ends[first] + room) last += 1;
    held.push([first, last]);
    if (last === ends.length - 1) return held;
    do first += 1; while (ends[first] < ends[last] - Math.floor(room / SHARED));
  }
}

/** The row of each word: the one with the most context, the first of equals; the end of the text is no cut. */
function ownersOf(ends, held) {
  const numWords = ends.length - 1;
  const widest = new Array(numWords).fill(-1);
  const owners = new Array(numWords).fill(0);
  held.forEach(([first, last], row) => {
    for (let word = first; word < last; word += 1) {
      const left = row === 0 ? Infinity : ends[word] - ends[first];
      const right = last === numWords ? Infinity : ends[last] - ends[word + 1];
      const context = Math.min(left, right);
      if (context > widest[word]) {
        widest[word] = context;
        owners[word] = row;
      }
    }
  });
  return owners;
}
