// JSON schemas in words: the type of a value, the fields below it, and an example.

const DEEPEST = 5; // objects within each other

export class Schemas {
  constructor(named) {
    this.named = named; // by the end of their reference
  }

  /** The schema behind a reference. */
  resolved(schema) {
    return schema?.$ref ? this.resolved(this.named[schema.$ref.split("/").pop()]) : schema ?? {};
  }

  /** "string or list of strings", "integer, 1 to 100". */
  type(given) {
    const schema = this.resolved(given);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return [...new Set(choices.map((one) => this.type(one)))].join(" or ");
    if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" or ");
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (Array.isArray(schema.type)) return schema.type.join(" or ");
    if (schema.type === "array") return this.listType(schema);
    if (schema.type === "object" && schema.additionalProperties?.type !== undefined) {
      return `object of ${plural(this.type(schema.additionalProperties))}`;
    }
    return `${schema.type ?? "any value"}${limits(schema)}`;
  }

  listType(schema) {
    if (schema.prefixItems) return `[${schema.prefixItems.map((one) => this.type(one)).join(", ")}]`;
    const least = schema.minItems ? `, at least ${schema.minItems}` : "";
    return `list of ${plural(this.type(schema.items ?? {}))}${least}`;
  }

  /** The object that a schema describes by itself, in a list, or as one of its choices. */
  object(given, depth = 0) {
    const schema = this.resolved(given);
    if (schema.properties || depth > DEEPEST) return schema.properties ? schema : null;
    const parts = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? schema.oneOf ?? [])];
    for (const part of parts.filter((one) => typeof one === "object" && one !== null)) {
      const found = this.object(part, depth + 1);
      if (found) return found;
    }
    return null;
  }

  /** Rows {name, type, needed, standard, told} of an object and of the objects within it. */
  fields(given, prefix = "", depth = 0) {
    const object = this.object(given);
    if (!object || depth > DEEPEST) return [];
    return Object.entries(object.properties).flatMap(([name, field]) => {
      const whole = this.resolved(field);
      const row = {
        name: `${prefix}${name}`,
        type: this.type(field),
        needed: object.required?.includes(name) ?? false,
        standard: field.default ?? whole.default,
        told: field.description ?? whole.description ?? "",
      };
      const inner = this.object(field) ? this.fields(field, `${prefix}${name}.`, depth + 1) : [];
      return [row, ...inner];
    });
  }

  /** A value that the schema allows: its example, its default, or one of its type. */
  sample(given, depth = 0) {
    const schema = this.resolved(given);
    const own = given.examples?.[0] ?? schema.examples?.[0] ?? given.default ?? schema.default;
    if (own !== undefined) return own;
    if (schema.enum) return schema.enum[0];
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return this.sample(choices[0], depth);
    if (depth > DEEPEST) return null;
    if (schema.type === "array") return this.sampleList(schema, depth);
    if (schema.type === "object") return this.sampleObject(schema, depth);
    const plain = { string: "a text", integer: schema.minimum ?? 1, number: 0.5, boolean: false };
    return plain[schema.type] ?? null;
  }

  sampleList(schema, depth) {
    const items = schema.prefixItems ?? [schema.items ?? {}];
    return items.map((one) => this.sample(one, depth + 1));
  }

  /** The needed fields, and those that have an example of their own. */
  sampleObject(schema, depth) {
    const shown = Object.entries(schema.properties ?? {}).filter(([name, field]) => (
      schema.required?.includes(name) || (field.examples?.[0] ?? null) !== null));
    return Object.fromEntries(shown.map(([name, field]) => [name, this.sample(field, depth + 1)]));
  }
}

const plural = (type) => type.replace(/^(string|integer|number|object|list)\b/, "$1s");

function limits({ minimum, maximum, exclusiveMinimum, minLength }) {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  if (exclusiveMinimum !== undefined) return `, above ${exclusiveMinimum}`;
  if (maximum !== undefined) return `, at most ${maximum}`;
  return minLength ? `, at least ${minLength} character` : "";
}
