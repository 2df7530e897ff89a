// A network in ONNX: its tokenizer turns a text into ids, and ONNX Runtime turns these into numbers.

const GRAPH = "model.onnx";
const TOKENIZER = ["tokenizer.json", "tokenizer_config.json"];
const WASM = "runtime/ort-wasm-simd-threaded.wasm";

export class Network {
  /**
   * about: what page.json holds; read: (name) => promise of the bytes of a file of the page; runtime: {ort, Tokenizer},
   * the modules of onnxruntime-web and of @huggingface/tokenizers.
   */
  static async open(about, read, { ort, Tokenizer }) {
    const [graph, wasm, ...settings] = await Promise.all([GRAPH, WASM, ...TOKENIZER].map(read));
    ort.env.wasm.wasmBinary = wasm;
    ort.env.wasm.numThreads = 1; // several need headers that a plain server of files does not send
    const session = await ort.InferenceSession.create(new Uint8Array(graph), { executionProviders: ["wasm"] });
    return new Network(about.input, new Tokenizer(...settings.map(json)), session, ort.Tensor);
  }

  constructor({ before, behind, room, pad, outputs }, tokenizer, session, Tensor) {
    Object.assign(this, { before, behind, room, pad, outputs, tokenizer, session, Tensor });
    this.turn = Promise.resolve(); // a session computes one text at a time
  }

  /** What the network reads of a text: the beginning of one that is too long. */
  ids(text) {
    const { ids } = this.tokenizer.encode(text, { add_special_tokens: false });
    const row = [...this.before, ...ids.slice(0, this.room).map(Number), ...this.behind];
    return row.length ? row : [this.pad];
  }

  /** The first output of a text, as an array of numbers. */
  run(text) {
    const mine = this.turn.then(() => this.compute(this.ids(text)));
    this.turn = mine.catch(() => {});
    return mine;
  }

  async compute(ids) {
    const row = (values) => new this.Tensor("int64", BigInt64Array.from(values, BigInt), [1, ids.length]);
    const feeds = { input_ids: row(ids), attention_mask: row(ids.map(() => 1)), token_type_ids: row(ids.map(() => 0)) };
    const known = this.session.inputNames.map((name) => [name, feeds[name]]);
    const found = await this.session.run(Object.fromEntries(known), this.outputs);
    return Array.from(found[this.outputs[0]].data);
  }
}

const json = (bytes) => JSON.parse(new TextDecoder().decode(bytes));
