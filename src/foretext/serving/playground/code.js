// The request of an action as a curl command and as Python, to be copied.

import { address, key } from "./api.js";
import { h } from "./dom.js";
import { t } from "./language.js";

const WIDTH = 46; // characters that the panel shows beside each other
const SHOWN = 4000; // characters on the page; what is copied is whole

/** The command line; the key stands in the environment, never on the screen. */
export function curl({ path, body }, stream) {
  const lines = [`curl${stream ? " -N" : ""} ${quoted(address(path))}`];
  if (key()) lines.push(`-H "Authorization: Bearer $FORETEXT_API_KEY"`);
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(written(body, JSON_FORM, "  "))}`);
  return lines.join(" \\\n  ");
}

/** The same by the package `requests`. */
export const python = (request, stream) => `${imports()}\n\n${called(request, stream)}`;

const imports = () => `${key() ? "import os\n\n" : ""}import requests`;

function called({ path, body }, stream) {
  const given = [JSON.stringify(address(path))];
  if (body !== undefined) given.push(`json=${pythonValue(body, "    ")}`);
  if (key()) given.push(`headers={"Authorization": f"Bearer {os.environ['FORETEXT_API_KEY']}"}`);
  if (stream) given.push("stream=True");
  const verb = body === undefined ? "get" : "post";
  const call = `requests.${verb}(\n    ${given.join(",\n    ")},\n)`;
  const shown = stream
    ? "for line in answer.iter_lines():\n    print(line.decode())"
    : "print(answer.json())";
  return `answer = ${call}\nanswer.raise_for_status()\n${shown}`;
}

const quoted = (text) => (/^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const JSON_FORM = { true: "true", false: "false", null: "null", indent: "  " };
const PYTHON_FORM = { true: "True", false: "False", null: "None", indent: "    " };

/** A value as Python writes it. */
export const pythonValue = (value, indent = "") => written(value, PYTHON_FORM, indent);

/** A value as JSON or as Python, over several lines where one would be long. */
function written(value, form, indent) {
  if (value === null || typeof value === "boolean") return form[String(value)];
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = (inner) => Array.isArray(value)
    ? value.map((item) => written(item, form, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${written(item, form, inner)}`);
  const short = `${open}${parts(indent).join(", ")}${close}`;
  if (indent.length + short.length <= WIDTH && !short.includes("\n")) return short;
  const inner = `${indent}${form.indent}`;
  const isFlat = Array.isArray(value) && value.every((item) => typeof item !== "object");
  const lines = isFlat ? packed(parts(inner), WIDTH - inner.length) : parts(inner);
  return `${open}\n${inner}${lines.join(`,\n${inner}`)}\n${indent}${close}`;
}

/** As many items on a line as there is room for. */
function packed(items, width) {
  return items.reduce((lines, item) => {
    const longer = lines.length ? `${lines.at(-1)}, ${item}` : item;
    if (lines.length && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(item);
    return lines;
  }, []);
}

/** The panel beside an action; `show(requests)` writes what they are in both languages. */
export class CodePanel {
  constructor(stream, ownPython) {
    this.stream = stream;
    this.python = ownPython ?? python;
    this.blocks = { curl: new Block("curl"), python: new Block("Python") };
    const blocks = Object.values(this.blocks).map((block) => block.node);
    this.node = h("section", { class: "code", "aria-labelledby": "code-title" },
      h("h2", { id: "code-title" }, t("code.title")), blocks);
  }

  show([first, ...others]) {
    this.blocks.curl.show([first, ...others].map((one) => curl(one, this.stream)).join("\n\n"));
    const calls = [this.python(first, this.stream), ...others.map((one) => called(one))];
    this.blocks.python.show(calls.join("\n\n"));
  }
}

class Block {
  constructor(name) {
    this.text = "";
    this.pre = h("pre", { tabindex: "0", "aria-label": name });
    this.said = h("span", { class: "soft", role: "status" });
    const copy = h("button", {
      type: "button", class: "quiet", "aria-label": `${t("code.copy")}: ${name}`,
      onclick: () => this.copy(),
    }, t("code.copy"));
    this.node = h("div", { class: "block" },
      h("div", { class: "row" }, h("h3", {}, name), this.said, copy), this.pre);
  }

  show(text) {
    this.text = text;
    this.pre.textContent = text.length > SHOWN ? `${text.slice(0, SHOWN)}\n…` : text;
    this.said.textContent = "";
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.text);
      this.said.textContent = t("code.copied");
    } catch {
      this.pre.textContent = this.text; // without https a page may not copy by itself
      getSelection().selectAllChildren(this.pre);
      this.said.textContent = t("code.selected");
    }
  }
}
