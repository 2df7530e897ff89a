// All heads of all layers as small pictures; one is chosen by a click or by the arrow keys.

import { h } from "../dom.js";
import { number, t } from "../language.js";

const TONE = [61, 143, 176]; // is seen on light and dark; how strong, the weight says
const LARGEST = 36; // pixels of a side
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** layers: (L, H, T, T). Returns {node, mark(layer, head)}; choose(layer, head) is called. */
export function heads(layers, choose) {
  const buttons = layers.map((one, layer) => one.map((weights, head) => h("button", {
    type: "button", class: "head", tabindex: "-1", "aria-pressed": "false",
    "aria-label": t("attention.picture", { layer: number(layer + 1), head: number(head + 1) }),
    onclick: () => choose(layer, head),
    onkeydown: (event) => step(event, layer, head),
  }, small(weights))));

  function step(event, layer, head) {
    const [down, right] = STEPS[event.key] ?? [0, 0];
    const next = buttons[layer + down]?.[head + right];
    if (!next || next === buttons[layer][head]) return;
    event.preventDefault();
    choose(layer + down, head + right);
    next.focus();
  }

  return {
    node: h("div", { class: "heads", role: "group", "aria-label": t("attention.all") },
      buttons.map((row, layer) => h("div", { class: "row" }, h("span", { class: "soft" }, number(layer + 1)), row))),
    mark: (layer, head) => buttons.flat().forEach((button) => {
      const isChosen = button === buttons[layer][head];
      button.setAttribute("aria-pressed", String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
    }),
  };
}

/** Long texts are drawn smaller: a pixel is the largest weight of its place. */
function small(weights) {
  const size = Math.min(weights.length, LARGEST);
  const pixels = new Float64Array(size * size);
  const at = (index) => Math.floor((index * size) / weights.length);
  weights.forEach((row, from) => row.forEach((weight, to) => {
    const place = at(from) * size + at(to);
    pixels[place] = Math.max(pixels[place], weight);
  }));
  const canvas = h("canvas", { width: size, height: size, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  const image = context.createImageData(size, size);
  const most = Math.max(...pixels, 1e-9);
  pixels.forEach((weight, place) => image.data.set([...TONE, (255 * weight) / most], 4 * place));
  context.putImageData(image, 0, 0);
  return canvas;
}
