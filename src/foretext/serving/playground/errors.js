// What went wrong, as a sentence with what to do.

import { ServerError } from "./api.js";
import { h } from "./dom.js";
import { has, number, t } from "./language.js";

/** A box for an error of the server, or of this page. */
export function refusal(error) {
  const [head, detail] = told(error);
  return h("div", { class: "refusal", role: "alert" },
    h("p", {}, h("strong", {}, head)), detail ? h("p", {}, detail) : null);
}

function told(error) {
  if (!(error instanceof ServerError)) return [t("error.page"), String(error.message ?? error)];
  const { status, seconds, message } = error;
  if (status === 429 && seconds !== null) return [t("error.wait", { seconds: number(Math.ceil(seconds)) }), message];
  const key = `error.${status}`;
  return [has(key) ? t(key) : t("error.other", { status }), message];
}
