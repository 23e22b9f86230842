// Vectors by their angle: the signs of all of them are compared first, then the nearest few exactly.
import { bitsOf, type Ranked } from './content-search-words.ts'

export interface VectorIndex {
  readonly dimensions: number
  /** 32 signs to a word. */
  readonly code_words: number
  vectors: Int8Array<ArrayBuffer>
  codes: Uint32Array<ArrayBuffer>
  /** Length of each vector; 0 where a slot has none. */
  norms: Float32Array<ArrayBuffer>
}

/** So many are compared exactly: among fewer nothing is lost, among more hardly anything. */
const exact_max = 2_000
/** Where very many are equally far. */
const as_far_max = 8_000

export function newVectorIndex(dimensions: number, slots: number): VectorIndex {
  const code_words = Math.ceil(dimensions / 32)
  return {
    dimensions,
    code_words,
    vectors: new Int8Array(slots * dimensions),
    codes: new Uint32Array(slots * code_words),
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

/** A vector of other dimensions is of another embedder, and none for this index. */
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

function codeOf(vector: Int8Array, code_words: number): Uint32Array {
  const code = new Uint32Array(code_words)
  for (let at = 0; at < vector.length; at++) if (vector[at]! > 0) code[at >>> 5]! |= 1 << (at & 31)
  return code
}

/** `vectors` from `start` on against the whole of `one`. */
function dot(one: Int8Array, vectors: Int8Array, start: number): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * vectors[start + at]!
  return sum
}

/** Best first, each with its cosine. */
export function rankByVector(
  index: VectorIndex,
  wanted: Int8Array,
  allowed: Uint8Array,
  similarity_min: number,
  ranked_max: number,
): Ranked[] {
  const { dimensions, vectors, norms } = index
  const norm = Math.sqrt(dot(wanted, wanted, 0))
  if (wanted.length !== dimensions || norm === 0) return []
  const found: Ranked[] = []
  for (const slot of nearestBySigns(index, wanted, allowed)) {
    const score = dot(wanted, vectors, slot * dimensions) / (norm * norms[slot]!)
    if (score >= similarity_min) found.push({ slot, score })
  }
  return found.sort((one, other) => other.score - one.score || one.slot - other.slot).slice(0, ranked_max)
}

function nearestBySigns(
  { dimensions, code_words, codes, norms }: VectorIndex,
  wanted: Int8Array,
  allowed: Uint8Array,
): number[] {
  const code = codeOf(wanted, code_words)
  const distances = new Uint16Array(allowed.length)
  const counts = new Uint32Array(dimensions + 1)
  for (let slot = 0, at = 0; slot < allowed.length; slot++, at += code_words) {
    if (allowed[slot] === 0 || norms[slot] === 0) continue
    let apart = 0
    for (let word = 0; word < code_words; word++) apart += bitsOf(codes[at + word]! ^ code[word]!)
    distances[slot] = apart
    counts[apart]!++
  }
  let limit = 0
  for (let taken = 0; limit < dimensions; limit++) {
    taken += counts[limit]!
    if (taken >= exact_max) break
  }
  const nearest: number[] = []
  for (let slot = 0; slot < allowed.length && nearest.length < as_far_max; slot++) {
    if (allowed[slot] === 0 || norms[slot] === 0 || distances[slot]! > limit) continue
    nearest.push(slot)
  }
  return nearest
}
