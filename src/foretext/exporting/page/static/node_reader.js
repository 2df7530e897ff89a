// node node_reader.js GIVEN PACKAGE: the tokens of texts, the rows of questions, and the answers by given scores, by a page's reader without its network; prints JSON.

import { LocatedTokens } from "./engine/located_tokens.js";
import { Reader } from "./engine/reader.js";

const { readFileSync } = require("node:fs");
const { pathToFileURL } = require("node:url");

async function run() {
  const { about, settings, inputs, scores } = JSON.parse(readFileSync(process.argv[2], "utf-8"));
  const { Tokenizer } = await import(pathToFileURL(process.argv[3]).href);
  const locator = new LocatedTokens(new Tokenizer(...settings), settings[0], about.input.unknown, about.offsets);
  const reader = new Reader(about, { ...about.input, located: (text) => locator.of(text) });
  const found = inputs.map((texts, number) => ({
    tokens: locator.of(texts[1]), rows: reader.rows(texts), answer: scores && reader.answer(texts, scores[number]),
  }));
  console.log(JSON.stringify(found));
}

run();
