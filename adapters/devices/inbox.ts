// Device messages on their way to the tables: stored in batches; the broker waits if the inbox is full.
import type { ArrivedMessage } from '@svc/contract/needs/devices'
import type { Log } from '@svc/engine/ports'

const waiting_max = 10_000
const batch_max = 500
const again_ms = 1_000
/** After this many failures a message of the batch may be the cause: then each is tried alone. */
const failures_max = 3

export class Inbox {
  readonly #store: (messages: readonly ArrivedMessage[]) => Promise<void>
  readonly #log: Log
  readonly #waiting: ArrivedMessage[] = []
  #room: PromiseWithResolvers<void> | undefined
  #working: Promise<void> | undefined
  #pause: PromiseWithResolvers<void> | undefined
  #is_closed = false

  constructor(store: (messages: readonly ArrivedMessage[]) => Promise<void>, log: Log) {
    this.#store = store
    this.#log = log
  }

  take(message: ArrivedMessage): Promise<void> | undefined {
    if (this.#is_closed) return undefined
    this.#waiting.push(message)
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
    if (this.#waiting.length < waiting_max) return undefined
    this.#room ??= Promise.withResolvers()
    return this.#room.promise
  }

  /** The current batch is finished; waiting messages are dropped. */
  async close(): Promise<void> {
    this.#is_closed = true
    this.#room?.resolve()
    this.#pause?.resolve()
    await this.#working
  }

  async #work(): Promise<void> {
    let failures = 0
    while (this.#waiting.length > 0 && !this.#is_closed) {
      const batch = this.#waiting.slice(0, batch_max)
      const is_stored = failures < failures_max ? await this.#tryAll(batch) : await this.#tryEach(batch)
      failures = is_stored ? 0 : failures + 1
      if (!is_stored) {
        await this.#rest()
        continue
      }
      this.#waiting.splice(0, batch.length)
      this.#room?.resolve()
      this.#room = undefined
    }
  }

  async #tryAll(batch: readonly ArrivedMessage[]): Promise<boolean> {
    try {
      await this.#store(batch)
      return true
    } catch (error) {
      this.#log.warn({ err: error }, 'what devices reported could not be stored; it is tried again')
      return false
    }
  }

  /** False if none could be stored: then the database is away, and nothing is dropped. */
  async #tryEach(batch: readonly ArrivedMessage[]): Promise<boolean> {
    let stored = 0
    for (const message of batch) if (await this.#tryAll([message])) stored++
    if (stored > 0 && stored < batch.length)
      this.#log.warn({ given_up: batch.length - stored }, 'dropped messages of devices that cannot be stored')
    return stored > 0
  }

  async #rest(): Promise<void> {
    if (this.#is_closed) return
    this.#pause = Promise.withResolvers()
    const timer = setTimeout(this.#pause.resolve, again_ms)
    await this.#pause.promise
    clearTimeout(timer)
    this.#pause = undefined
  }
}
