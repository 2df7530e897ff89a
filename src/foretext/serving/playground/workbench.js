// One action in use: its form, the running request, its answer and the code of the request.

import { call, events } from "./api.js";
import { CodePanel } from "./code.js";
import { h } from "./dom.js";
import { refusal } from "./errors.js";
import { Fields } from "./form.js";
import { number, t } from "./language.js";

export class Workbench {
  /**
   * raw      strings for the fields, by name
   * changed  (fields) => ..., while somebody types
   * kept     (fields) => ..., when that is finished
   * refused  (error) => ..., when the server refuses a request
   */
  constructor({ model, action, raw, changed, kept, refused }) {
    Object.assign(this, { model, action, changed, kept, refused, running: null, showAgain: null });
    this.fields = new Fields(action.name, action.fields(model), raw);
    this.code = new CodePanel(Boolean(action.stream), action.python);
    this.node = this.drawn();
    this.typed();
    this.kept(this.fields);
  }

  drawn() {
    this.runButton = h("button", { class: "main" }, t("run.run"));
    this.stopButton = h("button", { type: "button", hidden: true, onclick: () => this.stop() }, t("run.stop"));
    this.status = h("p", { class: "status soft", role: "status" });
    this.answer = h("section", { class: "answer", "aria-label": t("run.answer"), "aria-live": "polite" });
    this.form = h("form", {
      oninput: () => this.typed(),
      onchange: () => this.kept(this.fields),
      onsubmit: (event) => { event.preventDefault(); this.run(); },
      onkeydown: (event) => this.pressed(event),
    }, this.fields.nodes, h("div", { class: "row" }, this.runButton, this.stopButton, this.status));
    return [
      h("div", { class: "bench" },
        h("h1", {}, t(`${this.action.name}.title`)),
        h("p", { class: "hint" }, t(`${this.action.name}.hint`)),
        this.form, this.answer),
      this.code.node,
    ];
  }

  pressed(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.form.requestSubmit();
    }
  }

  request() {
    return this.named(this.action.request(this.fields.values(), this.model));
  }

  /** A request with the model's name and without what is empty. */
  named({ path, body }) {
    const left = Object.entries(body ?? {}).filter(([, value]) => value !== null && value !== undefined);
    return { path, body: body && { model: this.model.name, ...Object.fromEntries(left) } };
  }

  typed() {
    this.changed(this.fields);
    const others = this.action.also?.(this.fields.values(), this.model) ?? [];
    this.code.show([this.request(), ...others.map((one) => this.named(one))]);
  }

  /** Put strings into fields and run: what a word in an answer does when it is chosen. */
  explore(raw) {
    this.fields.fill(raw);
    this.typed();
    return this.run();
  }

  async run() {
    this.stop();
    if (!this.form.reportValidity()) return;
    const running = new AbortController();
    this.kept(this.fields);
    this.begin(running);
    const began = performance.now();
    try {
      const told = await this.answered(running.signal);
      if (this.running !== running) return;
      this.end();
      this.status.textContent = told ?? time(performance.now() - began);
    } catch (error) {
      this.failed(error, running);
    }
  }

  async answered(signal) {
    const values = this.fields.values();
    if (this.action.stream) return this.streamed(values, signal);
    const reply = await call(this.request(), signal);
    await this.show(reply, values, signal);
    this.showAgain = (other) => other.show(reply, values);
    return null;
  }

  async show({ answer, headers }, values, signal = null) {
    const nodes = await this.action.show(answer, this.context(values, signal, headers));
    signal?.throwIfAborted();
    const warning = headers.get("x-warning");
    this.answer.replaceChildren(...[warning ? h("p", { class: "warning" }, t("run.note", { note: warning })) : [], nodes].flat(2));
  }

  async streamed(values, signal) {
    const written = this.action.stream(this.context(values, signal));
    this.answer.replaceChildren(written.node);
    this.showAgain = (other) => other.answer.replaceChildren(written.node);
    this.status.ariaLive = "off"; // nobody wants to hear it at every token
    for await (const event of events(this.request(), signal)) this.status.textContent = written.add(event);
    return written.end();
  }

  context(values, signal, headers = null) {
    return {
      values, model: this.model, headers, signal,
      call: (request) => call(this.named(request), signal), explore: (raw) => this.explore(raw),
    };
  }

  begin(running) {
    this.running = running;
    this.answer.setAttribute("aria-busy", "true");
    this.stopButton.hidden = false;
    this.status.textContent = t("run.running");
  }

  end() {
    this.running = null;
    this.answer.removeAttribute("aria-busy");
    this.status.ariaLive = "polite";
    if (document.activeElement === this.stopButton) this.runButton.focus();
    this.stopButton.hidden = true;
  }

  failed(error, running) {
    if (running.signal.aborted) return;
    this.end();
    this.status.textContent = "";
    this.showAgain = null;
    this.answer.replaceChildren(refusal(error));
    this.refused(error);
  }

  stop() {
    if (!this.running) return;
    this.running.abort();
    this.end();
    this.status.textContent = t("run.stopped");
  }
}

const time = (milliseconds) => t("run.done", { time: number(milliseconds, milliseconds < 10 ? 1 : 0) });
