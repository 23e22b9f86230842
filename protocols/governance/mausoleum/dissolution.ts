// The steps of a dissolution, their order, and the states in between. No I/O.
import type { Transfer } from '../../economic/estate/api.ts'
import type { AssetShare } from './distribution.ts'

export const dissolution_states = [
  'INITIATED',
  'DISTRIBUTING',
  'TRANSFERRING',
  'READY_TO_SEAL',
  'SEALED',
  'ARCHIVED',
  'CANCELLED',
] as const
export type DissolutionState = (typeof dissolution_states)[number]

/** The order is fixed, and each step runs once. Only sealing is requested; all others are automatic. */
const order = [
  { step: 'orders', state: 'DISTRIBUTING' },
  { step: 'holds', state: 'DISTRIBUTING' },
  { step: 'usage', state: 'DISTRIBUTING' },
  { step: 'distribution', state: 'DISTRIBUTING' },
  { step: 'obligations', state: 'TRANSFERRING' },
  { step: 'treaties', state: 'TRANSFERRING' },
  { step: 'seal', state: 'READY_TO_SEAL' },
  { step: 'publication', state: 'SEALED' },
  { step: 'archive', state: 'SEALED' },
] as const satisfies readonly { step: string; state: DissolutionState }[]
export type Step = (typeof order)[number]['step']
export const steps: readonly Step[] = order.map(({ step }) => step)

export interface Schedule {
  readonly asset_distribution: readonly AssetShare[]
  readonly obligation_transfer: readonly Transfer[]
  readonly successor_did: string
}

export interface Blocked {
  readonly step: Step
  readonly reason: string
}

export interface Dissolution {
  readonly dissolution_id: string
  readonly tenant_id: string
  readonly state: DissolutionState
  readonly blocked: Blocked | null
  readonly reason: string
  readonly schedule: Schedule
  readonly authority: string
  readonly initiated_by: string
  readonly initiated_at: Date
  readonly notice_until: Date
  readonly successor_tenant: string
}

type Progress = Pick<Dissolution, 'state' | 'notice_until'>

/** The step due at a time; undefined in the notice period, while a request is awaited, or when done. */
export function nextStep(
  { state, notice_until }: Progress,
  done: ReadonlySet<string>,
  now: Date,
): Exclude<Step, 'seal'> | undefined {
  if (state === 'CANCELLED' || (state === 'INITIATED' && notice_until > now)) return undefined
  const next = order.find(({ step }) => !done.has(step))
  return next === undefined || next.step === 'seal' ? undefined : next.step
}

/** There is no way back after the first step. */
export function stateAfter(done: ReadonlySet<string>): DissolutionState {
  return order.find(({ step }) => !done.has(step))?.state ?? 'ARCHIVED'
}

/** The state at a time, even if the sweep is late. */
export function advance({ state, notice_until }: Progress, now: Date): DissolutionState {
  return state === 'INITIATED' && notice_until <= now ? 'DISTRIBUTING' : state
}

/** Exactly two thirds are enough. */
export function isSupermajority(in_favour: number, members: number): boolean {
  return members > 0 && in_favour * 3 >= members * 2
}

export function dissolutionRef(dissolution_id: string): string {
  return `mausoleum://${dissolution_id}`
}
