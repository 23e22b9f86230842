// Whether a session or grant is still valid: cached for a minute, and dropped at once when any replica ends it.
import { recent } from '@svc/engine/limits/recent'

const kept_max = 10_000
const kept_ms = 60_000
/** Guessed ids must neither fill the memory nor each reach the database. */
const unknown_kept_ms = 2_000

interface Stored<Value> {
  readonly value: Value | undefined
  readonly until_ms: number
}

export interface Standing<Value> {
  /** A value rather than a promise if cached. */
  find(id: string): Value | undefined | Promise<Value | undefined>
  forget(id: string): void
  forgetAll(): void
}

export function standing<Value>(
  load: (id: string) => Promise<Value | undefined>,
  clock: { monotonic_ms(): number },
): Standing<Value> {
  const cache = recent<Stored<Value>>(kept_max)
  let changes_told = 0
  const ask = async (id: string) => {
    const before = changes_told
    const value = await load(id)
    const until_ms = clock.monotonic_ms() + (value === undefined ? unknown_kept_ms : kept_ms)
    // A change received during the read may be newer than what was read.
    if (before === changes_told) cache.set(id, { value, until_ms })
    return value
  }
  return {
    find(id) {
      const cached = cache.get(id)
      return cached && cached.until_ms >= clock.monotonic_ms() ? cached.value : ask(id)
    },
    forget(id) {
      changes_told++
      cache.delete(id)
    },
    forgetAll() {
      changes_told++
      cache.clear()
    },
  }
}
