// A treaty and its transitions over time. Pure: calls and the sweeper use the same `advance`, so delays
// change nothing.

import type { StandingTreaty, TreatyBody, TreatyState } from '@svc/contract/authority/treaty'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { isPending } from './treaty-states.ts'

const day_ms = 86_400_000
export const sign_within_ms = 30 * day_ms
export const suspension_ms = 30 * day_ms
/** For a suspension that a court must lift. Not infinity: it must fit into a timestamp. */
const never = new Date('9999-12-31T23:59:59.999Z')

export interface StoredSignature {
  /** The organization it binds. */
  readonly tenant: string
  readonly signed_by: string
  readonly timestamp: string
  readonly public_key: string
  readonly signature: string
  readonly method: 'own' | 'custodial'
  readonly authority: string | null
}

export interface Suspension {
  readonly from: Date
  readonly until: Date
  /** The tenant that may end the suspension. */
  readonly by: string
}

export interface StoredTreaty {
  readonly id: string
  readonly body: TreatyBody
  readonly root_id: string
  readonly proposer_tenant: string
  readonly proposed_by: string
  readonly proposed_at: Date
  readonly sign_by: Date
  readonly state: TreatyState
  /** When the second signature was made. */
  readonly activated_at: Date | null
  readonly in_force_at: Date | null
  /** The latest suspension, also after it ended. */
  readonly suspended: Suspension | null
  readonly open_cases: readonly string[]
  readonly ended_at: Date | null
  readonly signatures: readonly StoredSignature[]
}

export type TreatyEvent =
  | 'TreatyProposed'
  | 'TreatySigned'
  | 'TreatyActivated'
  | 'TreatyEnforced'
  | 'TreatySuspended'
  | 'TreatyResumed'
  | 'TreatyAmended'
  | 'TreatyExpired'
  | 'Terminated'
  | 'CapabilityGrant'

export interface Notice {
  readonly type: TreatyEvent
  readonly meta: Record<string, unknown>
}

/** The treaty after one change, and the notice for both chains. */
export interface Step {
  readonly treaty: StoredTreaty
  readonly notice: Notice
}

const steps_max = 8

/** All transitions up to this time, in order. */
export function advance(treaty: StoredTreaty, now: Date): Step[] {
  const steps: Step[] = []
  let current = treaty
  while (steps.length < steps_max) {
    const due = dueStep(current)
    if (!due || due.at > now) break
    current = due.step.treaty
    steps.push(due.step)
  }
  return steps
}

/** The time of the next transition; null if there is none. */
export function nextMoment(treaty: StoredTreaty): Date | null {
  return dueStep(treaty)?.at ?? null
}

function dueStep(treaty: StoredTreaty): { at: Date; step: Step } | undefined {
  const { state, sign_by } = treaty
  const expires_at = new Date(treaty.body.expires_at)
  if (isPending(state)) {
    const at = earlierOf(sign_by, expires_at)
    return { at, step: stepTo(treaty, 'TreatyExpired', { state: 'LAPSED', ended_at: at }) }
  }
  if (state === 'SIGNED') {
    const at = laterOf(treaty.activated_at!, new Date(treaty.body.effective_from))
    return { at, step: stepTo(treaty, 'TreatyActivated', { state: 'ACTIVE', in_force_at: at }) }
  }
  if (state !== 'ACTIVE' && state !== 'SUSPENDED') return undefined
  const resumes_at = state === 'SUSPENDED' ? suspendedUntil(treaty) : never
  if (resumes_at < expires_at)
    return {
      at: resumes_at,
      step: stepTo(treaty, 'TreatyResumed', { state: 'ACTIVE' }, { by: 'time' }),
    }
  return {
    at: expires_at,
    step: stepTo(treaty, 'TreatyExpired', { state: 'EXPIRED', ended_at: expires_at }),
  }
}

export function stepTo(
  treaty: StoredTreaty,
  type: TreatyEvent,
  change: Partial<StoredTreaty> & Pick<StoredTreaty, 'state'>,
  meta: Record<string, unknown> = {},
): Step {
  const { id: treaty_id, root_id } = treaty
  return {
    treaty: { ...treaty, ...change },
    notice: { type, meta: { treaty_id, root_id, state: change.state, ...meta } },
  }
}

/** A suspension does not end by itself while a case is open. */
function suspendedUntil({ suspended, open_cases }: StoredTreaty): Date {
  if (!suspended) return never
  return open_cases.length > 0 ? never : suspended.until
}

function earlierOf(one: Date, other: Date): Date {
  return one < other ? one : other
}

function laterOf(one: Date, other: Date): Date {
  return one > other ? one : other
}

export function treatyId(body: TreatyBody): string {
  return contentHash(body)
}

/** Whether the stored terms are unchanged. */
export function isIntact({ id, body }: Pick<StoredTreaty, 'id' | 'body'>): boolean {
  return treatyId(body) === id
}

export function tenantsOf({ body }: Pick<StoredTreaty, 'body'>): [string, string] {
  const [one, other] = body.parties
  return [one!.tenant, other!.tenant]
}

export function otherParty({ body }: Pick<StoredTreaty, 'body'>, tenant_id: string) {
  return body.parties.find(({ tenant }) => tenant !== tenant_id)!
}

/** The form that stage 4 and contracts use. */
export function asStanding(treaty: StoredTreaty): StandingTreaty {
  const { id, root_id, state, body, suspended, activated_at, ended_at, signatures } = treaty
  const is_over = suspended !== null && state !== 'SUSPENDED'
  const until = suspended && (is_over ? suspended.until : suspendedUntil(treaty))
  return {
    id,
    root_id,
    state,
    parties: body.parties,
    grants: body.grants,
    rate_limits: body.rate_limits,
    settlement: body.settlement,
    dispute_resolution: body.dispute_resolution,
    effective_from: body.effective_from,
    expires_at: body.expires_at,
    activated_at: activated_at?.toISOString() ?? null,
    suspended: suspended && { from: suspended.from.toISOString(), until: until!.toISOString() },
    ended_at: ended_at?.toISOString() ?? null,
    signatures: signatures.map(({ signed_by, timestamp, signature }) => ({
      signed_by,
      timestamp,
      signature,
    })),
  }
}
