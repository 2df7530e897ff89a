// The model's file: from the server that has handed out this page, or, opened as a local file, from a script.

const FILE = "model.safetensors";
const SCRIPT = "model.js"; // the same as text, since a browser does not let a local file fetch anything

/** Its bytes; an error where it is not there. */
export async function modelFile() {
  if (location.protocol === "file:") return decoded(await scripted());
  const response = await fetch(FILE);
  if (!response.ok) throw new Error(`${FILE}: ${response.status}`);
  return response.arrayBuffer();
}

function scripted() {
  return new Promise((found, failed) => {
    const script = document.createElement("script");
    script.src = SCRIPT;
    script.onload = () => found(globalThis.foretextModel);
    script.onerror = () => failed(new Error(SCRIPT));
    document.head.append(script);
  });
}

function decoded(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes.buffer;
}
