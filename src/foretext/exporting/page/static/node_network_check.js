// node node_network_check.js FOLDER WANTED: compares the answers of a network in a page with Python's, and prints JSON.

import { compareNetwork } from "./engine/network_check.js";
import { openedNetwork } from "./engine/network_models.js";

const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const [, , folder, wantedPath] = process.argv;

async function run() {
  const load = (name) => import(pathToFileURL(join(folder, "runtime", name)).href);
  const [ort, { Tokenizer }] = [await load("ort.wasm.bundle.min.mjs"), await load("tokenizers.min.mjs")];
  const read = async (name) => {
    const bytes = readFileSync(join(folder, name));
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  };
  const about = JSON.parse(readFileSync(join(folder, "page.json"), "utf-8"));
  const began = performance.now();
  const { model } = await openedNetwork(about, read, { ort, Tokenizer });
  const ready = performance.now();
  const found = await compareNetwork(model, JSON.parse(readFileSync(wantedPath, "utf-8")));
  console.log(JSON.stringify({ ...found, open_ms: ready - began, check_ms: performance.now() - ready }));
}

run().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
