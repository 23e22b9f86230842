// A budget counter is a limit with the amount spent: the runway, a day or month of an envelope, a week or hour of a grant or treaty.

/** Everything a tenant ever spent, against everything it ever paid in. */
export const runway_counter = 'runway'

export function envelopeDay(envelope_id: string, at: string): string {
  return `envelope/${envelope_id}/${at.slice(0, 10)}`
}

export function envelopeMonth(envelope_id: string, at: string): string {
  return `envelope/${envelope_id}/${at.slice(0, 7)}`
}

/** One identity's spending under a grant of this name in the ISO week that begins on this Monday. */
export function grantWeek(did: string, capability: string, at_ms: number): string {
  return `week/${new Date(isoWeekStart(at_ms)).toISOString().slice(0, 10)}/${did}/${capability}`
}

/** One identity's calls under a grant of this name in an hour, UTC. */
export function grantHour(did: string, capability: string, at: string): string {
  return `hour/${at.slice(0, 13)}/${did}/${capability}`
}

/** One organization's calls under a treaty's line in an hour or on a day, UTC. */
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

/** A week is told apart from a day by its `w`. */
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

/** Where to read the amount spent: stored sums for the first three, the tenant's own usage for the others. */
export function parseCounter(budget_counter: string): ParsedCounter {
  if (budget_counter === runway_counter) return { kind: 'runway' }
  const [kind, from = '', did = '', capability = ''] = budget_counter.split('/')
  if (kind === 'envelope' || kind === 'treaty') return { kind }
  if (kind === 'week') return { kind, from: `${from}T00:00:00.000Z`, did, capability }
  if (kind === 'hour') return { kind, from: `${from}:00:00.000Z`, did, capability }
  throw new Error(`${budget_counter} is not a budget counter`)
}

/** Monday 00:00 UTC of the week of a given time. */
export function isoWeekStart(now_ms: number): number {
  const date = new Date(now_ms)
  const since_monday = (date.getUTCDay() + 6) % 7
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - since_monday)
}
