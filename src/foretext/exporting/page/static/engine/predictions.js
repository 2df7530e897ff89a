// What a page answers of a text that a classifier reads.

/** All labels of a text with their probabilities, the most probable first. */
export function predictions(model, text) {
  const chances = model.probabilities(text);
  return model.labels.map((label, index) => ({ label, score: chances[index] })).sort((one, other) => other.score - one.score);
}
