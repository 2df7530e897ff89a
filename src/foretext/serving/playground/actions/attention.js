// Which token looks at which, by layer and head.

import { h } from "../dom.js";
import { number, t } from "../language.js";
import { heads } from "../pictures/heads.js";
import { heatMap } from "../pictures/heat_map.js";
import { columns, folded } from "../pictures/tables.js";

const MOST = 64; // tokens in the picture

export default {
  name: "attention",
  needs: ["attention"],

  fields: ({ examples }) => [{ name: "inputs", kind: "text", rows: 3, value: examples.text }],

  request: ({ inputs }) => ({ path: "attention", body: { inputs } }),

  show: (answer) => new Maps(answer).nodes,
};

class Maps {
  constructor({ tokens, layers }) {
    this.tokens = tokens.slice(0, MOST);
    this.isCut = tokens.length > MOST;
    this.layers = layers; // (L, H, T, T)
    this.layer = choice("layer", layers.length, () => this.draw());
    this.head = choice("head", layers[0].length, () => this.draw());
    this.all = heads(layers, (layer, head) => this.choose(layer, head));
    this.place = h("div", { class: "stack" });
    this.nodes = [
      h("div", { class: "small-fields" }, this.layer.node, this.head.node),
      this.place, h("h2", {}, t("attention.all")), this.all.node,
    ];
    this.draw();
  }

  choose(layer, head) {
    this.layer.select.value = String(layer);
    this.head.select.value = String(head);
    this.draw();
  }

  draw() {
    const [layer, head] = [Number(this.layer.select.value), Number(this.head.select.value)];
    const weights = this.layers[layer][head];
    const named = t("attention.picture", { layer: number(layer + 1), head: number(head + 1) });
    this.all.mark(layer, head);
    this.place.replaceChildren(
      heatMap(this.tokens, weights, named),
      h("p", { class: "soft" }, t(this.isCut ? "attention.cut" : "attention.read", { most: number(MOST) })),
      folded(columns([t("table.token"), ...this.tokens],
        this.tokens.map((token, row) => [token, ...this.tokens.map((_, to) => number(weights[row][to], 2))]), named)),
    );
  }
}

function choice(name, count, changed) {
  const options = Array.from({ length: count }, (_, index) => h("option", { value: index }, number(index + 1)));
  const select = h("select", { id: `choose-${name}`, onchange: changed }, options);
  return { select, node: h("div", { class: "field" }, h("label", { for: select.id }, t(`attention.${name}`)), select) };
}
