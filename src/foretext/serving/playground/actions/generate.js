// A text written on, shown as it streams.

import { address, key } from "../api.js";
import { pythonValue } from "../code.js";
import { h } from "../dom.js";
import { number, t } from "../language.js";

export default {
  name: "generate",
  needs: ["generate"],

  fields: ({ examples }) => [
    { name: "prompt", kind: "text", rows: 4, value: examples.prompt },
    { name: "max_tokens", kind: "number", value: "100", min: 1, max: 4096 },
    { name: "temperature", kind: "number", value: "0.8", min: 0, max: 2, step: 0.1 },
    { name: "top_p", kind: "number", value: "0.95", min: 0.05, max: 1, step: 0.05 },
    { name: "seed", kind: "number", optional: true, min: 0 },
  ],

  request: (values) => ({
    path: "v1/completions", body: { ...values, stream: true, stream_options: { include_usage: true } },
  }),

  stream: ({ values }) => new Writing(values.prompt),
  python,
};

class Writing {
  constructor(prompt) {
    this.added = h("span", { class: "added" });
    this.node = h("p", { class: "writing" }, h("span", { class: "soft" }, prompt), this.added);
    this.tokens = 0;
    this.began = null; // at the first token: reading the prompt is not writing
  }

  add({ choices, usage }) {
    const text = choices[0]?.text;
    if (text) {
      this.began ??= performance.now();
      this.tokens += 1;
      this.added.append(text);
    }
    this.tokens = usage?.completion_tokens ?? this.tokens;
    return this.end();
  }

  end() {
    const seconds = (performance.now() - (this.began ?? performance.now())) / 1000;
    const count = number(this.tokens);
    if (this.tokens < 2 || seconds === 0) return t("generate.tokens", { count });
    return t("generate.rate", { count, rate: number((this.tokens - 1) / seconds, 1) });
  }
}

/** The call by the client of OpenAI. */
function python({ body }) {
  const password = key() ? `os.environ["FORETEXT_API_KEY"]` : `"none"`;
  const given = Object.entries(body).map(([name, value]) => `    ${name}=${pythonValue(value, "    ")},`);
  return `${key() ? "import os\n\n" : ""}from openai import OpenAI

client = OpenAI(
    base_url="${address("v1")}",
    api_key=${password},
)
events = client.completions.create(
${given.join("\n")}
)
for event in events:
    for choice in event.choices:
        print(choice.text, end="", flush=True)`;
}
