// The engine's end of the socket to a sandbox. The input is untrusted, so its size is checked before anything is
// buffered.
import { length_bytes, type ToEngine } from './sandbox/words.ts'
import { tooHeavy } from './weigh-json.ts'

export function frameOf(words: object): Buffer {
  const body = Buffer.from(JSON.stringify(words))
  const head = Buffer.allocUnsafe(length_bytes)
  head.writeUInt32LE(body.length)
  return Buffer.concat([head, body])
}

// A class because it buffers an unfinished frame.
export class FrameReader {
  readonly #bytes_max: number
  #chunks: Buffer[] = []
  #have = 0

  constructor(bytes_max: number) {
    this.#bytes_max = bytes_max
  }

  /** The complete messages so far. Throws if they are too large or invalid. */
  *read(chunk: Buffer): Generator<ToEngine> {
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
      yield wordsIn(whole.subarray(length_bytes, length_bytes + length))
    }
  }

  /** At least this many bytes in one piece. Chunks are joined only when needed: a large frame comes in many. */
  #joined(length: number): Buffer {
    if (this.#chunks[0]!.length < length) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]!
  }
}

function wordsIn(bytes: Buffer): ToEngine {
  const text = bytes.toString('utf8')
  const heavy = tooHeavy(text)
  if (heavy) throw new RangeError(`of what it said, ${heavy}`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new TypeError('it said what is no JSON')
  }
  const [[name, content] = ['', undefined], ...more] = isObject(value) ? Object.entries(value) : []
  if (more.length > 0 || !Object.hasOwn(shapes, name) || !shapes[name as keyof typeof shapes](content))
    throw new TypeError('it said what no sandbox says')
  return value as ToEngine
}

type Shape = (content: unknown) => boolean
type KeyOf<T> = T extends unknown ? keyof T : never

const operations_max = 1_000

const isText: Shape = (content) => typeof content === 'string'
const isObject = (content: unknown): content is Readonly<Record<string, unknown>> =>
  typeof content === 'object' && content !== null && !Array.isArray(content)
const orAbsent =
  (shape: Shape): Shape =>
  (content) =>
    content === undefined || shape(content)
const fields =
  (shape: Readonly<Record<string, Shape>>): Shape =>
  (content) =>
    isObject(content) && Object.entries(shape).every(([name, fits]) => fits(content[name]))

/** Whatever runs in the sandbox, these are its messages. */
const shapes: Readonly<Record<KeyOf<ToEngine>, Shape>> = {
  loaded: (content) => Array.isArray(content) && content.length <= operations_max && content.every(isText),
  answered: isText,
  refused: fields({ code: isText, message: isText, reason: orAbsent(isText), details: orAbsent(isText) }),
  trapped: isText,
  call: fields({ protocol: isText, operation: isText, input: isText }),
  audit: fields({ event_type: isText, meta: isText }),
  log: fields({ level: isText, message: isText }),
  progress: fields({ message: isText, fraction: orAbsent(Number.isFinite) }),
}
