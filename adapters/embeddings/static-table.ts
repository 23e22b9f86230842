// Vectors without a model: the mean of one row per word piece, of a table distilled from one (table/README.md).
import { readFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { join } from 'node:path'
import type { Embedder } from '@svc/contract/needs/embedding'
import { lengthOneInt8 } from './quantize.ts'
import { piecesOf, readVocabulary, type Vocabulary } from './wordpiece.ts'

const dimensions = 256
const rows = 30_522
/** A longer text is known by its beginning: the mean of everything is near nothing, and reading it takes time. */
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

/** Exported for the comparison with the script that made the table: before it is rounded. */
export function sumRows(text: string): Float64Array {
  loaded ??= loadTable()
  const { vocabulary, scales, values } = loaded
  const sums = new Float64Array(dimensions)
  for (const piece of piecesOf(vocabulary, text.slice(0, text_chars_max))) {
    const scale = scales[piece]!
    const row = piece * dimensions
    for (let i = 0; i < dimensions; i++) sums[i]! += scale * values[row + i]!
  }
  // Divided by their number it would be the mean; the direction is the same.
  return sums
}

/** When first asked, so that an engine nobody asks to remember does not pay for it. */
function loadTable(): Table {
  const file = readFileSync(join(folder, 'vectors.bin'))
  const scale_bytes = rows * Float32Array.BYTES_PER_ELEMENT
  if (file.length !== scale_bytes + rows * dimensions || endianness() !== 'LE')
    throw new Error(
      'The table of embeddings is not whole, or this machine reads numbers the other way round.',
    )
  // A small file may lie in a shared pool at any offset; one of this size has its own memory, so the view is aligned.
  return {
    vocabulary: readVocabulary(readFileSync(join(folder, 'vocabulary.txt'), 'utf8')),
    scales: new Float32Array(file.buffer, file.byteOffset, rows),
    values: new Int8Array(file.buffer, file.byteOffset + scale_bytes, rows * dimensions),
  }
}
