// Tells statements that wait for a lock from those that still run, without guessing by time: nothing else happens until each
// statement has its answer or waits for a session that does nothing.
import type { Client } from 'pg'
import { pace, stopwatch } from '../suite/real-time.ts'
import type { Backend } from './backends.ts'

/** Without an answer for so long, the server is asked whether the session waits for a lock. */
const patience_ms = 1
/** Where no other session holds a lock, that is asked only in case. */
const long_patience_ms = 20
/** Past it, the deadlock check of a waiting session has run: then only the session that closes a cycle is its victim. */
const deadlock_check_ms = 2

/** For each session that waits, the pids of those it waits for. */
type Blockers = ReadonlyMap<number, readonly number[]>

export class LockWaits {
  readonly #control: Client
  /** As of when everything was quiet last. */
  #blockers: Blockers = new Map()
  #sinceWait = stopwatch()

  constructor(control: Client) {
    this.#control = control
  }

  /** Whether another session waits for this one: nobody else can end its wait. */
  isAwaited({ pid }: Backend): boolean {
    return this.#blockers.values().some((pids) => pids.includes(pid))
  }

  /** Sends a client's messages to its session. One that is awaited may close a cycle, which the sessions that wait must not find first. */
  async relay(backend: Backend, unit: Buffer): Promise<void> {
    if (this.isAwaited(backend)) {
      const waited_ms = this.#sinceWait()
      if (waited_ms < deadlock_check_ms) await pace(deadlock_check_ms - waited_ms)
    }
    backend.relay(unit)
  }

  /** Returns once the session has answered, or it waits for a lock; then all other sessions are quiet, too. */
  async await(backend: Backend, others: readonly Backend[], may_wait: boolean): Promise<void> {
    if (!(await backend.answersWithin(may_wait ? patience_ms : long_patience_ms)))
      await this.settle([backend, ...others])
  }

  /** Returns once each of these sessions has answered or waits for a lock that nobody is about to release. */
  async settle(backends: readonly Backend[]): Promise<void> {
    let checks = 0
    this.#blockers = new Map()
    for (;;) {
      const open = backends.filter(({ outcome }) => !outcome)
      if (open.length === 0) return
      const blockers = await this.#blockersOf(open)
      const is_changed = open.some(({ outcome }) => outcome)
      const running = open.filter(({ outcome, pid }) => !outcome && !blockers.has(pid))
      if (running.length > 0) await Promise.race(running.map((one) => one.answersWithin(patience_ms)))
      else if (!is_changed && hasCycle(blockers)) await pace(patience_ms)
      else if (!is_changed && checks++ >= checksOf(blockers)) {
        this.#blockers = blockers
        this.#sinceWait = stopwatch()
        return
      }
      if (is_changed || running.length > 0) checks = 0
    }
  }

  async #blockersOf(backends: readonly Backend[]): Promise<Blockers> {
    const { rows } = await this.#control.query<{ pid: number; pids: number[] }>(
      'SELECT pid, pids FROM unnest($1::integer[]) pid, pg_blocking_pids(pid) pids WHERE cardinality(pids) > 0',
      [backends.map(({ pid }) => pid)],
    )
    return new Map(rows.map(({ pid, pids }) => [pid, pids]))
  }
}

/** A session may have released a row's queue to another one between two looks at them. */
function checksOf(blockers: Blockers): number {
  return blockers.size > 1 ? 1 : 0
}

/** The server resolves it: the deadlock check of the session that waited last ends it, or lets another one go first. */
function hasCycle(blockers: Blockers): boolean {
  const reaches = (from: number, to: number, passed: Set<number>): boolean =>
    (blockers.get(from) ?? []).some((next) => {
      if (next === to) return true
      if (passed.has(next)) return false
      passed.add(next)
      return reaches(next, to, passed)
    })
  return [...blockers.keys()].some((pid) => reaches(pid, pid, new Set()))
}
