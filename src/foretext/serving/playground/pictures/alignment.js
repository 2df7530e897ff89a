// Which words of two texts belong together. The words are buttons: one that the pointer is over, or
// that has the focus, marks its partners; a click keeps them. Arrow keys go from word to word, and up
// and down to the strongest partner. The matrix has all weights.

import { h } from "../dom.js";
import { number, t } from "../language.js";
import { tinted } from "./marked.js";

const FAINTEST = 0.25; // of the largest weight of a word; partners below it are not marked
const LARGEST = 40; // words of a text in the matrix

/** weights: a row for each target word, a number in it for each source word. */
export function alignment(sources, targets, weights) {
  const sides = [
    new Side(t("align.source"), sources, sources.map((_, column) => weights.map((row) => row[column] ?? 0))),
    new Side(t("align.target"), targets, weights.map((row) => row.map((weight) => weight ?? 0))),
  ];
  const said = h("p", { class: "soft", role: "status" }, t("align.hint"));
  let kept = null; // [side, place] of the word that was clicked
  const show = (chosen) => {
    for (const side of sides) side.clear();
    said.textContent = chosen ? mark(sides, ...chosen) : t("align.hint");
  };
  sides.forEach((side, number_) => side.listen({
    enter: (place) => show([number_, place]),
    leave: () => show(kept),
    click: (place) => {
      kept = kept?.[0] === number_ && kept[1] === place ? null : [number_, place];
      sides.forEach((each, other) => each.keep(kept?.[0] === other ? kept[1] : null));
      show(kept ?? [number_, place]);
    },
    cross: (place) => sides[1 - number_].focus(best(side.weights[place])),
  }));
  return h("div", { class: "stack" }, sides.map((side) => side.node), said,
    matrix(sources.slice(0, LARGEST), targets.slice(0, LARGEST), weights));
}

/** Mark a word and its partners on the other side; returns them as a sentence. */
function mark(sides, number_, place) {
  const [side, other] = [sides[number_], sides[1 - number_]];
  const given = side.weights[place];
  const most = Math.max(...given, 1e-9);
  const partners = given.map((weight, at) => ({ weight, at })).filter(({ weight }) => weight >= FAINTEST * most);
  side.buttons[place].classList.add("looks");
  for (const { weight, at } of partners) {
    other.buttons[at].classList.add("seen");
    tinted(other.buttons[at], "var(--series-2)", weight / most);
  }
  const ranked = partners.sort((one, next) => next.weight - one.weight);
  const names = ranked.map(({ weight, at }) => `${other.words[at]} ${number(weight, 2)}`).join(", ");
  return `${side.words[place]} ${number_ ? "←" : "→"} ${names}`;
}

const best = (weights) => weights.indexOf(Math.max(...weights));

/** The words of one text as a row of buttons, of which the tabulator reaches one. */
class Side {
  constructor(name, words, weights) {
    Object.assign(this, { words, weights });
    this.buttons = words.map((word, place) => h("button", {
      type: "button", class: "aligned", tabindex: place ? "-1" : "0", "aria-pressed": "false",
    }, word));
    this.node = h("div", {}, h("h2", {}, name),
      h("div", { class: "aligned-words", role: "group", "aria-label": name }, this.buttons));
  }

  listen({ enter, leave, click, cross }) {
    const last = this.buttons.length - 1;
    this.buttons.forEach((button, place) => {
      const to = {
        ArrowLeft: () => this.focus(Math.max(0, place - 1)), ArrowRight: () => this.focus(Math.min(last, place + 1)),
        Home: () => this.focus(0), End: () => this.focus(last),
        ArrowUp: () => cross(place), ArrowDown: () => cross(place),
      };
      const listeners = {
        mouseenter: () => enter(place), mouseleave: leave, focus: () => enter(place), blur: leave,
        click: () => click(place),
        keydown: (event) => {
          if (!(event.key in to)) return;
          event.preventDefault();
          to[event.key]();
        },
      };
      for (const [name, listener] of Object.entries(listeners)) button.addEventListener(name, listener);
    });
  }

  focus(place) {
    this.buttons.forEach((button, other) => { button.tabIndex = other === place ? 0 : -1; });
    this.buttons[place].focus();
  }

  keep(place) {
    this.buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === place)));
  }

  clear() {
    for (const button of this.buttons) {
      button.classList.remove("looks", "seen");
      button.style.background = "";
    }
  }
}

function matrix(sources, targets, weights) {
  const cell = (weight) => tinted(h("td", {}, number(weight ?? 0, 2)), "var(--series-2)", weight ?? 0);
  const table = h("table", { class: "alignment", "aria-label": t("align.matrix") },
    h("thead", {}, h("tr", {}, h("td"), sources.map((word) => h("th", { scope: "col" }, h("span", {}, word))))),
    h("tbody", {}, targets.map((word, row) => h("tr", {}, h("th", { scope: "row" }, word),
      sources.map((_, column) => cell(weights[row][column]))))));
  return h("div", { class: "stack" }, h("h2", {}, t("align.matrix")),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("align.matrix") }, table));
}
