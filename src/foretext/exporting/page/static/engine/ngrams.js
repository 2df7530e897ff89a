// Character n-grams of words as hash buckets (Bojanowski et al. 2017), over UTF-8, as fastText's program has them.

const FIRST = 2166136261;
const PRIME = 16777619;
const encoder = new TextEncoder();
const encoded = (word) => encoder.encode(word.replace(/\p{Surrogate}/gu, "?"));

export const LINE_END = "</s>"; // a mark of fastText's, without n-grams

/** 32-bit FNV-1a with bytes as signed numbers, a slip that fastText's buckets depend on. */
const next = (value, byte) => Math.imul(value ^ ((byte << 24) >> 24), PRIME) >>> 0;

/** The hash of a word as a signed number. */
export function wordHash(word) {
  return encoded(word).reduce(next, FIRST) | 0;
}

export const byteLength = (word) => encoded(word).length;

/** The buckets of the n-grams of a word, in the order of the original. */
export function ngramBuckets(word, { minn, maxn, bucket }) {
  if (word === LINE_END || maxn === 0) return [];
  const bytes = encoded(`<${word}>`);
  const starts = [...bytes.keys()].filter((at) => (bytes[at] & 0xc0) !== 0x80);
  const found = [];
  starts.forEach((start, first) => {
    let value = FIRST;
    for (let n = 1; n <= maxn && first + n <= starts.length; n += 1) {
      const end = starts[first + n] ?? bytes.length;
      for (let at = starts[first + n - 1]; at < end; at += 1) value = next(value, bytes[at]);
      const isMark = n === 1 && (first === 0 || end === bytes.length); // a single < or >
      if (n >= minn && !isMark) found.push(value % bucket);
    }
  });
  return found;
}

/** The buckets of n-grams of words, from the hashes of these: 64 bits that run over. */
export function wordNgramBuckets(hashes, longest, bucket) {
  const found = [];
  const size = BigInt(bucket);
  for (let first = 0; longest > 1 && first < hashes.length; first += 1) {
    let value = BigInt(hashes[first]);
    for (let other = first + 1; other < Math.min(hashes.length, first + longest); other += 1) {
      value = BigInt.asUintN(64, value * 116049371n + BigInt(hashes[other]));
      found.push(Number(value % size));
    }
  }
  return found;
}

/** The rows of buckets, of which some have none. */
export class BucketRows {
  constructor(tensors, name) {
    this.buckets = tensors.stored(`${name}.buckets`); // ascending
    this.rows = tensors.stored(`${name}.rows`);
  }

  /** -1: it has none. */
  row(bucket) {
    let low = 0;
    let high = this.buckets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.buckets[middle] < bucket) low = middle + 1;
      else high = middle;
    }
    return this.buckets[low] === bucket ? this.rows[low] : -1;
  }
}
