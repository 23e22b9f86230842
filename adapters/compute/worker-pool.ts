// Workers for long computations, one job each; a job past its deadline is ended with its worker. They are processes
// and not threads: V8 aborts the whole process of a thread whose map, set or object outgrows its heap, and with it
// the engine.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { availableParallelism, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Computation, Compute, ComputeOwner } from '@svc/contract/needs/computation'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'
import { watchedBy } from '../processes/dead-man.ts'
import { FairQueue, type QueuedJob, sharesOf, tenant_waiting_max, waiting_max } from './fair-queue.ts'

/**
 * Three of these, each with Node's own overhead, one that counts tokens, and an engine of 420 MiB fit into the
 * chart's 1 GiB.
 */
const heap_mib_default = 112
const node_mib = 50
const mib = 1024 * 1024
/** Aborted by V8 (out of heap), or killed by the system (out of memory). */
const out_of_memory: readonly (string | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGKILL']
const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))
const switch_fd = 4
const retry_after_ms = 1_000
/** No tenant has this name: the engine's own work waits in a line like any tenant's. */
const engine_line = ''

export interface Job {
  readonly module: string
  readonly input: unknown
  readonly waited_ms: number
}

export type FromWorker = { readonly output: unknown } | { readonly error: Error }

interface Asked extends QueuedJob {
  readonly module: string
  readonly input: unknown
  readonly asked_ms: number
  resolve(output: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
  worker?: ChildProcess
}

/**
 * One more than there are cores: a single tenant can keep the cores busy, and another still finds a worker. At most
 * what half of the memory holds, and at least three.
 */
export function workersFor(cores: number, memory_bytes = Number.POSITIVE_INFINITY): number {
  const room = Math.floor(memory_bytes / 2 / ((heap_mib_default + node_mib) * mib))
  return Math.max(3, Math.min(cores + 1, room))
}

function memoryHere(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
}

/** Workers are started on first use, and keep no process alive. */
export class WorkerPool {
  readonly #clock: Pick<Clock, 'monotonic_ms'>
  readonly #workers_max: number
  readonly #heap_mib_max: number
  readonly #idle: ChildProcess[] = []
  readonly #busy = new Map<ChildProcess, Asked>()
  readonly #queue: FairQueue<Asked>

  constructor(
    clock: Pick<Clock, 'monotonic_ms'>,
    workers_max = workersFor(availableParallelism(), memoryHere()),
    heap_mib_max = heap_mib_default,
  ) {
    this.#clock = clock
    this.#workers_max = workers_max
    this.#heap_mib_max = heap_mib_max
    this.#queue = new FairQueue(sharesOf(workers_max))
  }

  readonly compute: Compute = <Input, Output>(
    job: Computation<Input, Output>,
    input: Input,
    deadline_ms: number,
    owner?: ComputeOwner,
  ): Promise<Output> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => this.#giveUp(request), deadline_ms)
    const asked_ms = this.#clock.monotonic_ms()
    const tenant_id = owner?.tenant_id ?? engine_line
    const { module } = job
    const request: Asked = { tenant_id, deadline_ms, module, input, asked_ms, resolve, reject, timer }
    const admission = this.#queue.add(request, asked_ms)
    if ('refused' in admission) this.#end(request, admission.refused === 'tenant' ? ownCrowd() : crowded())
    else if (admission.dropped) this.#end(admission.dropped, crowded())
    this.#next()
    return promise as Promise<Output>
  }

  async close(): Promise<void> {
    const workers = [...this.#idle.splice(0), ...this.#busy.keys()]
    for (const request of [...this.#queue.drain(), ...this.#busy.values()]) this.#end(request, stopped())
    this.#busy.clear()
    await Promise.all(
      workers.map(async (worker) => {
        if (worker.exitCode !== null || worker.signalCode !== null) return
        worker.ref()
        const ended = once(worker, 'exit')
        switchOff(worker)
        await ended
      }),
    )
  }

  #next(): void {
    while (this.#busy.size < this.#workers_max) {
      const now_ms = this.#clock.monotonic_ms()
      const request = this.#queue.take(now_ms)
      if (!request) return
      const worker = this.#idle.pop() ?? this.#start()
      request.worker = worker
      this.#busy.set(worker, request)
      const { module, input, asked_ms } = request
      const job: Job = { module, input, waited_ms: now_ms - asked_ms }
      worker.ref()
      worker.channel?.ref()
      try {
        // If it has ended meanwhile, its exit event reports it.
        worker.send(job, () => {})
      } catch (error) {
        this.#free(worker)
        this.#end(request, error as Error)
      }
    }
  }

  #start(): ChildProcess {
    const node = [process.execPath, `--max-old-space-size=${this.#heap_mib_max}`, program]
    const worker = spawn('/bin/sh', ['-c', watchedBy(switch_fd), 'svc-compute', ...node], {
      env: {},
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
    })
    switchOf(worker).unref()
    worker.on('message', (message) => this.#answered(worker, message as FromWorker))
    worker.on('error', (error) => this.#died(worker, error))
    worker.on('exit', (_, signal) =>
      this.#died(worker, out_of_memory.includes(signal) ? tooLarge(this.#heap_mib_max) : stopped()),
    )
    return worker
  }

  #answered(worker: ChildProcess, message: FromWorker): void {
    const request = this.#busy.get(worker)
    this.#free(worker)
    if (request && 'output' in message) {
      this.#release(request)
      request.resolve(message.output)
    } else if (request && 'error' in message) this.#end(request, message.error)
    this.#next()
  }

  #free(worker: ChildProcess): void {
    if (!this.#busy.delete(worker)) return
    worker.unref()
    worker.channel?.unref()
    this.#idle.push(worker)
  }

  #died(worker: ChildProcess, error: Error): void {
    switchOff(worker)
    const request = this.#busy.get(worker)
    this.#busy.delete(worker)
    const idle = this.#idle.indexOf(worker)
    if (idle >= 0) this.#idle.splice(idle, 1)
    if (request) this.#end(request, error)
    this.#next()
  }

  #giveUp(request: Asked): void {
    const { worker, deadline_ms } = request
    if (worker && this.#busy.get(worker) === request) {
      this.#busy.delete(worker)
      switchOff(worker)
    }
    this.#end(request, worker ? late(deadline_ms) : neverBegun(deadline_ms))
    this.#next()
  }

  #end(request: Asked, error: Error): void {
    this.#release(request)
    request.reject(error)
  }

  #release(request: Asked): void {
    clearTimeout(request.timer)
    this.#queue.remove(request, this.#clock.monotonic_ms())
  }
}

/** A pipe that nobody writes to: when the engine ends, it closes, and the worker ends with it. */
function switchOf(worker: ChildProcess): Socket {
  return worker.stdio[switch_fd] as Socket
}

function switchOff(worker: ChildProcess): void {
  switchOf(worker).destroy()
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
    `No compute worker became free within ${Math.round(deadline_ms)} ms, so the computation did not start. ` +
      'Try again later, or wait for your other computations first.',
    { reason: 'compute queue wait', deadline_ms },
  )
}

function crowded(): Refusal {
  return refuse(
    'no_endpoint_available',
    `${waiting_max} computations already wait for a worker of this engine. Try again shortly.`,
    { reason: 'compute queue full', waiting_max, retry_after_ms },
  )
}

function ownCrowd(): Refusal {
  return refuse(
    'rate_limited',
    `${tenant_waiting_max} computations of your organization already wait for a worker. Try again when some are done.`,
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
