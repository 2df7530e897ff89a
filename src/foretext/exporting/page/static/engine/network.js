// A network in ONNX: its tokenizer turns a text into ids, and ONNX Runtime turns these into numbers.

import { LocatedTokens } from "./located_tokens.js";

const GRAPH = "model.onnx";
const TOKENIZER = ["tokenizer.json", "tokenizer_config.json"];
const WASM = "runtime/ort-wasm-simd-threaded.wasm";

export class Network {
  /**
   * about: what page.json holds; read: (name) => promise of the bytes of a file of the page; runtime: {ort, Tokenizer},
   * the modules of onnxruntime-web and of @huggingface/tokenizers.
   */
  static async open(about, read, { ort, Tokenizer }) {
    const [graph, wasm, ...files] = await Promise.all([GRAPH, WASM, ...TOKENIZER].map(read));
    ort.env.wasm.wasmBinary = wasm;
    ort.env.wasm.numThreads = 1; // several need headers that a plain server of files does not send
    const session = await ort.InferenceSession.create(new Uint8Array(graph), { executionProviders: ["wasm"] });
    const settings = files.map(json);
    const network = new Network(about.input, new Tokenizer(...settings), session, ort.Tensor);
    network.vocabulary = settings[0].model.vocab;
    if (about.offsets) network.locator = new LocatedTokens(network.tokenizer, settings[0], network.unknown, about.offsets);
    return network;
  }

  constructor({ before, behind, room, pad, unknown, outputs }, tokenizer, session, Tensor) {
    Object.assign(this, { before, behind, room, pad, unknown, outputs, tokenizer, session, Tensor });
    this.turn = Promise.resolve(); // a session computes one text at a time
  }

  /** The ids of a text, without those that stand around it. */
  pieces(text) {
    const { ids } = this.tokenizer.encode(text, { add_special_tokens: false });
    return ids.map((id) => Number(id ?? this.unknown)); // none where tokenizer_config.json names no unknown token
  }

  /** The id of a token of a vocabulary of words, or undefined. */
  idOf(token) {
    return Object.hasOwn(this.vocabulary, token) ? this.vocabulary[token] : undefined;
  }

  /** [{id, start, end}]: the ids of a text with the characters that they stand for, if page.json says how these are found. */
  located(text) {
    return this.locator.of(text);
  }

  /** The row of a text: the beginning of one that is too long. */
  row(text) {
    const ids = [...this.before, ...this.pieces(text).slice(0, this.room), ...this.behind];
    return { ids: ids.length ? ids : [this.pad] };
  }

  /** The row of two texts: {ids, segments}; of those that are too long, the beginnings. */
  pairRow(texts, { between, room, has_segments: hasSegments }) {
    const pieces = texts.map((text) => this.pieces(text));
    const [first, second] = cut(pieces.map(({ length }) => length), room).map((size, at) => pieces[at].slice(0, size));
    const before = [...this.before, ...first, ...between];
    const behind = [...second, ...this.behind];
    const ids = [...before, ...behind];
    if (!ids.length) return { ids: [this.pad] };
    return { ids, segments: ids.map((_, at) => Number(hasSegments && at >= before.length)) };
  }

  /** The outputs for a row, {ids, segments, characters}, of which only ids are needed, as an array of numbers each. */
  run(row) {
    const mine = this.turn.then(() => this.compute(row));
    this.turn = mine.catch(() => {});
    return mine;
  }

  async compute({ ids, segments = ids.map(() => 0), characters = null }) {
    const tensor = (values, ...width) => new this.Tensor("int64", BigInt64Array.from(values, BigInt), [1, ids.length, ...width]);
    const feeds = { input_ids: tensor(ids), attention_mask: tensor(ids.map(() => 1)), token_type_ids: tensor(segments) };
    if (characters) feeds.characters = tensor(characters, characters.length / ids.length);
    const known = this.session.inputNames.map((name) => [name, feeds[name]]);
    const found = await this.session.run(Object.fromEntries(known), this.outputs);
    return this.outputs.map((name) => Array.from(found[name].data));
  }
}

/** How many ids of two texts stay in a room: the longer text loses first, as in the library for Python. */
function cut([first, second], room) {
  if (first + second <= room) return [first, second];
  if (first > second) return cut([second, first], room).reverse();
  if (2 * first <= room) return [first, room - first];
  return [Math.floor(room / 2), room - Math.floor(room / 2)];
}

const json = (bytes) => JSON.parse(new TextDecoder().decode(bytes));
