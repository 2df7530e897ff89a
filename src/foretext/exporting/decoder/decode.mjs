// Words to ids, and the scores of a tagger to tags: the best path by decoding.json (Viterbi).
// `known` is the content of that file, `tokenizer` one of transformers.js.

export function encode(words, tokenizer, known) {
  const ids = [], firsts = [];
  for (const [index, word] of spaced(words, known).entries()) {
    let own = tokenizer.encode(word, { add_special_tokens: false });
    own = (own.length ? own : [known.unknown]).slice(0, known.room);
    if (ids.length + own.length > known.room) break;
    firsts.push(known.before.length + ids.length);
    ids.push(...own);
  }
  const row = [...known.before, ...ids, ...known.behind];
  return [row.length ? row : [known.pad], firsts];
}

/** Words as they stand in a text: with a blank before each that follows another, but in scripts without blanks. */
export function spaced(words, known) {
  const unspaced = (end) => known.unspaced.some(([a, b]) => a <= end.codePointAt(0) && end.codePointAt(0) <= b);
  return words.map((word, index) => {
    const ends = index ? [[...words[index - 1]].at(-1), [...word][0]].filter(Boolean) : [];
    return index === 0 || ends.some(unspaced) ? word : " " + word;
  });
}

export function decode(scores, firsts, known) {
  const rows = firsts.map((index) => scores[index]);
  const { transitions: steps, start, end } = known, low = -1e30; // of what is forbidden
  const highest = (values) => values.indexOf(values.reduce((a, b) => (b > a ? b : a), -Infinity));
  if (!rows.length || steps === null) return rows.map((row) => highest([...row]));
  let best = start.map((value, t) => rows[0][t] + (value ?? low));
  const ways = [];
  for (const row of rows.slice(1)) {
    const step = start.map((_, b) => best.map((value, a) => value + (steps[a][b] ?? low)));
    const way = step.map(highest);
    best = step.map((values, b) => values[way[b]] + row[b]);
    ways.push(way);
  }
  const path = [highest(best.map((value, t) => value + (end[t] ?? low)))];
  for (const way of ways.reverse()) path.push(way[path.at(-1)]);
  return path.reverse();
}
