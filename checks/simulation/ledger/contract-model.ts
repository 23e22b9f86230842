// The plain contract: what both parties did, in any order, and what must follow from it.
import { Violation } from '../world.ts'
import { type FeeLine, feeReserve, requireFair } from './fee-model.ts'
import { type Agent, type Organizations, tier_fee_bps, treaty_fee_bps } from './organizations.ts'
import type { ObligationInput, Request } from './requests.ts'
import type { ContractRow, ObligationRow, SettlementRow } from './snapshot.ts'

type Side = 'proposer' | 'counterparty'
export type Source = 'escrow' | 'available' | 'issuance'

export interface PlainLine {
  readonly obligation: ObligationInput
  readonly payer: Agent
  readonly payee: Agent
  readonly amount: number
  readonly fee: number
  readonly source: Source
}

export interface PlainSettlement {
  readonly row: SettlementRow
  readonly lines: readonly PlainLine[]
}

/** What is still owed, and in escrow. */
export interface PlainHold {
  readonly obligation: ObligationInput
  readonly payer: Agent
  readonly rest: number
  readonly fee: number
}

const default_after_ms = 72 * 3_600_000
/** In these, escrow is held. */
const holding_states = ['ACTIVE', 'PARTIALLY_SETTLED', 'DEFAULTED', 'DISPUTED']
const court_states = ['DISPUTED', 'RULED_CLOSED']

export class PlainContract {
  readonly row: ContractRow
  readonly offer: Request
  readonly #done: readonly Request[]
  readonly #organizations: Organizations

  /** `done`: all that happened under this contract, the offer included. */
  constructor(row: ContractRow, done: readonly Request[], organizations: Organizations) {
    const offers = done.filter(({ input }) => input.obligations !== undefined)
    if (offers.length !== 1) throw new Violation(`${row.contract_id} was offered ${offers.length} times`)
    this.row = row
    this.offer = offers[0]!
    this.#done = done
    this.#organizations = organizations
  }

  party(side: Side): Agent {
    return side === 'proposer'
      ? this.offer.agent
      : this.#organizations.agents.get(this.offer.input.counterparty_did!)!
  }

  get is_accepted(): boolean {
    return this.#acts('accept').length > 0
  }

  get settlements(): PlainSettlement[] {
    return this.row.settlements.map((row) => {
      const paid = this.#done.filter(
        ({ input, done }) => input.reverse === undefined && done?.settlement_id === row.settlement_id,
      )
      if (paid.length !== 1)
        throw new Violation(`the settlement ${row.settlement_id} has ${paid.length} requests`)
      return { row, lines: paid[0]!.done!.settled!.map((line) => this.#line(paid[0]!, line)) }
    })
  }

  get holds(): PlainHold[] {
    if (!this.offer.input.escrow || !this.is_accepted || !holding_states.includes(this.row.state)) return []
    return this.offer.input.obligations!.flatMap((obligation, place) => {
      const { settled, ended } = this.row.obligations[place]!
      const rest = ended === null ? Number(obligation.amount) - settled : 0
      const payer = this.party(obligation.from)
      return rest > 0 ? [{ obligation, payer, rest, fee: feeReserve(rest, this.#bpsOf(obligation)) }] : []
    })
  }

  /** Reversed or not: a fee stays paid. */
  get fees(): FeeLine[] {
    return this.settlements.flatMap(({ lines }) =>
      lines.map(({ obligation, payer, amount, fee, source }) => {
        const bps = this.#bpsOf(obligation)
        const is_limited = source === 'escrow' && bps > 0 && feeReserve(amount, bps) <= 1
        return { tenant_id: payer.tenant_id, asset_id: obligation.asset_id, amount, fee, bps, is_limited }
      }),
    )
  }

  /** `latest_ms` of all clocks that may have been asked. */
  check(latest_ms: number): void {
    this.#checkSettlements(latest_ms)
    this.#checkObligations()
    this.#checkExchanges()
    const { state } = this.row
    const expected = this.#stateAt(latest_ms)
    if (!court_states.includes(state) && !expected.includes(state))
      this.#fail(`is ${state} instead of ${expected.join(' or ')}`)
    if ((this.row.activated_ms !== null) !== this.is_accepted)
      this.#fail('is active without being accepted, or the other way')
  }

  /** Once it was swept, with clocks that agree: all that time should have changed, has. */
  checkSwept(now_ms: number): void {
    const { state, expires_ms, settlements } = this.row
    if (court_states.includes(state)) return
    if (state === 'OFFERED' && expires_ms <= now_ms) this.#fail('was not swept: it is over')
    if (settlements.some((one) => one.state === 'POSTED' && one.final_ms <= now_ms))
      this.#fail('was not swept: a settlement is not final')
    const is_running = ['ACTIVE', 'PARTIALLY_SETTLED', 'DEFAULTED'].includes(state)
    if (is_running && (state === 'DEFAULTED') !== this.#isOverdue(now_ms))
      this.#fail(`was not swept: it is ${state}`)
  }

  #stateAt(latest_ms: number): string[] {
    const { expires_ms, obligations, settlements, cancelled_by } = this.row
    const is_withdrawn = this.#acts('withdraw').length > 0
    if (is_withdrawn) return this.is_accepted ? ['nothing that exists'] : ['WITHDRAWN']
    if (!this.is_accepted) return expires_ms <= latest_ms ? ['OFFERED', 'EXPIRED'] : ['OFFERED']
    const cancelled = new Set(this.#acts('cancel').map(({ agent }) => agent.did))
    if (cancelled.size !== cancelled_by.length) return ['cancelled by others']
    if (cancelled.size === 2) return ['CANCELLED']
    if (obligations.every(({ ended }) => ended !== null))
      return settlements.some(({ state }) => state === 'POSTED') ? ['SETTLED'] : ['FINAL']
    const is_begun = obligations.some(({ settled, ended }) => settled > 0 || ended !== null)
    const running = is_begun ? 'PARTIALLY_SETTLED' : 'ACTIVE'
    return this.#isOverdue(latest_ms) ? [running, 'DEFAULTED'] : [running]
  }

  #isOverdue(at_ms: number): boolean {
    const rows = new Map(this.row.obligations.map((row) => [row.id, row]))
    return this.offer.input.obligations!.some(({ id, due_at, condition }) => {
      const first = condition && rows.get(condition.ref)
      if (rows.get(id)!.ended !== null || (first && first.ended_ms === null)) return false
      const due_ms = due_at === undefined ? 0 : Date.parse(due_at)
      const asked_ms = Math.max(due_ms, this.row.activated_ms!, first?.ended_ms ?? 0)
      return asked_ms + default_after_ms <= at_ms
    })
  }

  #checkSettlements(latest_ms: number): void {
    const settlement_ids = new Set(this.row.settlements.map(({ settlement_id }) => settlement_id))
    for (const { input, done, key } of this.#done) {
      const id = done?.settlement_id
      if (id !== undefined && !settlement_ids.has(id))
        this.#fail(`lost the settlement of ${key} ${input.reverse ?? ''}`)
    }
    for (const { row, lines } of this.settlements) {
      const reversals = this.#done.filter(({ input }) => input.reverse === row.settlement_id)
      const agreed = new Set(reversals.map(({ agent }) => agent.did))
      if (agreed.size !== row.consents.length) this.#fail('has other consents than were given')
      if ((row.state === 'REVERSED') !== (agreed.size === 2))
        this.#fail(`has a settlement ${row.state} though ${agreed.size} agreed`)
      if (row.state === 'FINAL' && row.final_ms > latest_ms && this.row.state !== 'RULED_CLOSED')
        this.#fail('has a settlement that is final too early')
      for (const { obligation, amount, fee } of lines)
        requireFair({ amount, fee, bps: this.#bpsOf(obligation) })
    }
  }

  #checkObligations(): void {
    const paid = new Map<string, number>()
    for (const { row, lines } of this.settlements)
      for (const { obligation, amount } of row.state === 'REVERSED' ? [] : lines)
        paid.set(obligation.id, (paid.get(obligation.id) ?? 0) + amount)
    for (const [place, obligation] of this.offer.input.obligations!.entries()) {
      const row = this.row.obligations[place]!
      const [settled, amount] = [paid.get(obligation.id) ?? 0, Number(obligation.amount)]
      if (settled > amount) this.#fail(`was paid ${settled} of ${amount}`)
      const ended = settled === amount ? 'SETTLED' : this.#isWaived(obligation) ? 'WAIVED' : null
      if (row.settled !== settled || row.ended !== ended)
        this.#fail(`owes otherwise: ${shown(row)}, and ${settled} was paid, ${ended}`)
    }
  }

  /** Nobody has delivered without being paid: all legs are settled, or none, but for those that were given up. */
  #checkExchanges(): void {
    const legs = this.offer.input.obligations!.flatMap(({ exchange, amount }, place) => {
      const row = this.row.obligations[place]!
      return exchange === undefined || row.ended === 'WAIVED' ? [] : [{ row, amount: Number(amount) }]
    })
    const settled = legs.filter(({ row }) => row.settled > 0)
    const is_whole = legs.every(({ row, amount }) => row.settled === amount)
    if (settled.length > 0 && !is_whole)
      this.#fail(`moved a part of its exchange: ${legs.map(({ row }) => shown(row))}`)
  }

  #isWaived({ id }: ObligationInput): boolean {
    return this.#acts('waive').some(({ done }) =>
      done!.obligations!.some((one) => one.id === id && one.state === 'WAIVED'),
    )
  }

  #line(request: Request, line: NonNullable<NonNullable<Request['done']>['settled']>[number]): PlainLine {
    const obligation = this.offer.input.obligations!.find(({ id }) => id === line.obligation_id)!
    const payer = this.party(obligation.from)
    const is_issued =
      request.input.rail_reference !== undefined && payer.tenant_id === this.#organizations.operator
    return {
      ...{ obligation, payer, amount: Number(line.amount), fee: Number(line.fee) },
      payee: this.party(obligation.from === 'proposer' ? 'counterparty' : 'proposer'),
      source: this.offer.input.escrow ? 'escrow' : is_issued ? 'issuance' : 'available',
    }
  }

  #bpsOf({ from }: ObligationInput): number {
    const [payer, other] = [this.party(from), this.party(from === 'proposer' ? 'counterparty' : 'proposer')]
    if (payer.tenant_id === other.tenant_id || payer.tenant_id === this.#organizations.operator) return 0
    return this.offer.input.treaty_id === undefined ? tier_fee_bps : treaty_fee_bps
  }

  #acts(action: string): Request[] {
    return this.#done.filter(
      ({ input, operation }) =>
        operation === 'MADE.economic_contract_create' &&
        input.obligations === undefined &&
        (input.action ?? 'accept') === action,
    )
  }

  #fail(what: string): never {
    throw new Violation(`the contract ${this.row.contract_id.slice(0, 15)} ${what}`)
  }
}

function shown({ id, settled, ended }: ObligationRow): string {
  return `${id} ${settled} ${ended}`
}
