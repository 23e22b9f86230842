// The records of one event-loop turn: collected, written as one frame, and only then may the turn's answers be sent.

import type { RetainedInput } from '../inputs/retained-input.ts'
import { encodeFrame } from './frame.ts'

/** A turn larger than this is written in several frames. */
const frame_lines_max = 1_000
const frame_chars_max = 1024 * 1024
/** Larger inputs are not retained: no request body is that large. */
const input_chars_max = 8 * 1024 * 1024

export interface TurnSink {
  /** Writes a frame to the journal or throws. */
  append(frame: Buffer): void
  /** Resolves once what was appended is as durable as configured; undefined where it is already. */
  secure(): Promise<void> | undefined
  seal(inputs: readonly RetainedInput[]): Buffer
}

interface OpenTurn {
  readonly promise: Promise<void>
  resolve(): void
  reject(error: Error): void
  error?: Error
}

const done = Promise.resolve()

export class Turns {
  readonly #sink: TurnSink
  #turn: OpenTurn | undefined
  #lines: string[] = []
  #inputs: RetainedInput[] = []
  #chars = 0

  constructor(sink: TurnSink) {
    this.#sink = sink
  }

  /** False where the input is too large to retain. */
  add(line: string, input?: RetainedInput): boolean {
    const turn = this.#open()
    this.#lines.push(line)
    this.#chars += line.length
    const is_retained = input !== undefined && input.text.length <= input_chars_max
    if (is_retained) {
      this.#inputs.push(input)
      this.#chars += input.text.length
    }
    if (this.#lines.length >= frame_lines_max || this.#chars >= frame_chars_max) this.#writeFrame(turn)
    return is_retained || input === undefined
  }

  /** The answers of this turn must not be sent as if they were recorded. */
  fail(error: Error): void {
    this.#open().error ??= error
  }

  written(): Promise<void> {
    return this.#turn?.promise ?? done
  }

  /** Writes what the turn has so far. It ends as ever: who has added to it and has yet to wait learns whether that was written. */
  flush(): void {
    if (this.#turn && this.#lines.length > 0) this.#writeFrame(this.#turn)
  }

  #end(turn: OpenTurn): void {
    this.flush()
    this.#turn = undefined
    const secured = turn.error ? Promise.reject(turn.error) : this.#sink.secure()
    if (secured) secured.then(turn.resolve, turn.reject)
    else turn.resolve()
  }

  #open(): OpenTurn {
    if (this.#turn) return this.#turn
    const turn: OpenTurn = Promise.withResolvers<void>()
    // Without waiters too: a record without an answer still goes to the journal.
    turn.promise.catch(() => {})
    this.#turn = turn
    setImmediate(() => this.#end(turn))
    return turn
  }

  #writeFrame(turn: OpenTurn): void {
    const records = this.#lines.join('\n')
    const inputs = this.#inputs
    this.#lines = []
    this.#inputs = []
    this.#chars = 0
    try {
      this.#sink.append(encodeFrame(records, inputs.length > 0 ? this.#sink.seal(inputs) : undefined))
    } catch (error) {
      turn.error ??= error as Error
    }
  }
}
