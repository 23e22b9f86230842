// The parent's view of one worker.
import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import type { Measured } from '@svc/adapters/telemetry/summed-metrics'
import type { TraceSettings } from '@svc/gateway/operational'
import type { FromWorker, Ready, ToWorker } from './worker-messages.ts'

const start_ms_max = 120_000
const measure_ms_max = 2_000

// Workers accept connections themselves: a connection the parent passes to a dying worker would hang for ever.
cluster.schedulingPolicy = cluster.SCHED_NONE

export interface WorkerProcess {
  readonly slot: number
  readonly pid: number | undefined
  /** Rejects with the reason it could not start. */
  readonly ready: Promise<Ready>
  /** Its exit code, or null if a signal ended it. */
  readonly exited: Promise<number | null>
  /** Its last reported metrics. */
  readonly measured: Measured
  tell(message: ToWorker): void
  /** Resolves when it has done so or exited. */
  hostMcp(): Promise<void>
  adopt(folders: readonly string[]): Promise<void>
  /** Its current metrics, or the last reported ones if it does not answer in time. */
  measure(): Promise<Measured>
  kill(): void
}

interface Birth {
  readonly slot: number
  readonly folder: string
  readonly workers: number
  /** It received a signal itself. */
  onAskedToStop(): void
  onTraced(settings: TraceSettings): void
}

export function startWorker({ slot, folder, workers, onAskedToStop, onTraced }: Birth): WorkerProcess {
  const worker = cluster.fork()
  // Without a listener a message that cannot be sent would crash the parent.
  worker.on('error', () => {})
  const exited = new Promise<number | null>((resolve) => worker.once('exit', (code) => resolve(code)))
  const replies = openReplies(worker, exited)
  const starting = Promise.withResolvers<Ready>()
  let measured: Measured = []
  let is_ready = false
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'ready') {
      is_ready = true
      starting.resolve(message)
    } else if (message.kind === 'failed') starting.reject(new Error(message.sentence))
    else if (message.kind === 'asked_to_stop') onAskedToStop()
    else if (message.kind === 'traced') onTraced(message.settings)
    if (message.kind === 'measured') measured = message.metrics
    replies.heard(message.kind)
  })
  const overdue = setTimeout(() => worker.process.kill('SIGKILL'), start_ms_max)
  void exited.then((code) => starting.reject(new Error(`A worker ended with ${code} before it was ready.`)))
  starting.promise.catch(() => {}).finally(() => clearTimeout(overdue))
  const tell = (message: ToWorker) => {
    if (worker.isConnected()) worker.send(message, () => {})
  }
  tell({ kind: 'begin', folder, workers })
  return {
    slot,
    pid: worker.process.pid,
    ready: starting.promise,
    exited,
    get measured() {
      return measured
    },
    tell,
    hostMcp: () => replies.ask('hosting', () => tell({ kind: 'host_mcp' })),
    adopt: (folders) => replies.ask('adopted', () => tell({ kind: 'adopt', folders })),
    async measure() {
      // It does not listen yet: the question would be lost, and every later one would wait for its answer.
      if (!is_ready) return measured
      const answered = replies.ask('measured', () => tell({ kind: 'measure' }))
      await Promise.race([answered, pause(measure_ms_max, undefined, { ref: false })])
      return measured
    },
    kill: () => void worker.process.kill('SIGKILL'),
  }
}

interface Replies {
  heard(kind: FromWorker['kind']): void
  ask(kind: FromWorker['kind'], send: () => void): Promise<void>
}

/** Concurrent waits for the same message share one answer. */
function openReplies(worker: Worker, exited: Promise<unknown>): Replies {
  const waiting = new Map<FromWorker['kind'], PromiseWithResolvers<void>>()
  const heard = (kind: FromWorker['kind']) => {
    waiting.get(kind)?.resolve()
    waiting.delete(kind)
  }
  void exited.then(() => {
    for (const kind of [...waiting.keys()]) heard(kind)
  })
  return {
    heard,
    ask(kind, send) {
      if (worker.isDead()) return Promise.resolve()
      const there = waiting.get(kind)
      if (there) return there.promise
      const fresh = Promise.withResolvers<void>()
      waiting.set(kind, fresh)
      send()
      return fresh.promise
    },
  }
}
