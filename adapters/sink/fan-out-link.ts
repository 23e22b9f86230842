// The main thread's end of the fan-out: starts its thread, restarts it when it dies, and receives its messages.
import { Worker } from 'node:worker_threads'
import type { Log } from '@svc/engine/ports'
import type { ArchivePlace } from '../log-archive/open-page-store.ts'
import type { KafkaOptions } from './kafka.ts'

const restart_ms = 1_000
const close_ms_max = 10_000

export interface FanOutConfig {
  readonly db_url: string
  readonly kafka: KafkaOptions
  /** Where old pages are: a new topic receives them too. */
  readonly archive?: ArchivePlace | undefined
}

export type ToFanOut = { readonly kind: 'wake' } | { readonly kind: 'close' }

export type FromFanOut =
  | { readonly kind: 'lag'; readonly lag: number }
  | {
      readonly kind: 'log'
      readonly level: keyof Log
      readonly details: object
      readonly message: string
    }

export class FanOutLink {
  readonly #config: FanOutConfig
  readonly #log: Log
  #worker: Worker | undefined
  #restart: NodeJS.Timeout | undefined
  #closing = false
  #lag = 0

  constructor(config: FanOutConfig, log: Log) {
    this.#config = config
    this.#log = log
    this.#start()
  }

  /** Records of this engine were committed. */
  wake(): void {
    this.#tell({ kind: 'wake' })
  }

  /** Committed records not yet forwarded, as last measured. */
  lag(): number {
    return this.#lag
  }

  async close(): Promise<void> {
    this.#closing = true
    clearTimeout(this.#restart)
    const worker = this.#worker
    if (!worker) return
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    worker.once('exit', () => resolve())
    this.#tell({ kind: 'close' })
    const timer = setTimeout(() => worker.terminate(), close_ms_max)
    await gone
    clearTimeout(timer)
  }

  #tell(message: ToFanOut): void {
    this.#worker?.postMessage(message)
  }

  #start(): void {
    const worker = new Worker(new URL('./fan-out-thread.ts', import.meta.url), { workerData: this.#config })
    this.#worker = worker
    let reason = 'it exited'
    worker.on('message', (message: FromFanOut) => {
      if (message.kind === 'lag') this.#lag = message.lag
      else this.#log[message.level](message.details, message.message)
    })
    worker.on('error', (error: Error) => {
      reason = error.message
    })
    worker.on('exit', () => {
      this.#worker = undefined
      if (this.#closing) return
      this.#log.error({}, `the thread of the fan-out ended: ${reason}; it is restarted`)
      this.#restart = setTimeout(() => this.#start(), restart_ms)
    })
  }
}
