// The page: which model, which action, and the switches above.

import { actions } from "./actions/index.js";
import { ServerError, call, key, setKey } from "./api.js";
import { h } from "./dom.js";
import { refusal } from "./errors.js";
import { has, language, number, setLanguage, t, translatePage } from "./language.js";
import * as place from "./place.js";
import { Workbench } from "./workbench.js";

const WAIT = 1000; // milliseconds between two questions whether the models are loaded
const THEME = "foretext.theme";
const find = (id) => document.getElementById(id);

let models = null; // as /info lists them
let bench = null;
const typed = {}; // by action: what was typed over the examples; it outlives a change of model

const offered = (model) => actions.filter(({ needs, suits }) => (
  needs.every((name) => model.abilities.includes(name)) && (suits?.(model) ?? true)));

async function start() {
  show(h("p", { class: "soft", role: "status" }, t("shell.loading")));
  try {
    const { answer } = await call({ path: "info" });
    if (!answer.models.length) throw new ServerError(503, "");
    models = answer.models;
  } catch (error) {
    show(h("h1", {}, t("shell.title")), refusal(error), h("button", { type: "button", onclick: start }, t("shell.again")));
    if (error.status === 503) setTimeout(start, WAIT);
    refused(error);
    return;
  }
  find("key").hidden = !key();
  find("models").hidden = false;
  find("model").replaceChildren(...models.map(({ name }) => h("option", { value: name }, name)));
  draw();
}

const show = (...nodes) => find("work").replaceChildren(...nodes);

/** Draw the page for the model, the action and the texts that the address names. */
function draw() {
  const { model: name, action: wanted, raw } = place.read();
  const model = models.find((one) => one.name === name) ?? models[0];
  const choices = offered(model);
  const action = choices.find((one) => one.name === wanted) ?? choices[0];
  bench?.stop();
  bench = null;
  drawFacts(model);
  drawMenu(model, choices, action);
  document.title = action ? `${t(`${action.name}.title`)} · foretext` : "foretext";
  if (!action) return show(h("p", {}, t("shell.no_action")));
  bench = new Workbench({
    model, action, raw: { ...typed[action.name], ...raw }, refused,
    changed: (fields) => { typed[action.name] = fields.edited(); },
    kept: (fields) => place.keep(model.name, action.name, fields.raw()),
  });
  return show(...bench.node);
}

/** The same in another language: what was typed and answered stays, examples are translated. */
function redraw() {
  if (!bench) return draw();
  const { model, action, showAgain } = bench;
  place.keep(model.name, action.name, typed[action.name]);
  draw();
  return showAgain?.(bench);
}

function drawFacts(model) {
  find("model").value = model.name;
  const count = (name) => [name, model[name] && number(model[name])];
  const facts = [
    ["kind", kind(model)],
    ...["parameters", "words", "documents", "passages", "dimensions", "max_length"].map(count),
    ["labels", model.labels?.length && shortened(model.labels)],
    ["languages", model.languages?.join(", ")],
  ].filter(([, value]) => value);
  find("facts").replaceChildren(...facts.map(([name, value]) => (
    h("div", {}, h("dt", {}, t(`fact.${name}`)), h("dd", {}, value)))));
}

/** "language model (masked)"; the titles of tasks say what their kinds say. */
function kind({ kind: name, title }) {
  const told = has(`kind.${name}`) ? t(`kind.${name}`) : (title ?? name);
  return name === "language model" && title ? `${told} (${title})` : told;
}

const shortened = (names) => names.slice(0, 6).join(", ") + (names.length > 6 ? ` … (${number(names.length)})` : "");

function drawMenu(model, choices, chosen) {
  const items = choices.map((action) => h("li", {}, h("a", {
    href: place.link(model.name, action.name, {}), "aria-current": action === chosen ? "page" : null,
  }, t(`${action.name}.title`))));
  find("menu").replaceChildren(h("p", { class: "part", "aria-hidden": "true" }, t("shell.actions")), h("ul", {}, items));
}

/** A server that wants a key gets a field for it. */
function refused(error) {
  if (error.status !== 401) return;
  find("key").hidden = false;
  find("key-field").focus();
}

function drawSwitches() {
  translatePage();
  const other = language() === "zh" ? "en" : "zh";
  Object.assign(find("language"), { textContent: { en: "English", zh: "中文" }[other], lang: other });
}

function isDark() {
  const theme = localStorage.getItem(THEME);
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function drawTheme() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  find("dark").setAttribute("aria-pressed", String(isDark()));
}

find("model").addEventListener("change", () => {
  location.hash = place.link(find("model").value, bench?.action.name ?? "");
});
find("language").addEventListener("click", () => {
  setLanguage(find("language").lang);
  drawSwitches();
  if (models) redraw();
});
find("dark").addEventListener("click", () => {
  localStorage.setItem(THEME, isDark() ? "light" : "dark");
  drawTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTheme);
find("key").addEventListener("submit", (event) => {
  event.preventDefault();
  setKey(find("key-field").value);
  if (models) bench?.run();
  else start();
});
addEventListener("hashchange", () => models && draw());
addEventListener("keydown", (event) => event.key === "Escape" && bench?.stop());

drawTheme();
drawSwitches();
start();
