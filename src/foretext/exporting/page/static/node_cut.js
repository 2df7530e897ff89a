// node node_cut.js TEXTS MODEL...: prints the words of texts, by the splitter of each file, as JSON.

import { Splitter } from "./engine/splitter.js";
import { Tensors } from "./engine/tensors.js";

const { readFileSync } = require("node:fs");
const [, , textsPath, ...paths] = process.argv;

const texts = JSON.parse(readFileSync(textsPath, "utf-8"));
const found = paths.map((path) => {
  const bytes = readFileSync(path);
  const tensors = new Tensors(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const splitter = new Splitter(tensors, "splitter", tensors.about.steps);
  return texts.map((text) => splitter.words(text));
});
console.log(JSON.stringify(found));
