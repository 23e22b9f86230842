// Threads for what takes long. Each has one job at a time; a job past its deadline is ended with its thread.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Computation, Compute } from '@svc/contract/computation'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'

const waiting_max = 256
const heap_mib_default = 512

export interface Job {
  readonly module: string
  readonly input: unknown
  readonly waited_ms: number
}

export type FromThread = { readonly output: unknown } | { readonly error: Error }

interface Asked {
  readonly module: string
  readonly input: unknown
  readonly asked_ms: number
  resolve(output: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
  thread?: Worker
}

/** Threads are started when first needed, and keep no process alive. */
export class WorkerPool {
  readonly #clock: Clock
  readonly #threads_max: number
  readonly #heap_mib_max: number
  readonly #idle: Worker[] = []
  readonly #busy = new Map<Worker, Asked>()
  readonly #waiting: Asked[] = []

  constructor(clock: Clock, threads_max = availableParallelism(), heap_mib_max = heap_mib_default) {
    this.#clock = clock
    this.#threads_max = threads_max
    this.#heap_mib_max = heap_mib_max
  }

  readonly compute: Compute = <Input, Output>(
    job: Computation<Input, Output>,
    input: Input,
    deadline_ms: number,
  ): Promise<Output> => {
    if (this.#waiting.length >= waiting_max) return Promise.reject(crowded())
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => this.#giveUp(asked, deadline_ms), deadline_ms)
    const asked_ms = this.#clock.monotonic_ms()
    const asked: Asked = { module: job.module, input, asked_ms, resolve, reject, timer }
    this.#waiting.push(asked)
    this.#next()
    return promise as Promise<Output>
  }

  async close(): Promise<void> {
    const threads = [...this.#idle.splice(0), ...this.#busy.keys()]
    for (const asked of this.#waiting.splice(0)) this.#end(asked, stopped())
    await Promise.all(threads.map((thread) => thread.terminate()))
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idle.pop() ?? this.#start()
      if (!thread) return
      const asked = this.#waiting.shift()!
      asked.thread = thread
      this.#busy.set(thread, asked)
      const { module, input, asked_ms } = asked
      const job: Job = { module, input, waited_ms: this.#clock.monotonic_ms() - asked_ms }
      thread.ref()
      try {
        thread.postMessage(job)
      } catch (error) {
        this.#free(thread)
        this.#end(asked, error as Error)
      }
    }
  }

  #start(): Worker | undefined {
    if (this.#busy.size + this.#idle.length >= this.#threads_max) return undefined
    const thread = new Worker(new URL('./worker-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#heap_mib_max },
    })
    thread.on('message', (message: FromThread) => this.#answered(thread, message))
    thread.on('error', (error) => this.#died(thread, error as NodeJS.ErrnoException))
    thread.on('exit', () => this.#died(thread, stopped()))
    return thread
  }

  #answered(thread: Worker, message: FromThread): void {
    const asked = this.#busy.get(thread)
    this.#free(thread)
    if (asked && 'output' in message) {
      clearTimeout(asked.timer)
      asked.resolve(message.output)
    } else if (asked && 'error' in message) this.#end(asked, message.error)
    this.#next()
  }

  #free(thread: Worker): void {
    if (!this.#busy.delete(thread)) return
    thread.unref()
    this.#idle.push(thread)
  }

  #died(thread: Worker, error: NodeJS.ErrnoException): void {
    const asked = this.#busy.get(thread)
    this.#busy.delete(thread)
    const idle = this.#idle.indexOf(thread)
    if (idle >= 0) this.#idle.splice(idle, 1)
    if (asked)
      this.#end(asked, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge(this.#heap_mib_max) : error)
    this.#next()
  }

  #giveUp(asked: Asked, deadline_ms: number): void {
    const at = this.#waiting.indexOf(asked)
    if (at >= 0) this.#waiting.splice(at, 1)
    const { thread } = asked
    if (thread && this.#busy.get(thread) === asked) {
      this.#busy.delete(thread)
      void thread.terminate()
    }
    this.#end(asked, late(deadline_ms))
    this.#next()
  }

  #end(asked: Asked, error: Error): void {
    clearTimeout(asked.timer)
    asked.reject(error)
  }
}

function late(deadline_ms: number): Refusal {
  return refuse(
    'timeout',
    `The work was not done within its ${Math.round(deadline_ms)} ms and was stopped; ask for less, or give it a longer deadline.`,
  )
}

function crowded(): Refusal {
  return refuse(
    'no_endpoint_available',
    `${waiting_max} pieces of long work wait for a thread already; try again shortly.`,
    { reason: 'compute queue full' },
  )
}

function tooLarge(heap_mib_max: number): Refusal {
  return refuse(
    'policy_denied',
    `The work needed more than ${heap_mib_max} MiB of memory and was stopped; ask for less.`,
    { reason: 'memory limit' },
  )
}

function stopped(): Refusal {
  return refuse('draining', 'The engine is stopping; ask another, or ask again when it is back.')
}
