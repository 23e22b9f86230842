// One attempt at a request: who may end it, how long it may take, and how its answer is read. Must be closed.
import { answer_chars_max, tooLarge } from './events.ts'

/** Longer than this a timer of JavaScript cannot be set; it would fire at once. */
const timeout_ms_max = 2 ** 31 - 1

export class Attempt {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal | undefined
  readonly #timeout_ms: number
  #timer: ReturnType<typeof setTimeout> | undefined

  /** 0 for as long as it takes. */
  constructor(caller: AbortSignal | undefined, timeout_ms: number) {
    this.#caller = caller
    this.#timeout_ms = timeout_ms
    if (caller?.aborted) this.#leave()
    else caller?.addEventListener('abort', this.#leave, { once: true })
    this.#startTimer()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The text of an answer, in pieces. With `each` the time allowed is that of one piece. */
  async *texts(response: Response, each = false): AsyncGenerator<string> {
    // Where a platform has no streams, the text comes in one piece.
    if (!response.body) return yield await response.text()
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    try {
      while (true) {
        if (each) this.#startTimer()
        const { done, value } = await reader.read()
        // What the caller does with a piece is no time of the service.
        if (each) this.#stopTimer()
        yield done ? decoder.decode() : decoder.decode(value, { stream: true })
        if (done) return
      }
    } finally {
      // An answer that nobody reads to its end lets its connection go.
      void reader.cancel().catch(() => undefined)
    }
  }

  async text(response: Response): Promise<string> {
    const pieces: string[] = []
    let chars = 0
    for await (const piece of this.texts(response)) {
      chars += piece.length
      if (chars > answer_chars_max) throw tooLarge()
      pieces.push(piece)
    }
    return pieces.join('')
  }

  close(): void {
    this.#stopTimer()
    this.#caller?.removeEventListener('abort', this.#leave)
  }

  readonly #leave = () => this.#controller.abort(this.#caller!.reason)

  #startTimer(): void {
    this.#stopTimer()
    if (!(this.#timeout_ms > 0) || this.signal.aborted) return
    const late = () => this.#controller.abort(new DOMException('no answer in time', 'TimeoutError'))
    this.#timer = setTimeout(late, Math.min(this.#timeout_ms, timeout_ms_max))
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
  }
}
