// A map that forgets what was used least recently: the bound of every cache in the engine.

export interface Recent<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
  readonly size: number
}

export function recent<V>(capacity: number): Recent<V> {
  // A Map iterates in insertion order; re-inserting on use keeps the oldest use first.
  const entries = new Map<string, V>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size > capacity) entries.delete(entries.keys().next().value as string)
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
    get size() {
      return entries.size
    },
  }
}
