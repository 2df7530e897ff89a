// node node_windows.js GIVEN: the windows of texts of ids, and one vector of the vectors of windows, through layers; prints JSON.

import { joined, throughLayers, windowsOf } from "./engine/text_windows.js";

const { readFileSync } = require("node:fs");

const { windows, texts, vectors, layers } = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const found = texts.map((ids, text) => {
  const rows = windowsOf(ids, windows);
  const sizes = rows.map((row) => row.length + windows.around);
  return { rows, vector: rows.length ? throughLayers(layers, joined(vectors[text], sizes, windows.pooling)) : null };
});
console.log(JSON.stringify(found));
