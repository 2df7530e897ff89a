// Model, action and what was typed, in the hash of the address: a link to exactly this.

const LONGEST = 600; // characters of one field; longer texts stay out of the address

/** {model, action, raw}: raw has a string for each field in the hash. */
export function read() {
  const { model = null, action = null, ...raw } = Object.fromEntries(
    new URLSearchParams(location.hash.slice(1)),
  );
  return { model, action, raw };
}

export function link(model, action, raw = {}) {
  const short = Object.entries(raw).filter(([, value]) => value.length <= LONGEST);
  return `#${new URLSearchParams([["model", model], ["action", action], ...short])}`;
}

/** Put what is typed into the address, without a new entry in the history. */
export function keep(model, action, raw) {
  history.replaceState(null, "", link(model, action, raw));
}
