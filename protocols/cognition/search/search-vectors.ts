// Vector search by cosine: compares sign bits of all vectors first, then the nearest few exactly.
import type { Ranked } from './search-words.ts'

export interface VectorIndex {
  readonly dimensions: number
  /** 32 signs per word. */
  readonly code_words: number
  vectors: Int8Array<ArrayBuffer>
  /** Signed, so that the JavaScript engine keeps them as small integers. */
  codes: Int32Array<ArrayBuffer>
  /** Length of each vector; 0 for a slot without one. */
  norms: Float32Array<ArrayBuffer>
}

/** How many are compared exactly: below it nothing is lost, above it hardly anything. */
const exact_max = 1_000
/** Limit if very many are equally distant. */
const as_far_max = 4_000
/** Greater than any distance. */
const never_near = 0xffff

export function newVectorIndex(dimensions: number, slots: number): VectorIndex {
  // Even, so that words can be processed in pairs.
  const code_words = Math.ceil(dimensions / 64) * 2
  return {
    dimensions,
    code_words,
    vectors: new Int8Array(slots * dimensions),
    codes: new Int32Array(slots * code_words),
    norms: new Float32Array(slots),
  }
}

export function growVectors(index: VectorIndex, slots: number): void {
  const larger = newVectorIndex(index.dimensions, slots)
  larger.vectors.set(index.vectors)
  larger.codes.set(index.codes)
  larger.norms.set(index.norms)
  Object.assign(index, larger)
}

export function bytesOfVectors({ vectors, codes, norms }: VectorIndex): number {
  return vectors.byteLength + codes.byteLength + norms.byteLength
}

/** A vector with other dimensions belongs to another embedder and is ignored. */
export function addVector(index: VectorIndex, slot: number, vector: Int8Array | undefined): void {
  const { dimensions, code_words, vectors, codes, norms } = index
  if (vector === undefined || vector.length !== dimensions) {
    norms[slot] = 0
    return
  }
  vectors.set(vector, slot * dimensions)
  codes.set(codeOf(vector, code_words), slot * code_words)
  norms[slot] = Math.sqrt(dot(vector, vector, 0))
}

function codeOf(vector: Int8Array, code_words: number): Int32Array {
  const code = new Int32Array(code_words)
  for (let at = 0; at < vector.length; at++) if (vector[at]! > 0) code[at >>> 5]! |= 1 << (at & 31)
  return code
}

/** `vectors` from `start` on against the whole of `one`. */
function dot(one: Int8Array, vectors: Int8Array, start: number): number {
  let sum = 0
  const whole = one.length & ~3
  for (let at = 0, there = start; at < whole; at += 4, there += 4) {
    const left = Math.imul(one[at]!, vectors[there]!) + Math.imul(one[at + 1]!, vectors[there + 1]!)
    const right = Math.imul(one[at + 2]!, vectors[there + 2]!) + Math.imul(one[at + 3]!, vectors[there + 3]!)
    sum = (sum + left + right) | 0
  }
  for (let at = whole; at < one.length; at++) sum += one[at]! * vectors[start + at]!
  return sum
}

/** 0 without a vector of this embedder. */
export function cosineOf(index: VectorIndex, question: Int8Array, slot: number): number {
  const { dimensions, vectors, norms } = index
  const norm = Math.sqrt(dot(question, question, 0))
  if (question.length !== dimensions || norm === 0 || norms[slot] === 0) return 0
  return dot(question, vectors, slot * dimensions) / (norm * norms[slot]!)
}

/** Best first, each with its cosine. */
export function rankByVector(
  index: VectorIndex,
  question: Int8Array,
  allowed: Uint8Array,
  similarity_min: number,
  ranked_max: number,
): Ranked[] {
  const { dimensions, vectors, norms } = index
  const norm = Math.sqrt(dot(question, question, 0))
  if (question.length !== dimensions || norm === 0) return []
  const ranked: Ranked[] = []
  for (const slot of nearestBySigns(index, question, allowed)) {
    const score = dot(question, vectors, slot * dimensions) / (norm * norms[slot]!)
    if (score >= similarity_min) ranked.push({ slot, score })
  }
  return ranked.sort((one, other) => other.score - one.score || one.slot - other.slot).slice(0, ranked_max)
}

/** Hamming distance, two words at a time. */
function signsApart(codes: Int32Array, start: number, code: Int32Array): number {
  let apart = 0
  for (let word = 0; word < code.length; word += 2) {
    let one = codes[start + word]! ^ code[word]!
    let other = codes[start + word + 1]! ^ code[word + 1]!
    one -= (one >>> 1) & 0x55555555
    other -= (other >>> 1) & 0x55555555
    const nibbles =
      (one & 0x33333333) + ((one >>> 2) & 0x33333333) + (other & 0x33333333) + ((other >>> 2) & 0x33333333)
    apart += Math.imul((nibbles & 0x0f0f0f0f) + ((nibbles >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24
  }
  return apart
}

function nearestBySigns(
  { dimensions, code_words, codes, norms }: VectorIndex,
  question: Int8Array,
  allowed: Uint8Array,
): number[] {
  const code = codeOf(question, code_words)
  const distances = new Uint16Array(allowed.length)
  const counts = new Uint32Array(dimensions + 1)
  for (let slot = 0; slot < allowed.length; slot++) {
    if (allowed[slot] === 0 || norms[slot] === 0) {
      distances[slot] = never_near
      continue
    }
    const apart = signsApart(codes, slot * code_words, code)
    distances[slot] = apart
    counts[apart]!++
  }
  let limit = 0
  for (let taken = 0; limit < dimensions; limit++) {
    taken += counts[limit]!
    if (taken >= exact_max) break
  }
  const nearest: number[] = []
  for (let slot = 0; slot < distances.length; slot++) {
    if (distances[slot]! > limit) continue
    if (nearest.push(slot) === as_far_max) break
  }
  return nearest
}
