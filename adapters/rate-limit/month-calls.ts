// How many calls of its month each tenant has used, as this process knows it, and what of that nobody else knows yet.
import { keep } from './token-bucket.ts'

const tenants_max = 100_000

export interface MonthCount {
  readonly month: number
  /** The best known total, what is unsaved included. */
  readonly used: number
  /** Counted here alone: neither Redis nor PostgreSQL has been told. */
  readonly unsaved: number
}

/** One row to be saved: what others have told of the month, and what is to be added. */
export interface UnsavedCount {
  readonly tenant_id: string
  readonly month: number
  readonly told: number
  readonly added: number
}

export interface MonthCalls {
  /** A later month that is known already stands: a clock that goes back gives nothing a second time. */
  find(tenant_id: string, month: number): MonthCount
  /** Whatever month is known of this tenant. */
  known(tenant_id: string): MonthCount | undefined
  /** One more call, counted here. */
  add(tenant_id: string, month: number): void
  /** Somebody who counts for all says this much was used; it never lowers what is known. */
  raise(tenant_id: string, month: number, used: number): void
  /** What is unsaved is handed to somebody who will count it; `putBack` where that failed. */
  handOver(tenant_id: string, month: number): number
  putBack(tenant_id: string, month: number, unsaved: number): void
  /** Everything that changed since the last time, in order; what was added counts as handed over. */
  takeChanged(): UnsavedCount[]
}

export function monthCalls(): MonthCalls {
  const counts = new Map<string, MonthCount>()
  const changed = new Set<string>()
  const find = (tenant_id: string, month: number): MonthCount => {
    const month_count = counts.get(tenant_id)
    return month_count && month_count.month >= month ? month_count : { month, used: 0, unsaved: 0 }
  }
  const note = (tenant_id: string, count: MonthCount) => {
    keep(counts, tenant_id, count, tenants_max)
    changed.add(tenant_id)
  }
  return {
    find,
    known: (tenant_id) => counts.get(tenant_id),
    add(tenant_id, month) {
      const { used, unsaved, ...rest } = find(tenant_id, month)
      note(tenant_id, { ...rest, used: used + 1, unsaved: unsaved + 1 })
    },
    raise(tenant_id, month, count_elsewhere) {
      const count = find(tenant_id, month)
      const used = count_elsewhere + count.unsaved
      if (count.month === month && used > count.used) note(tenant_id, { ...count, used })
    },
    handOver(tenant_id, month) {
      const count = counts.get(tenant_id)
      if (count?.month !== month || count.unsaved === 0) return 0
      note(tenant_id, { ...count, unsaved: 0 })
      return count.unsaved
    },
    putBack(tenant_id, month, unsaved) {
      const count = counts.get(tenant_id)
      if (count?.month === month) note(tenant_id, { ...count, unsaved: count.unsaved + unsaved })
    },
    takeChanged() {
      const rows = [...changed].sort().flatMap((tenant_id) => {
        const count = counts.get(tenant_id)
        if (!count) return []
        const { month, used, unsaved: added } = count
        if (added > 0) counts.set(tenant_id, { ...count, unsaved: 0 })
        return [{ tenant_id, month, told: used - added, added }]
      })
      changed.clear()
      return rows
    },
  }
}
