// node node_check.js MODEL WANTED: compares the answers of a page's model with Python's, and prints JSON.

import { compare } from "./engine/check.js";
import { opened } from "./engine/models.js";

const { readFileSync } = require("node:fs");
const [, , modelPath, wantedPath] = process.argv;

const bytes = readFileSync(modelPath);
const wanted = JSON.parse(readFileSync(wantedPath, "utf-8"));
const began = performance.now();
const { model } = opened(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const ready = performance.now();
const found = compare(model, wanted);
console.log(JSON.stringify({ ...found, open_ms: ready - began, check_ms: performance.now() - ready }));
