// The main thread's side of the writer thread: starts it, restarts it when it dies, and receives its messages.
import { Worker } from 'node:worker_threads'
import type { Proof } from './recent-commits.ts'
import type { Position } from './signals.ts'
import type { FromWriter, ToWriter, WriterConfig } from './writer-messages.ts'

const restart_ms_min = 100
const restart_ms_max = 5_000
const stop_ms_max = 5_000
/** A writer that is stuck must not hold up an answer that the database can give. */
const prove_ms_max = 1_000

export interface WriterEvents {
  message(message: FromWriter): void
  /** The thread died of an uncaught error; it is restarted. */
  died(error: string): void
}

/** What is used of the writer's thread; the simulation runs the writer without one. */
export interface WriterThread {
  postMessage(message: ToWriter): void
  terminate(): Promise<unknown>
  on(event: 'message', listener: (message: FromWriter) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: () => void): unknown
}

export type StartWriter = (config: WriterConfig) => WriterThread

const startThread: StartWriter = (config) =>
  new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: config })

export class WriterLink {
  readonly #configure: () => WriterConfig
  readonly #startWriter: StartWriter
  readonly #opened = Promise.withResolvers<Position>()
  readonly #proving = new Map<number, (proof: Proof | undefined) => void>()
  #questions = 0
  #events: WriterEvents | undefined
  #worker: WriterThread | undefined
  #stopping = false
  #restart_ms = restart_ms_min
  #restart: NodeJS.Timeout | undefined

  constructor(configure: () => WriterConfig, startWriter = startThread) {
    this.#configure = configure
    this.#startWriter = startWriter
    this.#opened.promise.catch(() => {})
    this.#start()
  }

  /** The journal's committed position, or why the writer could not start there. */
  opened(): Promise<Position> {
    return this.#opened.promise
  }

  listen(events: WriterEvents): void {
    this.#events = events
  }

  send(message: ToWriter): void {
    this.#worker?.postMessage(message)
  }

  /** What the writer remembers of a record; undefined where it does not, or does not answer. */
  prove(tenant_ids: readonly string[], record_id: string): Promise<Proof | undefined> {
    if (!this.#worker) return Promise.resolve(undefined)
    const question = ++this.#questions
    const { promise, resolve } = Promise.withResolvers<Proof | undefined>()
    const timer = setTimeout(resolve, prove_ms_max, undefined)
    this.#proving.set(question, resolve)
    this.send({ kind: 'prove', question, tenant_ids, record_id })
    return promise.finally(() => {
      clearTimeout(timer)
      this.#proving.delete(question)
    })
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#restart)
    const worker = this.#worker
    if (!worker) return
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    worker.on('exit', () => resolve())
    worker.postMessage({ kind: 'stop' } satisfies ToWriter)
    const timer = setTimeout(() => worker.terminate(), stop_ms_max)
    await gone
    clearTimeout(timer)
  }

  /** Ends the thread abruptly, as a fault would. */
  async kill(): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): void {
    const worker = this.#startWriter(this.#configure())
    this.#worker = worker
    let finished = false
    let reason = 'it exited'
    worker.on('message', (message: FromWriter) => {
      finished ||= message.kind === 'stopped'
      if (message.kind === 'committed') this.#restart_ms = restart_ms_min
      if (message.kind === 'proved') this.#proving.get(message.question)?.(message.proof)
      if (message.kind === 'ready') this.#opened.resolve(message.position)
      if (message.kind === 'failed' || message.kind === 'stopped')
        this.#opened.reject(new Error(message.error))
      this.#events?.message(message)
    })
    worker.on('error', (error: Error) => {
      reason = error.message
    })
    worker.on('exit', () => {
      this.#worker = undefined
      for (const resolve of this.#proving.values()) resolve(undefined)
      if (this.#stopping || finished) return
      const error = `the audit writer thread ended: ${reason}`
      this.#opened.reject(new Error(error))
      this.#events?.died(error)
      this.#restart = setTimeout(() => this.#start(), this.#restart_ms)
      this.#restart_ms = Math.min(this.#restart_ms * 2, restart_ms_max)
    })
  }
}
