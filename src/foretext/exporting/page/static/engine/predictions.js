// What a page answers of a text that a classifier reads.

/** All labels of a text with their probabilities, the most probable first. */
export const predictions = (model, text) => ranked(model.labels, model.probabilities(text));

/** Labels with their probabilities, the most probable first. */
export function ranked(labels, chances) {
  return labels.map((label, index) => ({ label, score: chances[index] })).sort((one, other) => other.score - one.score);
}
