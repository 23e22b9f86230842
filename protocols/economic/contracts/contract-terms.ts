// Obligations of a contract, and how time changes them. No I/O.

export const contract_states = [
  'OFFERED',
  'ACTIVE',
  'PARTIALLY_SETTLED',
  'SETTLED',
  'FINAL',
  'WITHDRAWN',
  'EXPIRED',
  'CANCELLED',
  'DEFAULTED',
  'DISPUTED',
  'RULED_CLOSED',
] as const
export type ContractState = (typeof contract_states)[number]

export const obligation_states = ['PENDING', 'DUE', 'SETTLED', 'WAIVED', 'NOVATED'] as const
export type ObligationState = (typeof obligation_states)[number]

export const sides = ['proposer', 'counterparty'] as const
export type Side = (typeof sides)[number]

export const condition_kinds = ['none', 'after_obligation', 'attested', 'trade'] as const
export interface Condition {
  readonly kind: (typeof condition_kinds)[number]
  readonly ref?: string
}

export interface Obligation {
  readonly id: string
  /** The payer. */
  readonly from: Side
  readonly asset_id: string
  readonly amount: bigint
  readonly due_at: string
  readonly condition: Condition
  /** Where the payee receives it: its own account, or its organization's runway. */
  readonly credit_to: 'available' | 'runway'
  readonly settled: bigint
  readonly ended: 'SETTLED' | 'WAIVED' | 'NOVATED' | null
  readonly ended_at: Date | null
  /** Legs of one exchange move together or not at all; null moves alone. */
  readonly exchange: string | null
}

/** `each`: rounded for every payment, as agreed before fees counted what was paid in all (`sum`). */
export const fee_rules = ['each', 'sum'] as const

export interface Party {
  readonly tenant_id: string
  readonly did: string
}

export interface PostedSettlement {
  readonly settlement_id: string
  readonly state: 'POSTED' | 'FINAL' | 'REVERSED'
  readonly final_at: Date
}

export interface Contract {
  readonly contract_id: string
  readonly proposer: Party
  readonly counterparty: Party
  readonly escrow: boolean
  readonly treaty_id: string | null
  readonly expires_at: Date
  readonly state: ContractState
  readonly activated_at: Date | null
  /** Fixed when it became active; null before. */
  readonly fee_bps: Readonly<Record<Side, number>> | null
  readonly fee_rule: (typeof fee_rules)[number]
  readonly obligations: readonly Obligation[]
  readonly settlements: readonly PostedSettlement[]
}

export const default_after_ms = 72 * 3_600_000

export function restOf({ amount, settled, ended }: Obligation): bigint {
  return ended === null ? amount - settled : 0n
}

/** Names what moves together: an exchange, or an obligation alone. */
export function unitOf({ exchange, id }: Pick<Obligation, 'exchange' | 'id'>): string {
  return exchange === null ? `obligation ${id}` : `exchange ${exchange}`
}

/** The legs of an obligation's exchange that are still to be settled; without one, none. */
export function openLegsWith({ obligations }: Contract, { exchange }: Obligation): Obligation[] {
  if (exchange === null) return []
  return obligations.filter((leg) => leg.exchange === exchange && leg.ended === null)
}

export function otherSide(side: Side): Side {
  return side === 'proposer' ? 'counterparty' : 'proposer'
}

export function sideOf(contract: Contract, did: string): Side | undefined {
  return sides.find((side) => contract[side].did === did)
}

export function isBetweenTenants({
  proposer,
  counterparty,
}: Pick<Contract, 'proposer' | 'counterparty'>): boolean {
  return proposer.tenant_id !== counterparty.tenant_id
}

export function obligationState({ ended, due_at }: Obligation, now: Date): ObligationState {
  return ended ?? (Date.parse(due_at) <= now.getTime() ? 'DUE' : 'PENDING')
}

const running: ReadonlySet<ContractState> = new Set(['ACTIVE', 'PARTIALLY_SETTLED', 'DEFAULTED', 'SETTLED'])
/** States that allow payments. */
export const payable: readonly ContractState[] = ['ACTIVE', 'PARTIALLY_SETTLED', 'DEFAULTED']

/** When it became or becomes payable, paid or not. Undefined while it waits for a condition. */
export function askedFrom(contract: Contract, { condition, due_at }: Obligation): Date | undefined {
  const { kind, ref } = condition
  if (kind === 'attested' || kind === 'trade') return undefined
  const first = contract.obligations.find(({ id }) => id === ref)
  if (kind === 'after_obligation' && !first?.ended_at) return undefined
  const moments = [Date.parse(due_at), contract.activated_at?.getTime(), first?.ended_at?.getTime()]
  return new Date(Math.max(...moments.map((moment) => moment ?? 0)))
}

/** Unpaid 72 hours after that. */
function defaultMoment(contract: Contract, obligation: Obligation): Date | undefined {
  const asked_from = obligation.ended === null ? askedFrom(contract, obligation) : undefined
  return asked_from && new Date(asked_from.getTime() + default_after_ms)
}

export interface Advanced {
  readonly state: ContractState
  /** Obligations that have just put the contract into default; empty if it already was. */
  readonly defaulted: readonly string[]
  /** Settlements that can no longer be reversed. */
  readonly final: readonly string[]
  /** When to check again; null if time changes nothing more. */
  readonly next_at: Date | null
}

/** The state of a contract at a given time. The result does not depend on how often or late it is called. */
export function advance(contract: Contract, now: Date): Advanced {
  const { state, expires_at } = contract
  if (state === 'OFFERED') {
    const is_over = expires_at <= now
    return {
      state: is_over ? 'EXPIRED' : 'OFFERED',
      defaulted: [],
      final: [],
      next_at: is_over ? null : expires_at,
    }
  }
  if (!running.has(state)) return { state, defaulted: [], final: [], next_at: null }
  const posted = contract.settlements.filter((settlement) => settlement.state === 'POSTED')
  const final = posted.filter(({ final_at }) => final_at <= now)
  const overdue = contract.obligations.filter((obligation) =>
    isReached(defaultMoment(contract, obligation), now),
  )
  const next = runningState(contract, overdue.length > 0, posted.length > final.length)
  const moments = [
    ...posted.map(({ final_at }) => final_at),
    ...contract.obligations.map((obligation) => defaultMoment(contract, obligation)),
  ].filter((moment): moment is Date => moment !== undefined && moment > now)
  moments.sort((a, b) => a.getTime() - b.getTime())
  return {
    state: next,
    defaulted: next === 'DEFAULTED' && state !== 'DEFAULTED' ? overdue.map(({ id }) => id) : [],
    final: final.map(({ settlement_id }) => settlement_id),
    next_at: moments[0] ?? null,
  }
}

function runningState(contract: Contract, is_overdue: boolean, is_open: boolean): ContractState {
  const { obligations } = contract
  if (obligations.every(({ ended }) => ended !== null)) return is_open ? 'SETTLED' : 'FINAL'
  if (is_overdue) return 'DEFAULTED'
  const is_begun = obligations.some(({ settled, ended }) => settled > 0n || ended !== null)
  return is_begun ? 'PARTIALLY_SETTLED' : 'ACTIVE'
}

function isReached(moment: Date | undefined, now: Date): boolean {
  return moment !== undefined && moment <= now
}
