// One action in use: its form, the running request, its answer and the code of the request.

import { call, events } from "./api.js";
import { CodePanel } from "./code.js";
import { h } from "./dom.js";
import { refusal } from "./errors.js";
import { Fields } from "./form.js";
import { number, t } from "./language.js";

export class Workbench {
  /** `changed(raw)` is called with what is typed; `refused(error)` with what the server refuses. */
  constructor({ model, action, raw, changed, refused }) {
    Object.assign(this, { model, action, changed, refused, running: null });
    this.fields = new Fields(action.name, action.fields(model), raw);
    this.code = new CodePanel(Boolean(action.stream), action.python);
    this.node = this.drawn();
    this.typed();
  }

  drawn() {
    this.runButton = h("button", { class: "main" }, t("run.run"));
    this.stopButton = h("button", { type: "button", hidden: true, onclick: () => this.stop() }, t("run.stop"));
    this.status = h("p", { class: "status soft", role: "status" });
    this.answer = h("section", { class: "answer", "aria-label": t("run.answer"), "aria-live": "polite" });
    this.form = h("form", {
      oninput: () => this.typed(),
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
    this.changed(this.fields.raw());
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
    this.begin(running);
    const began = performance.now();
    try {
      const told = await this.answered(running.signal);
      if (this.running === running) this.status.textContent = told ?? time(performance.now() - began);
    } catch (error) {
      this.failed(error, running);
    } finally {
      if (this.running === running) this.end();
    }
  }

  async answered(signal) {
    const context = {
      values: this.fields.values(), model: this.model, signal,
      call: (request) => call(this.named(request), signal), explore: (raw) => this.explore(raw),
    };
    const request = this.request();
    if (!this.action.stream) {
      const { answer, headers } = await call(request, signal);
      const nodes = await this.action.show(answer, { ...context, headers });
      signal.throwIfAborted();
      this.answer.replaceChildren(...[nodes].flat());
      return null;
    }
    const written = this.action.stream(context);
    this.answer.replaceChildren(written.node);
    for await (const event of events(request, signal)) this.status.textContent = written.add(event);
    return written.end();
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
    if (document.activeElement === this.stopButton) this.runButton.focus();
    this.stopButton.hidden = true;
  }

  failed(error, running) {
    if (running.signal.aborted) return;
    this.status.textContent = "";
    this.answer.replaceChildren(refusal(error));
    this.refused(error);
  }

  stop() {
    if (!this.running) return;
    this.running.abort();
    this.status.textContent = t("run.stopped");
    this.end();
  }
}

const time = (milliseconds) => t("run.done", { time: number(milliseconds, milliseconds < 10 ? 1 : 0) });
