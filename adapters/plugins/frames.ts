// The engine's end of the socket to a sandbox: what comes is a stranger's, so its size is looked at before anything is kept.
import { length_bytes } from './sandbox/words.ts'

export function frameOf(words: object): Buffer {
  const body = Buffer.from(JSON.stringify(words))
  const head = Buffer.allocUnsafe(length_bytes)
  head.writeUInt32LE(body.length)
  return Buffer.concat([head, body])
}

// A class because it keeps what has come of an unfinished frame.
export class FrameReader {
  readonly #bytes_max: number
  #chunks: Buffer[] = []
  #have = 0

  constructor(bytes_max: number) {
    this.#bytes_max = bytes_max
  }

  /** The frames that are whole now. Throws where one is larger than allowed, or no JSON object. */
  *read(chunk: Buffer): Generator<object> {
    this.#chunks.push(chunk)
    this.#have += chunk.length
    while (this.#have >= length_bytes) {
      const head = this.#joined(length_bytes)
      const length = head.readUInt32LE()
      if (length > this.#bytes_max) throw new RangeError(`it said ${length} bytes at once`)
      if (this.#have < length_bytes + length) return
      const whole = this.#joined(length_bytes + length)
      const rest = whole.subarray(length_bytes + length)
      this.#chunks = rest.length ? [rest] : []
      this.#have = rest.length
      yield objectIn(whole.subarray(length_bytes, length_bytes + length))
    }
  }

  /** At least so many bytes in one piece. Chunks are joined only when they are needed: a large frame comes in many. */
  #joined(length: number): Buffer {
    if (this.#chunks[0]!.length < length) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]!
  }
}

function objectIn(bytes: Buffer): object {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new TypeError('it said what is no JSON')
  }
  if (typeof value !== 'object' || value === null) throw new TypeError('it said what is no object')
  return value
}
