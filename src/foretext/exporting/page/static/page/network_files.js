// The files of a network: fetched from the server that has handed out this page; a local file may not fetch any.

import { openedNetwork } from "../engine/network_models.js";

/** Whether this page holds a network. */
export const hasNetwork = () => document.querySelector("meta[name=foretext-network]") !== null;

export async function networkOfPage() {
  const about = JSON.parse(new TextDecoder().decode(await read("page.json")));
  const [ort, { Tokenizer }] = await Promise.all([
    import("./runtime/ort.wasm.bundle.min.mjs"), import("./runtime/tokenizers.min.mjs"),
  ]);
  return openedNetwork(about, read, { ort, Tokenizer });
}

async function read(name) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.arrayBuffer();
}
