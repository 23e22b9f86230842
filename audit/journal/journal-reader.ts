// The reading side of the journal. Normal operation, catching up and recovery after a kill use the same code.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Position } from '../writer/signals.ts'
import { decodeFrame, type Frame, frameLength, hasFrameAfter } from './frame.ts'
import { segmentPath } from './journal-directory.ts'

export interface JournalBatch {
  readonly frames: readonly Frame[]
  readonly records: number
  /** Where the next batch begins once this one is committed. */
  readonly end: Position
}

/** The journal cannot be read further: an operator must repair it. */
export class JournalFault extends Error {}

const batch_records_max = 2_000
const batch_bytes_max = 4 * 1024 * 1024
const read_bytes = 2 * 1024 * 1024
const frame_head_bytes = 8

export class JournalReader {
  readonly #dir: string
  /** Segments this process writes, read through the writer's own descriptors. */
  readonly #given: Map<number, number>
  readonly #onTornTail: (segment: number, bytes: number) => void
  #place: Position
  #own: { segment: number; fd: number } | undefined

  constructor(
    dir: string,
    place: Position,
    descriptors: Map<number, number>,
    onTornTail: (segment: number, bytes: number) => void,
  ) {
    this.#dir = dir
    this.#place = place
    this.#given = descriptors
    this.#onTornTail = onTornTail
  }

  get place(): Position {
    return this.#place
  }

  /** Complete frames from the current position on, up to the limits; undefined when everything written was read. */
  next(written: Position): JournalBatch | undefined {
    while (this.#place.segment < written.segment) {
      const batch = this.#readSegment(undefined)
      if (batch) return batch
      this.moveTo({ segment: this.#place.segment + 1, offset: 0 })
    }
    return this.#place.offset < written.offset ? this.#readSegment(written.offset) : undefined
  }

  moveTo(place: Position): void {
    this.#place = place
    for (const segment of this.#given.keys()) if (segment < place.segment) this.#given.delete(segment)
    if (this.#own && this.#own.segment !== place.segment) this.close()
  }

  close(): void {
    if (this.#own) closeSync(this.#own.fd)
    this.#own = undefined
  }

  /** `limit` is undefined where the segment is no longer written: then it ends with its last complete frame. */
  #readSegment(limit: number | undefined): JournalBatch | undefined {
    const { segment, offset } = this.#place
    const fd = this.#descriptor(segment)
    const size = limit ?? fstatSync(fd).size
    if (size <= offset) return undefined
    let bytes = readAt(fd, offset, Math.min(read_bytes, size - offset))
    if (bytes.length >= frame_head_bytes && frameLength(bytes, 0) > bytes.length) {
      bytes = readAt(fd, offset, Math.min(frameLength(bytes, 0), size - offset))
    }
    const batch = takeFrames(segment, offset, bytes)
    if (batch.frames.length > 0) return batch
    if (limit !== undefined) throw this.#damage(segment, offset)
    const rest = readAt(fd, offset, size - offset)
    if (hasFrameAfter(rest, 0)) throw this.#damage(segment, offset)
    this.#onTornTail(segment, rest.length)
    return undefined
  }

  #descriptor(segment: number): number {
    const descriptor = this.#given.get(segment)
    if (descriptor !== undefined) return descriptor
    if (this.#own?.segment === segment) return this.#own.fd
    this.close()
    try {
      this.#own = { segment, fd: openSync(segmentPath(this.#dir, segment), 'r') }
    } catch (error) {
      const path = segmentPath(this.#dir, segment)
      throw new JournalFault(
        `The audit journal needs ${path} and cannot read it (${(error as Error).message}); restore it, ` +
          'or put an empty file in its place to give up what it held, and start again.',
      )
    }
    return this.#own.fd
  }

  #damage(segment: number, offset: number): JournalFault {
    const path = segmentPath(this.#dir, segment)
    return new JournalFault(
      `The audit journal ${path} is damaged at byte ${offset}, with whole frames after it; restore it, ` +
        'or cut it off at that byte to give up the rest of it, and start again.',
    )
  }
}

function takeFrames(segment: number, offset: number, bytes: Buffer): JournalBatch {
  const frames: Frame[] = []
  let records = 0
  let at = 0
  while (at < bytes.length) {
    const frame = decodeFrame(bytes, at)
    if (typeof frame === 'string') break
    const lines = countLines(frame.records)
    if (frames.length > 0 && (records + lines > batch_records_max || frame.end > batch_bytes_max)) break
    frames.push(frame)
    records += lines
    at = frame.end
  }
  return { frames, records, end: { segment, offset: offset + at } }
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

export function readAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const read = readSync(fd, bytes, filled, length - filled, offset + filled)
    if (read === 0) break
    filled += read
  }
  return bytes.subarray(0, filled)
}
