// Duplicates of one key stand in line in memory: however many there are, only the first of a replica costs a connection.
import type { Store } from './ports.ts'

const line_length_max = 200

/** Waits until a promise settles, or so long at most, and leaves no timer behind. */
export type Wait = (ms: number, settled?: Promise<unknown>) => Promise<void>

interface Line {
  last: Promise<void>
  length: number
}

/** By store, because its connections are what is saved; two engines with a store each meet at the row. */
const lines = new WeakMap<Store, Map<string, Line>>()

/** Resolves when it is our turn, with how to leave; undefined where the turn did not come in time or the line is full. */
export async function standInLine(
  store: Store,
  name: string,
  wait_ms: number,
  wait: Wait,
): Promise<(() => void) | undefined> {
  const of_store = lines.get(store) ?? new Map<string, Line>()
  lines.set(store, of_store)
  const line = of_store.get(name) ?? { last: Promise.resolve(), length: 0 }
  if (line.length >= line_length_max) return undefined
  of_store.set(name, line)
  const { promise: left, resolve } = Promise.withResolvers<void>()
  const before = line.last
  const is_first = line.length === 0
  line.last = left
  line.length++
  const leave = () => {
    resolve()
    if (--line.length === 0) of_store.delete(name)
  }
  if (is_first) return leave
  let is_ours = false
  const turn = before.then(() => {
    is_ours = true
  })
  await wait(wait_ms, turn)
  if (is_ours) return leave
  // Whoever stands behind us goes on waiting for whoever stands before us.
  void turn.then(leave)
  return undefined
}
