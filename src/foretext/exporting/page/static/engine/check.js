// The answers of this page beside those that Python gave: how far apart they are.

import { unit } from "./vectors.js";

/**
 * wanted: {bound, texts: [text], parts: [[word or row]] or null, and by kind of model probabilities: [[chance]],
 * or cosines: [cosine with the text before], known: [whether it has a vector], neighbors: [[word, [[word, cosine]]]]}.
 * Returns {texts, compared, largest, faults}: `largest` is the largest difference of two numbers.
 */
export function compare(model, wanted) {
  const found = { texts: wanted.texts.length, compared: 0, largest: 0, faults: [] };
  const fault = (text) => found.faults.length < 20 && found.faults.push(text);
  const near = (ours, theirs, where) => {
    const difference = Math.abs(ours - theirs);
    found.compared += 1;
    if (!(difference <= found.largest)) found.largest = difference;
    if (!(difference <= wanted.bound)) fault(`${where}: ${ours} here, ${theirs} in Python`);
  };
  wanted.parts?.forEach((_, number) => {
    const text = wanted.texts[number];
    const where = `text ${number + 1} (${JSON.stringify(text.slice(0, 40))})`;
    const [ours, theirs] = [JSON.stringify(model.parts(text)), JSON.stringify(wanted.parts[number])];
    found.compared += 1;
    if (ours !== theirs) fault(`${where}: parts ${ours.slice(0, 300)} here, ${theirs.slice(0, 300)} in Python`);
  });
  if (wanted.probabilities) compareLabels(model, wanted, near, fault);
  else compareVectors(model, wanted, near, fault);
  return found;
}

function compareLabels(model, wanted, near, fault) {
  wanted.texts.forEach((text, number) => {
    const where = `text ${number + 1}`;
    const theirs = wanted.probabilities[number];
    const ours = model.probabilities(text);
    ours.forEach((chance, label) => near(chance, theirs[label], `${where}, label ${model.labels[label]}`));
    const [mine, others] = [ours, theirs].map((each) => each.indexOf(each.reduce((one, other) => Math.max(one, other))));
    const isTie = theirs[others] - theirs[mine] <= 2 * wanted.bound;
    if (mine !== others && !isTie) fault(`${where}: ${model.labels[mine]} here, ${model.labels[others]} in Python`);
  });
}

function compareVectors(model, wanted, near, fault) {
  let before = null;
  wanted.texts.forEach((text, number) => {
    if (!wanted.cosines) return; // texts are cut by jieba
    const vector = unit(model.embed(text));
    if (before) near(dot(vector, before), wanted.cosines[number], `texts ${number} and ${number + 1}`);
    if (vector.some((value) => value !== 0) !== wanted.known[number]) fault(`text ${number + 1}: a vector, or none`);
    before = vector;
  });
  for (const [word, theirs] of wanted.neighbors) {
    const ours = model.neighbors(word, theirs.length);
    if (ours.length !== theirs.length) fault(`neighbours of ${word}: ${ours.length} here, ${theirs.length} in Python`);
    ours.forEach(([name, cosine], place) => {
      near(cosine, theirs[place][1], `neighbour ${place + 1} of ${word}`);
      const own = theirs.find(([other]) => other === name);
      const isTie = Math.abs(theirs.at(-1)[1] - cosine) <= 2 * wanted.bound;
      if (!own && !isTie) fault(`${name} is a neighbour of ${word} here, and not in Python`);
    });
  }
}

const dot = (one, other) => one.reduce((total, value, place) => total + value * other[place], 0);
