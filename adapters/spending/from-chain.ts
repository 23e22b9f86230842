// Week spend by holder and grant: summed once from the book, then kept up by what this engine settles.
import { weekSpend } from '@svc/audit/week-spend'
import type { Database } from '@svc/contract/operation-context'
import type { Holder, Spending } from '@svc/engine/ports'
import { recent } from '@svc/engine/recent'

const holders_max = 10_000

interface Week {
  readonly from_ms: number
  micro_usd: bigint
}

export function spendingFromChain(db: Database): Spending {
  const weeks = recent<Week>(holders_max)
  const keyOf = ({ tenant_id, did, capability }: Holder) => `${tenant_id}|${did}|${capability}`
  return {
    inWeek(holder, now_ms) {
      const from_ms = isoWeekStart(now_ms)
      const known = weeks.get(keyOf(holder))
      if (known?.from_ms === from_ms) return known.micro_usd
      return weekSpend(db, holder, new Date(from_ms)).then((micro_usd) => {
        weeks.set(keyOf(holder), { from_ms, micro_usd })
        return micro_usd
      })
    },
    settled(holder, now_ms, micro_usd) {
      if (weeks.size === 0) return
      const known = weeks.get(keyOf(holder))
      // Only holders somebody asked about are followed: the rest are summed from the book if ever asked.
      if (known?.from_ms === isoWeekStart(now_ms)) known.micro_usd += micro_usd
    },
  }
}

/** Monday 00:00 UTC of the week a moment lies in. */
export function isoWeekStart(now_ms: number): number {
  const date = new Date(now_ms)
  const since_monday = (date.getUTCDay() + 6) % 7
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - since_monday)
}
