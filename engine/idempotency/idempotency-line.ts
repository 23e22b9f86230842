// Duplicates of one key queue in memory: however many there are, only the first of a replica uses a connection, and passes its result to
// the next.
import type { Store } from '../ports.ts'

const line_length_max = 200

/** Waits until a promise settles or the time is up, and leaves no timer. */
export type Wait = (ms: number, settled?: Promise<unknown>) => Promise<void>

/** A turn in the line. `left` must be called exactly once, with a result the next one can use. */
export interface Turn<Found> {
  readonly handed: Found | undefined
  left(answer?: Found): void
}

interface Line {
  last: Promise<unknown>
  length: number
}

/** Per store, since it saves its connections; two engines with separate stores meet at the row. */
const lines = new WeakMap<Store, Map<string, Line>>()

/** Undefined where the turn did not come in time, or the line is full. */
export async function standInLine<Found>(
  store: Store,
  name: string,
  wait_ms: number,
  wait: Wait,
): Promise<Turn<Found> | undefined> {
  const of_store = lines.get(store) ?? new Map<string, Line>()
  lines.set(store, of_store)
  const line = of_store.get(name) ?? { last: Promise.resolve(), length: 0 }
  if (line.length >= line_length_max) return undefined
  of_store.set(name, line)
  const { promise, resolve } = Promise.withResolvers<Found | undefined>()
  const before = line.last as Promise<Found | undefined>
  const is_first = line.length === 0
  line.last = promise
  line.length++
  const left = (answer?: Found) => {
    resolve(answer)
    if (--line.length === 0) of_store.delete(name)
  }
  if (is_first) return { handed: undefined, left }
  let turn: Turn<Found> | undefined
  const coming = before.then((handed) => {
    turn = { handed, left }
  })
  await wait(wait_ms, coming)
  if (turn) return turn
  // Those behind us keep waiting for those before us.
  void before.then(left)
  return undefined
}
