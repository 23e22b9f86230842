// Threads for what takes long. Each has one job at a time; a job past its deadline is ended with its thread.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Computation, Compute, ComputeOwner } from '@svc/contract/computation'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'
import { FairQueue, type QueuedJob, sharesOf, tenant_waiting_max, waiting_max } from './fair-queue.ts'

const heap_mib_default = 512
const retry_after_ms = 1_000
/** No tenant has this name: the engine's own work waits in a line like any tenant's. */
const engine_line = ''

export interface Job {
  readonly module: string
  readonly input: unknown
  readonly waited_ms: number
}

export type FromThread = { readonly output: unknown } | { readonly error: Error }

interface Asked extends QueuedJob {
  readonly module: string
  readonly input: unknown
  readonly asked_ms: number
  resolve(output: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
  thread?: Worker
}

/**
 * One more than there are cores, and three at least: a tenant alone can keep the cores busy, and there is still a thread
 * for whoever comes; the system then shares the cores among them.
 */
export function threadsFor(cores: number): number {
  return Math.max(3, cores + 1)
}

/** Threads are started when first needed, and keep no process alive. */
export class WorkerPool {
  readonly #clock: Pick<Clock, 'monotonic_ms'>
  readonly #threads_max: number
  readonly #heap_mib_max: number
  readonly #idle: Worker[] = []
  readonly #busy = new Map<Worker, Asked>()
  readonly #queue: FairQueue<Asked>

  constructor(
    clock: Pick<Clock, 'monotonic_ms'>,
    threads_max = threadsFor(availableParallelism()),
    heap_mib_max = heap_mib_default,
  ) {
    this.#clock = clock
    this.#threads_max = threads_max
    this.#heap_mib_max = heap_mib_max
    this.#queue = new FairQueue(sharesOf(threads_max))
  }

  readonly compute: Compute = <Input, Output>(
    job: Computation<Input, Output>,
    input: Input,
    deadline_ms: number,
    owner?: ComputeOwner,
  ): Promise<Output> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => this.#giveUp(asked), deadline_ms)
    const asked_ms = this.#clock.monotonic_ms()
    const tenant_id = owner?.tenant_id ?? engine_line
    const { module } = job
    const asked: Asked = { tenant_id, deadline_ms, module, input, asked_ms, resolve, reject, timer }
    const admission = this.#queue.add(asked, asked_ms)
    if ('refused' in admission) this.#end(asked, admission.refused === 'tenant' ? ownCrowd() : crowded())
    else if (admission.dropped) this.#end(admission.dropped, crowded())
    this.#next()
    return promise as Promise<Output>
  }

  async close(): Promise<void> {
    const threads = [...this.#idle.splice(0), ...this.#busy.keys()]
    for (const asked of this.#queue.drain()) this.#end(asked, stopped())
    await Promise.all(threads.map((thread) => thread.terminate()))
  }

  #next(): void {
    while (this.#busy.size < this.#threads_max) {
      const now_ms = this.#clock.monotonic_ms()
      const asked = this.#queue.take(now_ms)
      if (!asked) return
      const thread = this.#idle.pop() ?? this.#start()
      asked.thread = thread
      this.#busy.set(thread, asked)
      const { module, input, asked_ms } = asked
      const job: Job = { module, input, waited_ms: now_ms - asked_ms }
      thread.ref()
      try {
        thread.postMessage(job)
      } catch (error) {
        this.#free(thread)
        this.#end(asked, error as Error)
      }
    }
  }

  #start(): Worker {
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
      this.#release(asked)
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

  #giveUp(asked: Asked): void {
    const { thread, deadline_ms } = asked
    if (thread && this.#busy.get(thread) === asked) {
      this.#busy.delete(thread)
      void thread.terminate()
    }
    this.#end(asked, thread ? late(deadline_ms) : neverBegun(deadline_ms))
    this.#next()
  }

  #end(asked: Asked, error: Error): void {
    this.#release(asked)
    asked.reject(error)
  }

  #release(asked: Asked): void {
    clearTimeout(asked.timer)
    this.#queue.remove(asked, this.#clock.monotonic_ms())
  }
}

function late(deadline_ms: number): Refusal {
  return refuse(
    'timeout',
    `The computation did not finish within ${Math.round(deadline_ms)} ms and was stopped. Ask for less, ` +
      'or set a longer deadline if your tier allows one.',
    { reason: 'compute deadline', deadline_ms },
  )
}

function neverBegun(deadline_ms: number): Refusal {
  return refuse(
    'timeout',
    `No compute thread became free within ${Math.round(deadline_ms)} ms, so the computation did not start. ` +
      'Try again later, or wait for your other computations first.',
    { reason: 'compute queue wait', deadline_ms },
  )
}

function crowded(): Refusal {
  return refuse(
    'no_endpoint_available',
    `${waiting_max} computations already wait for a thread of this engine. Try again shortly.`,
    { reason: 'compute queue full', waiting_max, retry_after_ms },
  )
}

function ownCrowd(): Refusal {
  return refuse(
    'rate_limited',
    `${tenant_waiting_max} computations of your organization already wait for a thread. Try again when some are done.`,
    { reason: 'compute share full', waiting_max: tenant_waiting_max, retry_after_ms },
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
