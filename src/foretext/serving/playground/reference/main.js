// The page /docs: all routes of openapi.json, family by family.

import { call, setKey } from "../api.js";
import { h } from "../dom.js";
import { Route } from "./route.js";
import { Schemas } from "./schema.js";

const THEME = "foretext.theme"; // as the playground keeps it
const find = (id) => document.getElementById(id);

function families(api) {
  const schemas = new Schemas(api.components?.schemas ?? {});
  const routes = Object.entries(api.paths).flatMap(([path, operations]) => (
    Object.entries(operations).map(([method, operation]) => ({
      family: operation.tags?.[0] ?? "other",
      route: new Route({ method, path, operation, schemas, refused: askForKey }),
    }))));
  const names = [...new Set([...(api.tags ?? []).map(({ name }) => name), ...routes.map((one) => one.family)])];
  return names
    .map((name) => ({
      name,
      told: api.tags?.find((tag) => tag.name === name)?.description ?? "",
      routes: routes.filter((one) => one.family === name).map((one) => one.route),
    }))
    .filter(({ routes: own }) => own.length);
}

function draw(api) {
  const all = families(api);
  find("menu").replaceChildren(...all.flatMap(({ name, routes }) => [
    h("p", { class: "family" }, name),
    h("ul", {}, routes.map(({ id, path }) => h("li", {}, h("a", { href: `docs#${id}` }, h("code", {}, path))))),
  ]));
  find("work").replaceChildren(
    h("div", { class: "stack" }, h("h1", {}, `foretext ${api.info.version}`),
      api.info.description.split("\n\n").map((part) => h("p", { class: "told" }, part))),
    ...all.map(({ name, told, routes }) => h("section", { "aria-label": name },
      h("div", {}, h("h2", {}, name), h("p", { class: "soft" }, told)),
      routes.map((route) => route.node()))),
  );
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

function askForKey() {
  find("key").hidden = false;
  find("key-field").focus();
}

async function start() {
  try {
    draw((await call({ path: "openapi.json" })).answer);
  } catch (error) {
    const retry = h("button", { type: "button", onclick: start }, "Try again");
    const why = error.message || "The server does not answer.";
    find("work").replaceChildren(h("p", { role: "alert" }, why), retry);
  }
}

find("key").addEventListener("submit", (event) => {
  event.preventDefault();
  setKey(find("key-field").value.trim());
  find("key").hidden = true;
});
const theme = localStorage.getItem(THEME);
if (theme) document.documentElement.dataset.theme = theme;
start();
