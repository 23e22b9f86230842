// A purse is a limit with what was spent of it: the runway, a day or a month of an envelope, a week or an hour of a grant or a treaty.

/** Everything a tenant ever spent, against everything it ever paid in. */
export const runway_counter = 'runway'

export function envelopeDay(envelope_id: string, at: string): string {
  return `envelope/${envelope_id}/${at.slice(0, 10)}`
}

export function envelopeMonth(envelope_id: string, at: string): string {
  return `envelope/${envelope_id}/${at.slice(0, 7)}`
}

/** What one identity spends under a grant of this name in the ISO week that begins on this Monday. */
export function grantWeek(did: string, capability: string, at_ms: number): string {
  return `week/${new Date(isoWeekStart(at_ms)).toISOString().slice(0, 10)}/${did}/${capability}`
}

/** How often one identity calls under a grant of this name in an hour, UTC. */
export function grantHour(did: string, capability: string, at: string): string {
  return `hour/${at.slice(0, 13)}/${did}/${capability}`
}

/** All that one organization calls under a treaty's line in an hour, or on a day, UTC. */
export function treatyHour(root_id: string, at: string): string {
  return `treaty/${root_id}/${at.slice(0, 13)}`
}

export function treatyDay(root_id: string, at: string): string {
  return `treaty/${root_id}/${at.slice(0, 10)}`
}

/** The same for one of its grants. */
export function treatyGrantHour(root_id: string, capability: string, at: string): string {
  return `treaty/${root_id}/${at.slice(0, 13)}/${capability}`
}

/** The days of a week are no days: they are told apart by their `w`. */
export function treatyGrantWeek(root_id: string, capability: string, at_ms: number): string {
  return `treaty/${root_id}/w${new Date(isoWeekStart(at_ms)).toISOString().slice(0, 10)}/${capability}`
}

export type ParsedCounter =
  | { readonly kind: 'runway' }
  | { readonly kind: 'envelope' | 'treaty' }
  | {
      readonly kind: 'week' | 'hour'
      readonly from: string
      readonly did: string
      readonly capability: string
    }

/** Where to look what was spent: kept sums for the first three, the tenant's own usage for the others. */
export function parseCounter(budget_counter: string): ParsedCounter {
  if (budget_counter === runway_counter) return { kind: 'runway' }
  const [kind, from = '', did = '', capability = ''] = budget_counter.split('/')
  if (kind === 'envelope' || kind === 'treaty') return { kind }
  if (kind === 'week') return { kind, from: `${from}T00:00:00.000Z`, did, capability }
  if (kind === 'hour') return { kind, from: `${from}:00:00.000Z`, did, capability }
  throw new Error(`${budget_counter} is no purse`)
}

/** Monday 00:00 UTC of the week a moment lies in. */
export function isoWeekStart(now_ms: number): number {
  const date = new Date(now_ms)
  const since_monday = (date.getUTCDay() + 6) % 7
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - since_monday)
}
