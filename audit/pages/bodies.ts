// Texts of consecutive records, compressed together. A body is canonical JSON and has no newline, so they are lines.
import { readFileSync } from 'node:fs'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Stored with what it wrote. A new dictionary or layout is a new number, and older numbers stay readable. */
export const body_format = 1

const dictionary = readFileSync(new URL('./dictionary-1.txt', import.meta.url))
/** Above the largest record: what becomes more than that for each record was not written by us. */
const record_bytes_max = 1024 * 1024

const packing = {
  dictionary,
  // Higher levels cost a multiple and save nothing.
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 0 },
}

export function packBodies(bodies: readonly string[]): Buffer {
  return zstdCompressSync(bodies.join('\n'), packing)
}

/** Throws where these bytes are not what `packBodies` made of at most so many records. */
export function openBodies(bytes: Uint8Array, format: number, records_max: number): string[] {
  if (format !== body_format) throw new Error(`this version cannot read audit pages of format ${format}`)
  const text = zstdDecompressSync(bytes, { dictionary, maxOutputLength: records_max * record_bytes_max })
  return text.toString().split('\n')
}
