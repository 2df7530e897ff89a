// An index whose queries a network reads: passages by the cosine of their vectors with that of a query.

import { Passages } from "./passages.js";
import { denseLayers, joined, throughLayers, windowsOf } from "./text_windows.js";
import { unit } from "./vectors.js";

export class NetworkSearch {
  constructor(about, network, tensors) {
    Object.assign(this, { network, windows: about.windows, passages: new Passages(tensors) });
    this.layers = denseLayers(tensors, about.windows.activations);
    this.answers = { search: async ({ query, k }) => this.passages.found(query, await this.numbers([query]), k) };
  }

  /** The windows of a query. */
  rows([query]) {
    const { before, behind } = this.network;
    return windowsOf(this.network.pieces(query.normalize("NFC")), this.windows).map((ids) => ({ ids: [...before, ...ids, ...behind] }));
  }

  /** The vector of a query, of length 1; zeros of one without tokens. */
  async numbers(texts) {
    const rows = this.rows(texts);
    const vectors = [];
    for (const row of rows) vectors.push((await this.network.run(row))[0]);
    const whole = rows.length ? joined(vectors, rows.map(({ ids }) => ids.length), this.windows.pooling) : [];
    if (!whole.some((value) => value !== 0)) return new Array(this.passages.rows.dim).fill(0);
    return Array.from(unit(throughLayers(this.layers, whole)));
  }
}
