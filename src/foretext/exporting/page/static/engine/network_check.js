// The answers of a network in this page beside those of ONNX Runtime in Python.

import { Comparison } from "./check.js";

/**
 * wanted: {bound, texts: [text], ids: [[id]], numbers: [[number]]}: probabilities, or vectors; differences are compared as
 * parts of the largest number of each text. Returns what `compare` of check.js does.
 */
export async function compareNetwork(model, wanted) {
  const found = new Comparison(wanted);
  for (const [number, text] of wanted.texts.entries()) {
    const where = `text ${number + 1} (${JSON.stringify(text.slice(0, 40))})`;
    found.same(model.network.ids(text), wanted.ids[number], `${where}: ids`);
    const [ours, theirs] = [await model.numbers(text), wanted.numbers[number]];
    if (!found.asMany(ours, theirs, where)) continue;
    const largest = Math.max(1e-12, ...theirs.map(Math.abs));
    ours.forEach((value, index) => found.near(value / largest, theirs[index] / largest, `${where}, number ${index + 1}`));
  }
  const { lists, numbers, largest, faults } = found;
  return { texts: wanted.texts.length, lists, numbers, largest, faults };
}
