// One event-loop turn in the journal: u32 length of the rest, u32 crc32 of the rest, u32 length of the record part, the record lines
// joined by newlines, and sealed inputs, if any were retained.
import { crc32 } from 'node:zlib'

const head_bytes = 8
const record_length_bytes = 4
const opening_brace = 0x7b

/** The maximum frame size: a greater length is invalid. */
const frame_bytes_max = 32 * 1024 * 1024

export interface Frame {
  /** Entry texts, one per line. */
  readonly records: string
  readonly sealed: Buffer | undefined
  /** Where the next frame begins. */
  readonly end: number
}

export function encodeFrame(records: string, sealed?: Uint8Array): Buffer {
  const record_bytes = Buffer.byteLength(records)
  const length = record_length_bytes + record_bytes + (sealed?.length ?? 0)
  if (length > frame_bytes_max) {
    throw new RangeError(`a journal frame of ${length} bytes is over the ${frame_bytes_max} allowed`)
  }
  const frame = Buffer.allocUnsafe(head_bytes + length)
  frame.writeUInt32LE(length, 0)
  frame.writeUInt32LE(record_bytes, head_bytes)
  frame.write(records, head_bytes + record_length_bytes, 'utf8')
  if (sealed) frame.set(sealed, head_bytes + record_length_bytes + record_bytes)
  frame.writeUInt32LE(crc32(frame.subarray(head_bytes)), 4)
  return frame
}

/** `short`: the bytes end before the frame does. `bad`: not a frame. */
export function decodeFrame(bytes: Buffer, at: number): Frame | 'short' | 'bad' {
  if (bytes.length - at < head_bytes + record_length_bytes) return 'short'
  if (!looksLikeFrame(bytes, at)) return 'bad'
  const length = bytes.readUInt32LE(at)
  const end = at + head_bytes + length
  if (bytes.length < end) return 'short'
  if (crc32(bytes.subarray(at + head_bytes, end)) !== bytes.readUInt32LE(at + 4)) return 'bad'
  const records_at = at + head_bytes + record_length_bytes
  const records_end = records_at + bytes.readUInt32LE(at + head_bytes)
  return {
    records: bytes.toString('utf8', records_at, records_end),
    sealed: records_end < end ? bytes.subarray(records_end, end) : undefined,
    end,
  }
}

/** The length the frame at this position declares, so that a reader knows how far to read. */
export function frameLength(bytes: Buffer, at: number): number {
  return head_bytes + bytes.readUInt32LE(at)
}

/** A complete frame after a fault tells damage in the middle from a torn tail. */
export function hasFrameAfter(bytes: Buffer, at: number): boolean {
  for (let start = at + 1; start + head_bytes + record_length_bytes < bytes.length; start++) {
    if (looksLikeFrame(bytes, start) && typeof decodeFrame(bytes, start) === 'object') return true
  }
  return false
}

/** Cheap checks that rule out nearly every position before a checksum is computed. */
function looksLikeFrame(bytes: Buffer, at: number): boolean {
  const length = bytes.readUInt32LE(at)
  if (length <= record_length_bytes || length > frame_bytes_max) return false
  const record_bytes = bytes.readUInt32LE(at + head_bytes)
  if (record_bytes === 0 || record_bytes > length - record_length_bytes) return false
  const first = bytes[at + head_bytes + record_length_bytes]
  return first === undefined || first === opening_brace
}
