// The answers of a network in this page beside those of ONNX Runtime in Python.

import { Comparison } from "./check.js";

/**
 * wanted: {bound, texts: [text], ids: [[id]], numbers: [[number]]}: probabilities, or vectors, which are compared as parts
 * of the longest of them. Returns what `compare` of check.js does.
 */
export async function compareNetwork(model, wanted) {
  const found = new Comparison(wanted);
  const longest = Math.max(1, ...wanted.numbers.flat().map(Math.abs));
  for (const [number, text] of wanted.texts.entries()) {
    const where = `text ${number + 1} (${JSON.stringify(text.slice(0, 40))})`;
    found.same(model.network.ids(text), wanted.ids[number], `${where}: ids`);
    const [ours, theirs] = [await model.numbers(text), wanted.numbers[number]];
    if (!found.asMany(ours, theirs, where)) continue;
    ours.forEach((value, place) => found.near(value / longest, theirs[place] / longest, `${where}, number ${place + 1}`));
  }
  const { lists, numbers, largest, faults } = found;
  return { texts: wanted.texts.length, lists, numbers, largest, faults };
}
