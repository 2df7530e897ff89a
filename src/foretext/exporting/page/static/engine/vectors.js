// Sums and cosines of rows, and the rows nearest to a vector. Sums are in float64.

/** Rows of numbers, one after another. */
export class Rows {
  constructor({ numbers, dim }) {
    Object.assign(this, { numbers, dim, size: numbers.length / dim });
  }

  /** A row as a list of its own. */
  row(at) {
    return this.numbers.subarray(at * this.dim, (at + 1) * this.dim);
  }

  /** The length of each row. */
  lengths() {
    const found = new Float64Array(this.size);
    for (let row = 0, at = 0; row < this.size; row += 1) {
      let squares = 0;
      for (const end = at + this.dim; at < end; at += 1) squares += this.numbers[at] * this.numbers[at];
      found[row] = Math.sqrt(squares);
    }
    return found;
  }

  /** The products of all rows with a vector. */
  products(vector) {
    const { numbers, dim, size } = this;
    const found = new Float64Array(size);
    for (let row = 0, at = 0; row < size; row += 1) {
      let sum = 0;
      for (let index = 0; index < dim; index += 1, at += 1) sum += numbers[at] * vector[index];
      found[row] = sum;
    }
    return found;
  }
}

export const length = (vector) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

/** A vector of length 1; zeros stay zeros. */
export function unit(vector) {
  const whole = length(vector);
  return Float64Array.from(vector, (value) => (whole ? value / whole : 0));
}

/** The sum of vectors, each times its factor. */
export function sum(dim, vectors, factors = null) {
  const total = new Float64Array(dim);
  vectors.forEach((vector, at) => {
    const factor = factors ? factors[at] : 1;
    for (let index = 0; index < dim; index += 1) total[index] += factor * vector[index];
  });
  return total;
}

/** The mean; of none zeros. */
export function mean(dim, vectors, count = vectors.length) {
  return sum(dim, vectors).map((value) => value / Math.max(count, 1));
}

/** The indices of the highest scores, best first; of equal scores the lower index. */
export function best(scores, count, isLeftOut = () => false) {
  const found = [];
  for (let index = 0; index < scores.length; index += 1) {
    if (found.length === count && !(scores[index] > scores[found.at(-1)])) continue;
    if (count === 0 || isLeftOut(index)) continue;
    let at = found.length;
    while (at > 0 && scores[found[at - 1]] < scores[index]) at -= 1;
    found.splice(at, 0, index);
    if (found.length > count) found.pop();
  }
  return found;
}
