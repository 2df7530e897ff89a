// A button that reads a text file into a field. The file goes to the server only with the request.

import { h } from "./dom.js";
import { language, number, t } from "./language.js";

const MOST = 2_000_000; // bytes
const TYPES = "text/*,.txt,.md,.csv,.tsv,.jsonl,.srt";

/** The button, the limit, and what became of the file, for the field `input` whose label is `name`. */
export function fileOpener(input, name) {
  const told = h("span", { class: "soft", role: "status" }, t("file.limit", { size: size(MOST) }));
  const picker = h("input", { type: "file", accept: TYPES, hidden: true, "aria-label": name });
  picker.addEventListener("change", async () => {
    const [file] = picker.files;
    if (!file) return;
    told.textContent = await opened(file, input);
    picker.value = ""; // so that the same file can be opened again
  });
  const open = h("button", {
    type: "button", class: "quiet", "aria-label": `${t("shell.open")}: ${name}`, onclick: () => picker.click(),
  }, t("shell.open"));
  return [told, open, picker];
}

/** Put the text of a file into a field; returns a sentence on what was done. */
async function opened(file, input) {
  const facts = { name: file.name, size: size(file.size), most: size(MOST) };
  if (file.size > MOST) return t("file.large", facts);
  const { text, encoding } = decoded(await file.arrayBuffer());
  if (text.includes("\0")) return t("file.binary", facts);
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  return t("file.opened", { ...facts, encoding });
}

/** UTF-8, or what old files of the page's language are most often in. */
function decoded(bytes) {
  const head = new Uint8Array(bytes.slice(0, 2));
  const marked = { "255,254": "utf-16le", "254,255": "utf-16be" }[head.join()];
  const old = language() === "zh" ? "gb18030" : "windows-1252";
  for (const encoding of [marked, "utf-8"].filter(Boolean)) {
    try {
      return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
    } catch {
      continue; // it is in another encoding
    }
  }
  return { text: new TextDecoder(old).decode(bytes), encoding: old };
}

function size(bytes) {
  if (bytes < 1_000_000) return `${number(Math.ceil(bytes / 1000))} kB`;
  const millions = Math.round(bytes / 100_000) / 10;
  return `${number(millions, Number.isInteger(millions) ? 0 : 1)} MB`;
}
