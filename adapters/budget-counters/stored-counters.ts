// The purses a process remembers: the ones used lately, and every one it must not forget.
import { recent } from '@svc/engine/limits/recent'
import { type Counts, type OwnPurse, openOwn } from './own-counter.ts'

const purses_max = 20_000
/** Past it nothing more is let in: so many purses in use at once are an attack or a fault. */
const pinned_max = 100_000

export interface KeptPurses<Own extends OwnPurse> {
  find(tenant_id: string, purse: string, counts: Counts): Own | undefined
  /** Undefined where there are too many. */
  open(tenant_id: string, purse: string, counts: Counts): Own | undefined
  pin(own: Own): void
  unpin(own: Own): void
  readonly pinned: ReadonlyMap<string, Own>
}

export function keptPurses<Own extends OwnPurse>(make: (own: OwnPurse) => Own): KeptPurses<Own> {
  const lately = recent<Own>(purses_max)
  const pinned = new Map<string, Own>()
  const keyOf = (tenant_id: string, purse: string, counts: Counts) => `${counts}|${tenant_id}|${purse}`
  const findKey = (key: string): Own | undefined => {
    const known = lately.get(key)
    if (known) return known
    const held = pinned.get(key)
    if (held) lately.set(key, held)
    return held
  }
  return {
    pinned,
    find: (tenant_id, purse, counts) => findKey(keyOf(tenant_id, purse, counts)),
    open(tenant_id, purse, counts) {
      const key = keyOf(tenant_id, purse, counts)
      const known = findKey(key)
      if (known) return known
      if (pinned.size >= pinned_max) return undefined
      const opened = make(openOwn(tenant_id, purse, counts, key))
      lately.set(key, opened)
      return opened
    },
    pin: (own) => void pinned.set(own.key, own),
    unpin: (own) => void pinned.delete(own.key),
  }
}
