// node node_tags.js GIVEN: the tokens of texts, their rows, and the answers by given scores, by a page's tagger without its network; prints JSON.

import { Tagger } from "./engine/tagger.js";

const { readFileSync } = require("node:fs");

const { about, texts, scores, vocabulary } = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const pieces = (word) => [...word].map((character) => character.codePointAt(0));
const idOf = (word) => vocabulary?.[word];
const tagger = new Tagger(about, { pieces, idOf });
const found = texts.map((text, number) => ({
  tokens: tagger.splitter.split(text), rows: tagger.rows([text]), answer: tagger.answer([text], scores[number]),
}));
console.log(JSON.stringify(found));
