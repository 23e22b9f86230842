// One attempt at a request: its abort signal, its timeout, and reading its answer. Must be closed.
import { answer_chars_max, tooLarge } from './events.ts'

/** The longest JavaScript timer; a longer one fires at once. */
const timeout_ms_max = 2 ** 31 - 1

export class Attempt {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal | undefined
  readonly #timeout_ms: number
  #timer: ReturnType<typeof setTimeout> | undefined

  /** 0 for no limit. */
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

  /** The text of an answer in chunks. With `each`, the timeout applies to each chunk. */
  async *texts(response: Response, each = false): AsyncGenerator<string> {
    // Without streams on the platform, the text is one chunk.
    if (!response.body) return yield await response.text()
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    try {
      while (true) {
        if (each) this.#startTimer()
        const { done, value } = await reader.read()
        // The caller's own processing does not count towards the timeout.
        if (each) this.#stopTimer()
        yield done ? decoder.decode() : decoder.decode(value, { stream: true })
        if (done) return
      }
    } finally {
      // An answer that is not read to its end releases its connection.
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
