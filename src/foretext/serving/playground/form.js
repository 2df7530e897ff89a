// The fields of an action as a form, and what was typed in them.
//
// A field is {name, kind, value, optional, ...}; its label is the text "ACTION.NAME" or "field.NAME".
// kind      what `values` has     more
// line      string                one line; Enter runs
// words     list of strings       one line, split at blanks and commas
// text      string                several lines; Ctrl+Enter runs; rows, file: true offers to open a file
// lines     list of strings       several lines, without the empty ones; rows, file
// number    number or null        min, max, step
// choice    string                options: [string]; shown as the text "ACTION.NAME.OPTION" if there is one
// check     true or false
// insert: "[MASK]" of a text adds a button that writes it at the cursor; beside: true lets lines share a row.
// `value` is what stands there at first, always a string ("yes" for a check that is set).

import { h } from "./dom.js";
import { fileOpener } from "./file_opener.js";
import { has, t } from "./language.js";

const SMALL = new Set(["number", "choice", "check"]);
const sharesRow = (field) => SMALL.has(field.kind) || field.beside;

const READ = {
  line: (raw) => raw,
  text: (raw) => raw,
  words: (raw) => raw.split(/[\s,，、]+/).filter(Boolean),
  lines: (raw) => raw.split("\n").map((line) => line.trim()).filter(Boolean),
  number: (raw) => (raw === "" ? null : Number(raw)),
  choice: (raw) => raw,
  check: (raw) => raw === "yes",
};

const label = (action, field) => {
  const own = `${action}.${field.name}`;
  return t(has(own) ? own : `field.${field.name}`);
};

export class Fields {
  /** `raw` has strings by name, from the address or from before. */
  constructor(action, fields, raw) {
    this.fields = fields;
    this.controls = new Map(fields.map((field) => [field.name, control(action, field, raw[field.name])]));
    const rows = fields.map((field) => [field, this.row(action, field)]);
    const small = rows.filter(([field]) => sharesRow(field)).map(([, row]) => row);
    this.nodes = [
      ...rows.filter(([field]) => !sharesRow(field)).map(([, row]) => row),
      small.length ? h("div", { class: "small-fields" }, small) : null,
    ].filter(Boolean);
  }

  row(action, field) {
    const input = this.controls.get(field.name);
    const name = h("label", { for: input.id }, label(action, field));
    const helpers = [
      field.insert ? inserter(input, field.insert) : null,
      field.file ? fileOpener(input, label(action, field)) : null,
    ].filter(Boolean);
    return h("div", { class: `field of-${field.kind}` }, name, input,
      helpers.length ? h("div", { class: "helpers" }, helpers) : null);
  }

  raw() {
    const pairs = [...this.controls].map(([name, input]) => [name, rawOf(input)]);
    return Object.fromEntries(pairs);
  }

  /** What differs from what stood there at first. */
  edited() {
    const first = new Map(this.fields.map((field) => [field.name, atFirst(field)]));
    return Object.fromEntries(Object.entries(this.raw()).filter(([name, raw]) => raw !== first.get(name)));
  }

  values() {
    const raw = this.raw();
    return Object.fromEntries(this.fields.map(({ name, kind }) => [name, READ[kind](raw[name])]));
  }

  /** Put strings into fields by name. */
  fill(raw) {
    for (const [name, value] of Object.entries(raw)) {
      const input = this.controls.get(name);
      if (input?.type === "checkbox") input.checked = value === "yes";
      else if (input) input.value = value;
    }
  }
}

const rawOf = (input) => (input.type === "checkbox" ? (input.checked ? "yes" : "") : input.value);

const atFirst = ({ value, options }) => value ?? options?.[0] ?? "";

function control(action, field, raw) {
  const value = raw ?? atFirst(field);
  const shared = { id: `field-${field.name}`, name: field.name, required: !field.optional };
  if (field.kind === "check") {
    const box = h("input", { ...shared, type: "checkbox", required: false });
    box.checked = value === "yes";
    return box;
  }
  if (field.kind === "choice") {
    const shown = (option) => {
      const key = `${action}.${field.name}.${option}`;
      return has(key) ? t(key) : option;
    };
    const options = field.options.map((option) => h("option", { value: option }, shown(option)));
    const select = h("select", shared, options);
    select.value = field.options.includes(value) ? value : atFirst(field);
    return select;
  }
  if (field.kind === "number") {
    const { min, max, step = 1 } = field;
    return h("input", { ...shared, type: "number", min, max, step, value, inputmode: "decimal" });
  }
  if (field.kind === "text" || field.kind === "lines") {
    return h("textarea", { ...shared, rows: field.rows ?? 3, value, spellcheck: "false" });
  }
  return h("input", { ...shared, type: "text", value, autocomplete: "off", spellcheck: "false" });
}

function inserter(input, text) {
  const insert = () => {
    input.setRangeText(text, input.selectionStart, input.selectionEnd, "end");
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.focus();
  };
  return h("button", { type: "button", class: "quiet", onclick: insert }, t("shell.insert", { text }));
}
