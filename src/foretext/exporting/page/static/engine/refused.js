// What a model cannot answer, by the key of a sentence and what stands in it.

export class Refused extends Error {
  constructor(key, values = {}) {
    super(`${key} ${JSON.stringify(values)}`);
    Object.assign(this, { key, values });
  }
}
