// How many calls of the month each tenant has used, as far as this process knows, and how many of them only it knows.
import { keep } from './token-bucket.ts'

const tenants_max = 100_000

export interface MonthCount {
  readonly month: number
  /** The best known total, including unsaved calls. */
  readonly used: number
  /** Counted only here: reported neither to Redis nor to PostgreSQL. */
  readonly unsaved: number
}

/** One row to be saved: the count of others, and what is to be added. */
export interface UnsavedCount {
  readonly tenant_id: string
  readonly month: number
  readonly told: number
  readonly added: number
}

export interface MonthCalls {
  /** A later month that is already known stays: a clock that goes back renews nothing. */
  find(tenant_id: string, month: number): MonthCount
  /** Any known month of this tenant. */
  known(tenant_id: string): MonthCount | undefined
  /** One more call, counted here. */
  add(tenant_id: string, month: number): void
  /** A shared count reports this much; it never lowers the known one. */
  raise(tenant_id: string, month: number, used: number): void
  /** Hands the unsaved calls to a shared count; `putBack` if that failed. */
  handOver(tenant_id: string, month: number): number
  putBack(tenant_id: string, month: number, unsaved: number): void
  /** Everything that changed since the last time, sorted; what was added counts as handed over. */
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
