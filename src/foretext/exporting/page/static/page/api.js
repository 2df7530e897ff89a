// What the playground asks a server, answered by the model in this page.

import { opened } from "../engine/models.js";
import { Refused } from "../engine/refused.js";
import { t } from "../playground/language.js";
import { modelFile } from "./model_file.js";
import { hasNetwork, networkOfPage } from "./network_files.js";

/** What the model, or this page, could not do; status 0: there is no model. */
export class ServerError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
    this.seconds = null;
  }
}

let loading = null;

/** The model, once it is here; asked again where it did not come. */
async function model() {
  loading ??= hasNetwork() ? networkOfPage() : modelFile().then(opened);
  try {
    return await loading;
  } catch (error) {
    loading = null;
    throw new ServerError(0, error.message);
  }
}

export const key = () => "";
export const setKey = () => {};
export const address = (path) => path;

/** Ask once; returns {answer, headers}, as of a server. */
export async function call({ path, body }, signal) {
  const { info, answer } = await model();
  signal?.throwIfAborted();
  const headers = new Headers();
  if (path === "info") return { answer: { models: [info] }, headers };
  try {
    return { answer: await answer(path, body), headers };
  } catch (error) {
    if (error instanceof Refused) throw new ServerError(422, t(error.key, error.values));
    throw error;
  }
}

/** Nothing here is written token by token. */
export async function* events() {}
