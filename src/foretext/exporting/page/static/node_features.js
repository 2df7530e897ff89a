// node node_features.js MODEL TEXTS: the features of the tokens of texts, by the linear tagger of a file, as JSON.

import { LinearTagger } from "./engine/linear_tagger.js";
import { Tensors } from "./engine/tensors.js";

const { readFileSync } = require("node:fs");
const [, , path, textsPath] = process.argv;

const bytes = readFileSync(path);
const tagger = new LinearTagger(new Tensors(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)));
const texts = JSON.parse(readFileSync(textsPath, "utf-8"));
console.log(JSON.stringify(texts.map((text) => tagger.named(tagger.parts(text).map(([token]) => token)))));
