// One route: what it takes, what it answers, its calls by curl and Python, and a way to try it.

import { address, key } from "../api.js";
import { curl, python } from "../code.js";
import { h } from "../dom.js";

const MOST = 20_000; // characters of an answer that are shown

export class Route {
  /** @param refused is called when the server wants a key. */
  constructor({ method, path, operation, schemas, refused }) {
    Object.assign(this, { method: method.toUpperCase(), path, operation, schemas, refused });
    this.id = `${method}${path.replaceAll(/[^\w]+/g, "-")}`;
    this.body = operation.requestBody?.content["application/json"]?.schema ?? null;
    this.calls = { curl: pre("curl"), python: pre("Python") };
    this.answer = h("pre", { tabindex: "0", hidden: true, "aria-label": "Answer" });
    this.status = h("span", { class: "status", role: "status" });
  }

  node() {
    const { operation } = this;
    const node = h("article", { class: "route", id: this.id, "aria-labelledby": `${this.id}-title` },
      h("h3", { id: `${this.id}-title` }, h("span", { class: "method" }, this.method), " ", this.path),
      h("p", { class: "told" }, plain(operation.description ?? "")),
      this.body && table("Fields of the body", this.schemas.fields(this.body), true),
      this.path.includes("{") ? null : this.trial(),
      details("curl", this.calls.curl),
      details("Python", this.calls.python),
      this.answers());
    this.show();
    return node;
  }

  trial() {
    const send = h("button", { type: "submit", class: "main" }, "Send");
    const form = h("form", { onsubmit: (event) => { event.preventDefault(); this.send(); } },
      this.body && this.editor(), h("div", { class: "row" }, send, this.status), this.answer);
    form.setAttribute("aria-label", `Try ${this.path}`);
    return form;
  }

  editor() {
    const text = JSON.stringify(this.schemas.sample(this.body), null, 2);
    const field = `${this.id}-body`;
    this.text = h("textarea", {
      id: field, rows: String(Math.min(14, text.split("\n").length + 1)), spellcheck: "false",
      autocapitalize: "off", value: text, oninput: () => this.show(),
    });
    return h("div", { class: "field" }, h("label", { for: field }, "Body"), this.text);
  }

  /** Write the calls of what stands in the body; of what is no JSON nothing. */
  show() {
    const request = this.request();
    if (!request) return;
    this.calls.curl.textContent = curl(request);
    this.calls.python.textContent = python(request);
  }

  request() {
    const path = this.path.slice(1);
    if (!this.text) return { path };
    try {
      return { path, body: JSON.parse(this.text.value) };
    } catch {
      return null;
    }
  }

  async send() {
    const request = this.request();
    this.answer.hidden = true;
    if (!request) {
      this.status.textContent = "The body is not JSON.";
      this.text.focus();
      return;
    }
    this.status.textContent = "…";
    try {
      await this.ask(request);
    } catch {
      this.status.textContent = "The server does not answer.";
    }
  }

  async ask({ path, body }) {
    const headers = key() ? { Authorization: `Bearer ${key()}` } : {};
    const options = { method: this.method, headers };
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
      options.body = JSON.stringify(body);
    }
    const began = performance.now();
    const response = await fetch(address(path), options);
    const text = await response.text();
    const took = Math.round(performance.now() - began);
    this.status.textContent = `${response.status} in ${took} ms`;
    this.answer.textContent = readable(text);
    this.answer.hidden = !text;
    if (response.status === 401) this.refused();
  }

  answers() {
    const all = Object.entries(this.operation.responses);
    const good = all.find(([status]) => status === "200")?.[1];
    const content = good?.content?.["application/json"]?.schema;
    const rows = content ? this.schemas.fields(content) : [];
    return details("Answers",
      content && h("p", {}, `200: ${this.schemas.type(content)}`),
      rows.length ? table("Fields of the answer", rows, false) : null,
      refusals(all.filter(([status]) => status !== "200")));
  }
}

function table(title, rows, asked) {
  if (!rows.length) return null;
  const head = ["Name", "Type", ...(asked ? ["Default"] : []), "What it is"];
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    h("table", {}, h("caption", {}, title),
      h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, rows.map((row) => h("tr", {},
        h("th", { scope: "row" }, row.name), h("td", {}, row.type),
        asked && h("td", {}, standard(row)), h("td", {}, plain(row.told)))))));
}

function standard({ needed, standard: value }) {
  if (needed) return h("span", { class: "needed" }, "needed");
  return h("code", {}, value === undefined ? "null" : JSON.stringify(value));
}

function refusals(all) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Refusals" },
    h("table", {}, h("caption", {}, "Refusals"),
      h("thead", {}, h("tr", {}, ["Status", "Why"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, all.map(([status, { description }]) => h("tr", {},
        h("th", { scope: "row" }, status), h("td", {}, description))))));
}

const details = (title, ...children) => h("details", {}, h("summary", {}, title), h("div", { class: "stack" }, children));
const pre = (name) => h("pre", { tabindex: "0", "aria-label": name });
const plain = (text) => text.replaceAll("`", "");

function readable(text) {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // metrics and streams are no JSON
  }
  return shown.length > MOST ? `${shown.slice(0, MOST)}\n…` : shown;
}
