// A budget counter is a limit with the amount spent: the runway, a day or month of an envelope, a week or hour of a grant or treaty.

/** Everything a tenant ever spent, against everything it ever paid in. */
export const runway_counter = 'runway'

/** No DID and no id of a token begins so. */
export const key_holder = 'key:'
const all_names = '*'

export function envelopeDay(envelope_id: string, at: string): string {
  return `envelope/${envelope_id}/${at.slice(0, 10)}`
}

export function envelopeMonth(envelope_id: string, at: string): string {
  return `envelope/${envelope_id}/${at.slice(0, 7)}`
}

/**
 * All spending under a holder's capability of this name in the ISO week that begins on this Monday: its own, and of those it delegated
 * to. The holder is a DID, or the id of a delegation token.
 */
export function grantWeek(holder: string, capability: string, at_ms: number): string {
  return `week/${new Date(isoWeekStart(at_ms)).toISOString().slice(0, 10)}/${holder}/${capability}`
}

/** All spending with one API key in an ISO week, whatever granted it. */
export function keyWeek(key_id: string, at_ms: number): string {
  return grantWeek(`${key_holder}${key_id}`, all_names, at_ms)
}

/** As a holder in a record. */
export function keyLink(key_id: string): string {
  return `${key_holder}${key_id}/${all_names}`
}

/** All calls under a holder's capability of this name in an hour, UTC. */
export function grantHour(holder: string, capability: string, at: string): string {
  return `hour/${at.slice(0, 13)}/${holder}/${capability}`
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
      readonly holder: string
      readonly capability: string
    }

/** Where to read the amount spent: stored sums for all; for the last two also the holder's own usage. */
export function parseCounter(budget_counter: string): ParsedCounter {
  if (budget_counter === runway_counter) return { kind: 'runway' }
  const [kind, from = '', holder = '', capability = ''] = budget_counter.split('/')
  if (kind === 'envelope' || kind === 'treaty') return { kind }
  if (kind === 'week') return { kind, from: `${from}T00:00:00.000Z`, holder, capability }
  if (kind === 'hour') return { kind, from: `${from}:00:00.000Z`, holder, capability }
  throw new Error(`${budget_counter} is not a budget counter`)
}

/** Monday 00:00 UTC of the week of a given time. */
export function isoWeekStart(now_ms: number): number {
  const date = new Date(now_ms)
  const since_monday = (date.getUTCDay() + 6) % 7
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - since_monday)
}
