// A file of tensors, as safetensors lays it out: the length of a header, the header as JSON, the numbers.

const READ = { F32: Float32Array, F16: Uint16Array, I8: Int8Array, U8: Uint8Array, I32: Int32Array };

export class Tensors {
  /** buffer: the whole file. */
  constructor(buffer) {
    const length = Number(new DataView(buffer).getBigUint64(0, true));
    const { __metadata__: metadata, ...entries } = JSON.parse(text(new Uint8Array(buffer, 8, length)));
    Object.assign(this, { buffer, start: 8 + length, entries });
    this.about = JSON.parse(metadata.page);
  }

  has(name) {
    return name in this.entries;
  }

  /** The numbers as they are stored, one after another. */
  stored(name) {
    const { dtype, data_offsets: [first, last] } = this.entries[name];
    return new READ[dtype](this.buffer.slice(this.start + first, this.start + last));
  }

  /** {numbers, dim} of a matrix in float32, however its numbers are stored. */
  matrix(name) {
    const packed = this.has(`${name}.codes`) ? `${name}.codes` : name;
    const { dtype, shape: [rows, dim] } = this.entries[packed];
    const numbers = this.stored(packed);
    if (dtype === "F16") return { numbers: halves(numbers), dim };
    return { numbers: dtype === "I8" ? scaled(numbers, this.stored(`${name}.scales`), rows, dim) : numbers, dim };
  }

  /** What was kept as JSON: lists of words. */
  json(name) {
    return JSON.parse(text(this.stored(name)));
  }
}

/** The tensors of a part of a model, which have its name before theirs, and its settings. */
export class Part {
  constructor(tensors, name, settings) {
    Object.assign(this, { tensors, name, about: { settings } });
  }

  has(name) {
    return this.tensors.has(`${this.name}.${name}`);
  }

  stored(name) {
    return this.tensors.stored(`${this.name}.${name}`);
  }

  matrix(name) {
    return this.tensors.matrix(`${this.name}.${name}`);
  }

  json(name) {
    return this.tensors.json(`${this.name}.${name}`);
  }
}

const text = (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

function scaled(codes, scales, rows, dim) {
  const numbers = new Float32Array(codes.length);
  for (let row = 0; row < rows; row += 1) {
    for (let at = row * dim; at < (row + 1) * dim; at += 1) numbers[at] = codes[at] * scales[row];
  }
  return numbers;
}

/** Numbers of 16 bits in float32, by a table of all that there are. */
function halves(bits) {
  const table = new Float32Array(1 << 16);
  for (let each = 0; each < table.length; each += 1) table[each] = half(each);
  const numbers = new Float32Array(bits.length);
  for (let at = 0; at < bits.length; at += 1) numbers[at] = table[bits[at]];
  return numbers;
}

function half(bits) {
  const sign = bits >> 15 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
