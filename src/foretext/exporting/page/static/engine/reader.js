// Answers to questions: spans of a text, as foretext.tasks.span_qa finds them.

import { isWithin } from "./character_runs.js";
import { softmax } from "./fasttext.js";

const DIGITS = 1e6; // of a probability, as Python rounds it
const { fround } = Math; // Python adds scores in float32

export class Reader {
  constructor(about, network) {
    Object.assign(this, { network, reading: about.reading, tables: about.offsets });
    this.answers = { answer: async ({ question, passage, k }) => {
      const texts = [question, passage];
      return this.answer(texts, await this.numbers(texts), k);
    } };
  }

  /** {tokens, rows}: the passage's tokens, and its windows: {ids, segments, at, first, size}, the position of the passage in the row, its first token there, and how many there are. */
  windows([question, passage]) {
    const { before, behind, pad } = this.network;
    const { between, question_room: longest, pair_room: both, stride, has_segments: hasSegments } = this.reading;
    const questionIds = this.network.located(question).slice(0, longest).map(({ id }) => id);
    if (!questionIds.length && !before.length) questionIds.push(pad); // the first position means "no answer", so no token of the passage may have it
    const tokens = this.network.located(passage);
    const head = [...before, ...questionIds, ...between];
    const room = both - questionIds.length;
    const step = Math.min(stride, Math.max(Math.floor(room / 2), 1));
    const rows = [];
    for (let first = 0; first < Math.max(tokens.length - room, 0) + step; first += step) {
      const own = tokens.slice(first, first + room).map(({ id }) => id);
      const ids = [...head, ...own, ...behind];
      const segments = ids.map((_, at) => Number(hasSegments && at >= head.length));
      rows.push({ ids, segments, at: head.length, first, size: own.length });
    }
    return { tokens, rows };
  }

  rows(texts) {
    return this.windows(texts).rows;
  }

  /** The scores of all positions of each window for the beginning of an answer, then those for its end. */
  async numbers(texts) {
    const found = [];
    for (const row of this.rows(texts)) {
      for (const scores of await this.network.run(row)) for (const score of scores) found.push(score);
    }
    return found;
  }

  /** {question, context, answers} by the scores of all windows; count: answers, the chosen one first; null: that one alone. */
  answer([question, context], numbers, count = this.reading.num_best + 1) {
    const { tokens, rows } = this.windows([question, context]);
    const spans = [];
    let none = Infinity;
    let done = 0;
    for (const { ids, at, first, size } of rows) {
      const [starts, ends] = [0, 1].map((side) => numbers.slice(done + side * ids.length, done + (side + 1) * ids.length));
      done += 2 * ids.length;
      none = Math.min(none, fround(starts[0] + ends[0]));
      for (const span of this.best(starts.slice(at, at + size), ends.slice(at, at + size))) {
        spans.push({ ...span, first: first + span.first, last: first + span.last });
      }
    }
    const candidates = this.candidates([...context], tokens, highest(spans, ({ score }) => score, spans.length), none);
    return { question, context, answers: candidates.slice(0, count ?? 1) };
  }

  /** The best spans of a window: {first, last, score}, of tokens of the passage in it. */
  best(starts, ends) {
    const { max_answer_length: longest, num_best: number } = this.reading;
    const within = (first) => ends.slice(first, first + longest);
    const ahead = starts.map((score, first) => ({ first, score: fround(score + within(first).reduce((one, other) => Math.max(one, other), -Infinity)) }));
    const spans = highest(ahead, ({ score }) => score, number).flatMap(({ first }) => (
      within(first).map((score, offset) => ({ first, last: first + offset, score: fround(starts[first] + score) }))));
    return highest(spans, ({ score }) => score, number);
  }

  /** The answers with their probabilities: the chosen one first, then the others, the most probable first. */
  candidates(characters, tokens, spans, none) {
    const { num_best: number, may_abstain: mayAbstain, null_threshold: threshold, temperature } = this.reading;
    const pairs = new Map(); // a span of two windows counts once
    for (const span of spans) {
      const key = `${span.first} ${span.last}`;
      if (!pairs.has(key) && pairs.size < number) pairs.set(key, span);
    }
    const byPosition = new Map();
    for (const { first, last, score } of pairs.values()) {
      const [start, end] = this.trimmed(characters, tokens[first].start, tokens[last].end);
      const key = `${start} ${end}`;
      if (start < end && !byPosition.has(key)) byPosition.set(key, { text: characters.slice(start, end).join(""), start, end, score });
    }
    const found = [...byPosition.values()];
    const abstains = !found.length || (mayAbstain && none - found[0].score > threshold);
    if (mayAbstain || !found.length) found.push({ text: "", start: null, end: null, score: none });
    const chances = Array.from(softmax(found.map(({ score }) => score / temperature)));
    const answers = found.map(({ text, start, end }, at) => ({ text, start, end, probability: chances[at] }));
    const [chosen] = answers.splice(abstains ? answers.length - 1 : 0, 1);
    return [chosen, ...highest(answers, ({ probability }) => probability, answers.length)].map(rounded);
  }

  /** Leave white space out, and take in the accents that belong to the last letter. */
  trimmed(characters, start, end) {
    const { marks, blanks } = this.tables;
    while (end < characters.length && isWithin(marks, characters[end])) end += 1;
    while (start < end && isWithin(blanks, characters[start])) start += 1;
    while (start < end && isWithin(blanks, characters[end - 1])) end -= 1;
    return [start, end];
  }
}

/** The elements of the highest values, best first, of equals the first. */
const highest = (elements, value, number) => [...elements].sort((one, other) => value(other) - value(one)).slice(0, number);

const rounded = (answer) => ({ ...answer, probability: Math.round(answer.probability * DIGITS) / DIGITS });
