// A motion: its text, its seats and its state over time.
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Electorate, isFinal, settledOutcome } from './motion-tally.ts'
import { type TakenPosition, votesOf } from './position-store.ts'

export const motion_states = ['CONVENED', 'OPEN', 'TALLIED', 'LAPSED', 'WITHDRAWN'] as const
export type MotionState = (typeof motion_states)[number]

export interface Bind {
  readonly protocol: string
  readonly operation: string
  readonly subject: string
}

export interface CharterEffect {
  readonly kind: 'charter_members'
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** Content-addressed, so that a vote signs everything it decides. */
export interface MotionBody extends Electorate {
  readonly v: 1
  readonly tenant_id: string
  readonly motion_id: string
  readonly title: string
  readonly text: string
  readonly binds: readonly Bind[]
  readonly effects: readonly CharterEffect[]
  readonly authority_ttl_days: number
  readonly max_uses: number
  readonly executor_did: string | null
  readonly convened_by: string
  readonly convened_at: string
  readonly deadline_at: string
  /** After the last position, before a settled vote may close early. */
  readonly objection_ms?: number
}

export interface Motion {
  readonly council_id: string
  readonly motion_hash: string
  readonly state: MotionState
  readonly body: MotionBody
}

/** How long after its deadline a motion with a quorum may be tallied. */
const tally_within_ms = 7 * 86_400_000

export interface Advanced {
  readonly state: MotionState
  /** When the next transition is due; null if there is none. */
  readonly next_at: Date | null
}

export function advance({ state, body }: Pick<Motion, 'state' | 'body'>, now: Date): Advanced {
  if (state !== 'CONVENED' && state !== 'OPEN') return { state, next_at: null }
  const deadline_ms = Date.parse(body.deadline_at)
  // Without a quorum there is nothing to tally.
  const ends_ms = state === 'CONVENED' ? deadline_ms : deadline_ms + tally_within_ms
  if (now.getTime() >= ends_ms) return { state: 'LAPSED', next_at: null }
  return { state, next_at: new Date(ends_ms) }
}

/** When it may be tallied: by its deadline, at once if all have voted, or once the objections to a settled vote were awaited. */
export function closesAt(body: MotionBody, taken: readonly TakenPosition[]): Date {
  const deadline = new Date(body.deadline_at)
  const votes = votesOf(taken)
  const last_ms = Math.max(...taken.map(({ taken_at }) => taken_at.getTime()))
  if (body.seats.every(({ did }) => isFinal(votes.get(did)))) return new Date(last_ms)
  if (taken.length === 0 || settledOutcome(body, votes) === undefined) return deadline
  return new Date(Math.min(last_ms + (body.objection_ms ?? 0), deadline.getTime()))
}

export function hashOf(body: MotionBody): string {
  return contentHash(body)
}

export function nameOf({ protocol, operation }: Pick<Bind, 'protocol' | 'operation'>): string {
  return `${protocol}.${operation}`
}

/** Operations that need a charter quorum; settling only to issue more than one member may. */
const charter_operations: ReadonlySet<string> = new Set([
  'MOAT.sign',
  'MOAT.sign_amendment',
  'MAUSOLEUM.initiate',
  'MAXIM.author',
  'MANA.allocate',
  'MADE.economic_contract_settle',
])

export function isCharterOperation(bind: Pick<Bind, 'protocol' | 'operation'>): boolean {
  return charter_operations.has(nameOf(bind)) || nameOf(bind).startsWith('MEAL.admin')
}
