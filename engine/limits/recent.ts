// A map that evicts entries not used lately: the bound of every cache in the engine.

export interface Recent<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
  readonly size: number
}

/** Two generations instead of a strict order: a hit on the young one costs one lookup and changes nothing. */
export function recent<V>(capacity: number): Recent<V> {
  const young_max = Math.max(1, Math.floor(capacity / 2))
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  const put = (key: string, value: V) => {
    if (young.size >= young_max && !young.has(key)) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }
  return {
    get(key) {
      const value = young.get(key)
      if (value !== undefined) return value
      const older = old.get(key)
      if (older !== undefined) put(key, older)
      return older
    },
    set: put,
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
    clear() {
      young.clear()
      old.clear()
    },
    get size() {
      return young.size + old.size
    },
  }
}
