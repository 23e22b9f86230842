// Vectors without a model: the mean of one row per word piece, from a table distilled from a model (table/README.md).
import { readFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { join } from 'node:path'
import type { Embedder } from '@svc/contract/needs/embedding'
import { lengthOneInt8 } from './quantize.ts'
import { piecesOf, readVocabulary, type Vocabulary } from './wordpiece.ts'

const dimensions = 256
const rows = 30_522
/** Only the beginning of a longer text counts: the mean of everything says little, and reading it takes time. */
const text_chars_max = 8_192
const folder = join(import.meta.dirname, 'table')

interface Table {
  readonly vocabulary: Vocabulary
  /** Views of the file as it was read. */
  readonly scales: Float32Array
  readonly values: Int8Array
}

let loaded: Table | undefined

export const static_embedder: Embedder = {
  id: 'minilm-static-256/1',
  dimensions,
  embed: (texts) => texts.map((text) => lengthOneInt8(sumRows(text))),
}

/** Before rounding; exported for the comparison with the script that made the table. */
export function sumRows(text: string): Float64Array {
  loaded ??= loadTable()
  const { vocabulary, scales, values } = loaded
  const sums = new Float64Array(dimensions)
  for (const piece of piecesOf(vocabulary, text.slice(0, text_chars_max))) {
    const scale = scales[piece]!
    const row = piece * dimensions
    for (let i = 0; i < dimensions; i++) sums[i]! += scale * values[row + i]!
  }
  // Not divided by their number: the direction is the same.
  return sums
}

/** Loaded on first use, so that an engine that never needs it does not pay for it. */
function loadTable(): Table {
  const file = readFileSync(join(folder, 'vectors.bin'))
  const scale_bytes = rows * Float32Array.BYTES_PER_ELEMENT
  if (file.length !== scale_bytes + rows * dimensions || endianness() !== 'LE')
    throw new Error('The embeddings table is incomplete, or this machine is big-endian.')
  // A small file may lie in a shared pool at any offset; one of this size has its own memory, so the view is aligned.
  return {
    vocabulary: readVocabulary(readFileSync(join(folder, 'vocabulary.txt'), 'utf8')),
    scales: new Float32Array(file.buffer, file.byteOffset, rows),
    values: new Int8Array(file.buffer, file.byteOffset + scale_bytes, rows * dimensions),
  }
}
