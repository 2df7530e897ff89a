// Runs a GGUF file in llama.cpp: `node llama_cpp.mjs FOLDER_OF_NODE_LLAMA_CPP FILE`.
// Each line of JSON is a question, and gets a line as its answer.

import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const SMALL = 50_000_000; // bytes of a model for which threads wait longer than they compute
const [folder, file] = process.argv.slice(2);
const log = [];
let llama = null;
let model = null;
let valuesOf = null;

async function about() {
  const { getLlama } = await import(pathToFileURL(path.join(folder, "dist", "index.js")));
  llama = await getLlama({
    gpu: false,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    maxThreads: fs.statSync(file).size < SMALL ? 1 : undefined,
    logger: (level, text) => log.push(text.trim()),
  });
  return llama.llamaCppRelease?.release ?? "";
}

const packed = (numbers) => Buffer.from(Float32Array.from(numbers).buffer).toString("base64");

// The vector of a row of ids, pooled as the file says.
async function vectors(options) {
  const context = await model.createEmbeddingContext(options);
  return async (row) => (await context.getEmbeddingFor(row)).vector;
}

// The scores of the token that follows a row of ids, by id.
async function scores(options) {
  const sequence = (await model.createContext(options)).getSequence();
  return async (row) => {
    await sequence.clearHistory();
    const last = [row.at(-1), { generateNext: { logits: true, options: {} } }];
    const found = (await sequence.controlledEvaluate([...row.slice(0, -1), last])).at(-1);
    const byId = new Float32Array(found.next.logits.size);
    for (const [id, score] of found.next.logits) byId[id] = score;
    return byId;
  };
}

async function answers({ texts, prefix, suffix, room, positions, writes, onlyIds }) {
  model ??= await llama.loadModel({ modelPath: file });
  const size = positions + 8; // it needs more room than the longest text takes
  valuesOf ??= await (writes ? scores : vectors)({ contextSize: size, batchSize: size });
  const rows = [];
  for (const text of texts) {
    const own = model.tokenize(text, true).slice(0, room);
    const ids = [...prefix, ...own, ...suffix];
    rows.push({ ids, values: own.length > 0 && !onlyIds ? packed(await valuesOf(ids)) : "" });
  }
  return rows;
}

const known = { about, answers };
for await (const line of readline.createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = { found: await known[request.what](request) };
  } catch (error) {
    answer = { error: [error.message ?? `${error}`, ...log.slice(-2)].join("; ") };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
