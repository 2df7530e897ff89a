// Requests to the server that this page came from, at whatever prefix it stands.

const KEY = "foretext.key";
const base = new URL(".", document.baseURI);

/** The whole address of a path such as "neighbors". */
export const address = (path) => new URL(path, base).href;

/** The key is kept until the tab is closed. */
export const key = () => sessionStorage.getItem(KEY) ?? "";
export const setKey = (value) => sessionStorage.setItem(KEY, value);

/** What the server refused, or could not do; status 0: there was no answer. */
export class ServerError extends Error {
  constructor(status, message, seconds = null) {
    super(message);
    this.status = status;
    this.seconds = seconds; // to wait, where the server says so
  }
}

async function send({ path, body }, signal) {
  const headers = key() ? { Authorization: `Bearer ${key()}` } : {};
  const options = { headers, signal };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    Object.assign(options, { method: "POST", body: JSON.stringify(body) });
  }
  let response;
  try {
    response = await fetch(address(path), options);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ServerError(0, "");
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

async function refusal(response) {
  const text = await response.text();
  const wait = Number.parseFloat(response.headers.get("retry-after"));
  return new ServerError(response.status, sentence(text), Number.isNaN(wait) ? null : wait);
}

/** The sentence in an error of any family: ours and TEI's, OpenAI's, or FastAPI's. */
function sentence(text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return text.slice(0, 300);
  }
  const told = body?.error?.message ?? body?.error ?? body?.message ?? body?.detail;
  if (Array.isArray(told)) return told.map((one) => one.msg ?? String(one)).join(" ");
  return typeof told === "string" ? told : text.slice(0, 300);
}

/** Ask once; returns {answer, headers}. A request is {path, body}; without a body it is a GET. */
export async function call(request, signal) {
  const response = await send(request, signal);
  return { answer: await response.json(), headers: response.headers };
}

/** Yield the events of a stream, each as parsed JSON, until "[DONE]". */
export async function* events(request, signal) {
  const response = await send(request, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let kept = "";
  for (;;) {
    const { done, value } = await reader.read();
    const blocks = (kept + (value ?? "")).split(/\r?\n\r?\n/);
    kept = done ? "" : blocks.pop();
    for (const block of blocks) {
      const data = block.split(/\r?\n/).filter((line) => line.startsWith("data:"));
      const text = data.map((line) => line.slice(5).trimStart()).join("\n");
      if (text === "[DONE]") return;
      if (text) yield checked(JSON.parse(text));
    }
    if (done) return;
  }
}

function checked(event) {
  if (event.error) throw new ServerError(500, event.error.message ?? String(event.error));
  return event;
}
