// A call's context for tests of code below a handler: what the test provides, and a clear failure for the
// rest.
import type { Database } from '@svc/contract/database'
import type { Need, Needs } from '@svc/contract/needs/needs'
import type { CallContext, OperationContext } from '@svc/contract/operation-context'
import type { Tick } from '@svc/contract/tick'
import { manualClock } from './manual-clock.ts'

/** Any members of an object; a function may declare narrower parameters. */
type Part<T> = T extends (...args: infer Args) => unknown
  ? { of(...args: Args): unknown }['of']
  : T extends object
    ? { readonly [K in keyof T]?: Part<T[K]> }
    : T

type Given<N extends Need> = {
  readonly [K in keyof CallContext]?: K extends 'db' | 'signal' ? CallContext[K] : Part<CallContext[K]>
} & { readonly [K in N]?: Part<Needs[K]> }

/** Shared by all contexts of a test file: ids differ, and are the same in each run. */
const chance = manualClock('2026-11-15T10:00:00.000Z', 'test-context')

const own_calls = {
  idempotency_key: undefined,
  metadata: {},
  deadline_ms: 30_000,
  alarm() {},
  afterCommit() {},
  progress() {},
  takePath() {},
  newId: () => chance.uuid(),
  randomBytes: (count: number) => chance.randomBytes(count),
  keepingRows: <Refusal>(refusal: Refusal) => refusal,
}

export function testContext<N extends Need = never>(members: Given<N>): OperationContext<N> {
  const signal = new AbortController().signal
  const audit = () => ({ tenant_id: members.tenant_id, record_id: '', correlation_id: '' })
  return only('context', { ...own_calls, signal, audit, ...members }) as object as OperationContext<N>
}

export function testTick(now: Date | string | number): Tick {
  return { now: new Date(now), newId: () => chance.uuid() }
}

/** A database in which nothing is stored. */
export const empty_database: Database = {
  execute: async () => ({ rows: [] }),
  isTransaction: true,
  transaction: (work) => work(empty_database),
  connection: (work) => work(empty_database),
}

/** Reading what the test did not provide is an error that names it, instead of a later undefined. */
function only<T extends object>(name: string, members: T): T {
  return new Proxy(members, {
    get(target, key) {
      if (typeof key === 'symbol' || key === 'then' || key === 'toJSON') return Reflect.get(target, key)
      if (!(key in target)) throw new Error(`this test gives no ${name}.${key}`)
      return Reflect.get(target, key)
    },
  })
}
