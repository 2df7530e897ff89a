// What transformers.js makes of an exported folder, offline: one JSON document on standard output.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [packages, folder, request, ...texts] = process.argv.slice(2);
const [what, pooling] = request.split(" ");
const home = createRequire(`${packages}/`).resolve("@huggingface/transformers");
const { AutoTokenizer, AutoModelForTokenClassification, Tensor, env, pipeline } = await import(pathToFileURL(home));
env.allowRemoteModels = false;
env.localModelPath = "/";

async function tagged() {
  const { encode, decode } = await import(pathToFileURL(`${folder}/decode.mjs`));
  const known = JSON.parse(readFileSync(`${folder}/decoding.json`, "utf-8"));
  const tokenizer = await AutoTokenizer.from_pretrained(folder);
  const model = await AutoModelForTokenClassification.from_pretrained(folder, { dtype: "fp32" });
  const [ids, firsts] = encode(texts, tokenizer, known);
  const row = (values) => new Tensor("int64", BigInt64Array.from(values.map(BigInt)), [1, ids.length]);
  const zeros = ids.map(() => 0);
  const inputs = { input_ids: row(ids), attention_mask: row(ids.map(() => 1)), token_type_ids: row(zeros) };
  const { logits } = await model(inputs);
  return decode(logits.tolist()[0], firsts, known).map((place) => known.labels[place]);
}

async function embedded() {
  const run = await pipeline("feature-extraction", folder, { dtype: "fp32" });
  return (await run(texts, { pooling, normalize: true })).tolist();
}

async function classified() {
  const run = await pipeline("text-classification", folder, { dtype: "fp32" });
  return await run(texts, { top_k: null });
}

console.log(JSON.stringify(await { tagged, embedded, classified }[what]()));
