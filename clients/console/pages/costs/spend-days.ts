// Spend by day, including days without calls.
import type { Catalogue } from '@svc/sdk'

export type Statement = Catalogue['MEAL']['statement']['output']
type Group = NonNullable<Statement['groups']>[number]

export interface SpendDay {
  readonly day: string
  readonly calls: number
  readonly tokens: number
  readonly seconds: number
  readonly watts_kWh: number
  readonly amount_usd: string
}

const day_ms = 86_400_000
const nothing = { calls: 0, tokens: 0, seconds: 0, watts_kWh: 0, amount_usd: '0.000000' }

/** The period of whole UTC days that ends with the day of `now_ms`. */
export function lastDays(now_ms: number, days: number): { from: string; to: string } {
  const end_ms = Math.floor(now_ms / day_ms) * day_ms + day_ms
  return { from: instant(end_ms - days * day_ms), to: instant(end_ms) }
}

function instant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

export function spendDays(
  groups: readonly Group[],
  { from, to }: { readonly from: string; readonly to: string },
): readonly SpendDay[] {
  const groups_by_day = new Map(groups.map((group) => [group.key.day?.slice(0, 10), group]))
  const count = Math.round((Date.parse(to) - Date.parse(from)) / day_ms)
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(Date.parse(from) + index * day_ms).toISOString().slice(0, 10)
    const { calls, tokens, seconds, watts_kWh, amount_usd } = groups_by_day.get(day) ?? nothing
    return { day, calls, tokens, seconds, watts_kWh, amount_usd }
  })
}
