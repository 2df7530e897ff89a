// The probability of each tag of each token over all paths of a linear chain (Lafferty et al. 2001), by forward and backward sums.

const LOW = -1e30; // of what is forbidden

/** rows: (T, C) scores; steps: {transitions, start, end}, null where something is forbidden. Returns (T, C). */
export function marginals(rows, { transitions, start, end }) {
  if (!rows.length) return [];
  const step = transitions.map((row) => row.map((value) => value ?? LOW));
  const forward = [rows[0].map((score, tag) => score + (start[tag] ?? LOW))];
  for (const row of rows.slice(1)) {
    const before = forward.at(-1);
    forward.push(row.map((score, tag) => score + logSum(before.map((value, other) => value + step[other][tag]))));
  }
  const backward = [end.map((value) => value ?? LOW)]; // of the last token first
  for (const row of rows.slice(1).reverse()) {
    const after = backward.at(-1);
    backward.push(step.map((own) => logSum(own.map((value, tag) => value + row[tag] + after[tag]))));
  }
  backward.reverse();
  return forward.map((values, token) => {
    const sums = values.map((value, tag) => value + backward[token][tag]);
    const whole = logSum(sums);
    return sums.map((value) => Math.exp(value - whole));
  });
}

function logSum(values) {
  const largest = Math.max(...values);
  return largest + Math.log(values.reduce((sum, value) => sum + Math.exp(value - largest), 0));
}
