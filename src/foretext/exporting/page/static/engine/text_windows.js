// A text of any length as one vector: a network reads windows of it, whose vectors are joined, as foretext.interop.text_windows
// has it.

const ACTIVATIONS = {
  identity: (value) => value,
  tanh: Math.tanh,
  relu: (value) => Math.max(value, 0),
  gelu: (value) => value * (1 + erf(value / Math.SQRT2)) / 2,
  sigmoid: (value) => 1 / (1 + Math.exp(-value)),
  silu: (value) => value / (1 + Math.exp(-value)),
};

/** The windows of ids, each of which shares `overlap` ids with the next; of no ids none. */
export function windowsOf(ids, { room, overlap }) {
  const found = [];
  if (!ids.length) return found;
  for (let start = 0; start < Math.max(ids.length - overlap, 1); start += room - overlap) found.push(ids.slice(start, start + room));
  return found;
}

/** One vector of those of windows: the largest numbers, or the mean by sizes. */
export function joined(vectors, sizes, pooling) {
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  return vectors[0].map((_, at) => (pooling === "max"
    ? vectors.reduce((most, vector) => Math.max(most, vector[at]), -Infinity)
    : vectors.reduce((sum, vector, window) => sum + vector[at] * sizes[window], 0) / whole));
}

/** Layers that a vector goes through: {weight: {numbers, dim}, bias: numbers or null, activation}. */
export function denseLayers(tensors, activations) {
  return activations.map((activation, number) => {
    const bias = `dense${number}.bias`;
    return { weight: tensors.matrix(`dense${number}.weight`), bias: tensors.has(bias) ? tensors.stored(bias) : null, activation };
  });
}

/** What the layers make of a vector. */
export function throughLayers(layers, vector) {
  return layers.reduce((values, { weight: { numbers, dim }, bias, activation }) => (
    Array.from({ length: numbers.length / dim }, (_, row) => {
      const sum = values.reduce((total, value, at) => total + value * numbers[row * dim + at], bias ? bias[row] : 0);
      return ACTIVATIONS[activation](sum);
    })), vector);
}

/** The error function, to 1.5e-7 (Abramowitz and Stegun 1964, 7.1.26). */
function erf(value) {
  const t = 1 / (1 + 0.3275911 * Math.abs(value));
  const sum = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592].reduce((total, factor) => (total + factor) * t, 0);
  return Math.sign(value) * (1 - sum * Math.exp(-value * value));
}
