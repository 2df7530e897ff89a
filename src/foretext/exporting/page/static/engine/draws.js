// Random numbers that depend on a number alone, as foretext.kernels.draws has them: splitmix64 (Steele, Lea & Flood 2014).

const HALF = 2 ** 32;

/** Draws by a counter of 64 bits, the upper half of which begins with a seed. */
export class Draws {
  constructor(seed) {
    Object.assign(this, { seed, high: 0, low: 0 });
  }

  /** Put 64 random bits into `high` and `low`. */
  at(number) {
    this.high = (this.seed + Math.floor(number / HALF)) >>> 0;
    this.low = number >>> 0;
    this.times(0x9E3779B9, 0x7F4A7C15);
    this.mixed(30);
    this.times(0xBF58476D, 0x1CE4E5B9);
    this.mixed(27);
    this.times(0x94D049BB, 0x133111EB);
    this.mixed(31);
  }

  /** Multiply by a number of 64 bits. */
  times(high, low) {
    const [a, b] = [this.low & 0xFFFF, this.low >>> 16];
    const [c, d] = [low & 0xFFFF, low >>> 16];
    const first = a * c;
    const middle = b * c + a * d + Math.floor(first / 0x10000);
    const last = b * d + Math.floor(middle / 0x10000);
    this.high = (last + Math.imul(this.high, low) + Math.imul(this.low, high)) >>> 0;
    this.low = ((middle << 16) | (first & 0xFFFF)) >>> 0;
  }

  /** XOR with the same bits shifted right by `count`, which is less than 32. */
  mixed(count) {
    this.low = (this.low ^ ((this.low >>> count) | (this.high << (32 - count)))) >>> 0;
    this.high = (this.high ^ (this.high >>> count)) >>> 0;
  }

  /** A number from 0 to limit - 1, from the upper half of the bits. */
  below(limit) {
    return Math.floor((this.high * limit) / HALF);
  }
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let rest = index;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xEDB88320 : rest >>> 1;
  return rest >>> 0;
});

/** The checksum CRC-32 of 32-bit numbers in little-endian order. */
export function crc32(numbers, start) {
  let rest = ~start;
  for (const number of numbers) {
    for (let shift = 0; shift < 32; shift += 8) rest = TABLE[(rest ^ (number >>> shift)) & 0xFF] ^ (rest >>> 8);
  }
  return ~rest >>> 0;
}
