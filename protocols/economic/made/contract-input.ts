// Checks of an offer, its terms, and how a contract is answered.

import { parseDid } from '@svc/contract/identity/did'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { uuid_form } from '@svc/contract/text-form'
import type { Static } from 'typebox'
import { type Obligation, obligationState, restOf, type StoredContract, unitOf } from '../contracts/api.ts'
import type { ContractInput, ContractOutput, ObligationInput } from './contract-schema.ts'

const offer_ms = 7 * 86_400_000
const offer_ms_max = 366 * 86_400_000
const offer_fields = ['counterparty_did', 'obligations', 'escrow', 'treaty_id', 'expires_at'] as const
const more_offer_fields = ['arbitration', 'memo', 'nonce'] as const

/** Exactly one of the possible actions. */
export function requireOneEffect(input: ContractInput): void {
  const { contract_id, action, obligation_ids } = input
  const named = [...offer_fields, ...more_offer_fields].filter((field) => input[field] !== undefined)
  if (contract_id !== undefined && named.length > 0)
    throw misfit(
      named[0]!,
      'an offer is made without contract_id; the terms of a contract that has one are fixed',
    )
  if (contract_id === undefined && action !== undefined) throw misfit('contract_id', `${action} needs one`)
  if (contract_id === undefined && (!input.counterparty_did || !input.obligations))
    throw misfit(
      'counterparty_did',
      'an offer names counterparty_did and obligations; an acceptance contract_id',
    )
  if (obligation_ids && action !== 'waive')
    throw misfit('obligation_ids', 'only waive names single obligations')
}

function misfit(field: string, why: string): Refusal {
  return refuse('invalid_payload', `${field} does not fit what is asked here: ${why}.`, {
    reason: 'fields do not fit together',
    faults: [{ pointer: `/${field}`, message: why }],
  })
}

/** The offer as it is hashed and signed, and as it is stored. */
export function termsOf(input: ContractInput, context: OperationContext) {
  const { caller, tenant_id, now } = context
  const { counterparty_did, obligations = [], escrow = false, treaty_id, arbitration, memo } = input
  const expires_at = input.expires_at ?? new Date(Date.parse(now) + offer_ms).toISOString()
  const nonce = input.nonce ?? context.invoke.correlation_id
  requireMoment('/expires_at', expires_at)
  const left_ms = Date.parse(expires_at) - Date.parse(now)
  if (left_ms <= 0 || left_ms > offer_ms_max)
    throw misfit('expires_at', `an offer stands for a while, at most a year, and it is ${now}`)
  const parsed = requireObligations(obligations, now)
  requireExchanges(parsed, escrow)
  const lines = obligations.map((obligation, place) => {
    const { condition, credit_to } = parsed[place]!
    return { ...obligation, condition, credit_to }
  })
  const terms = {
    proposer_did: caller.did,
    counterparty_did: counterparty_did!,
    obligations: lines,
    escrow,
    ...(treaty_id && { treaty_id }),
    expires_at,
    ...(arbitration && { arbitration }),
    ...(memo && { memo }),
    nonce,
  }
  const contract: Omit<StoredContract, 'signatures'> = {
    contract_id: contentHash(terms),
    proposer: { tenant_id, did: caller.did },
    counterparty: { tenant_id: parseDid(counterparty_did!)!.namespace, did: counterparty_did! },
    escrow,
    treaty_id: treaty_id ?? null,
    expires_at: new Date(expires_at),
    state: 'OFFERED',
    activated_at: null,
    fee_bps: null,
    fee_rule: 'sum',
    obligations: parsed,
    settlements: [],
  }
  return { terms, contract, resend: { expires_at, nonce } }
}

function requireObligations(inputs: readonly ObligationInput[], now: string): Obligation[] {
  const ids = new Map(inputs.map((input, place) => [input.id, place]))
  return inputs.map((input, place) => {
    const {
      id,
      from,
      asset_id,
      due_at = now,
      condition = { kind: 'none' as const },
      credit_to = 'available',
      exchange = null,
    } = input
    const at = `/obligations/${place}`
    const amount = BigInt(input.amount)
    if (ids.get(id) !== place) throw fault(`${at}/id`, `${id} is named twice`)
    if (amount === 0n) throw fault(`${at}/amount`, 'is nothing')
    if (credit_to === 'runway' && asset_id !== 'usd')
      throw fault(`${at}/credit_to`, 'a runway takes usd only')
    if ((condition.kind === 'none') !== (condition.ref === undefined))
      throw fault(
        `${at}/condition`,
        `of kind ${condition.kind} ${condition.ref ? 'has no ref' : 'needs a ref'}`,
      )
    if (condition.kind === 'after_obligation' && !ids.has(condition.ref!))
      throw fault(`${at}/condition/ref`, `${condition.ref} is no obligation of this contract`)
    if (condition.kind === 'trade' && !uuid_form.test(condition.ref!))
      throw fault(`${at}/condition/ref`, 'is no trade_id')
    requireMoment(`${at}/due_at`, due_at)
    if (Date.parse(due_at) < Date.parse(now))
      throw fault(`${at}/due_at`, `is in the past, as it is ${now}; leave it out for what is due at once`)
    return {
      id,
      from,
      asset_id,
      amount,
      due_at,
      condition,
      credit_to,
      settled: 0n,
      ended: null,
      ended_at: null,
      exchange,
    }
  })
}

/** Each has something from both sides, due together; and no condition waits for itself. */
function requireExchanges(obligations: readonly Obligation[], escrow: boolean): void {
  for (const [place, { exchange, due_at }] of obligations.entries()) {
    if (exchange === null) continue
    const at = `/obligations/${place}/exchange`
    const legs = obligations.filter((leg) => leg.exchange === exchange)
    if (!escrow) throw fault(at, 'needs escrow, from which both sides are paid at once')
    if (new Set(legs.map(({ from }) => from)).size < 2)
      throw fault(at, `${exchange} has obligations of one side only`)
    if (legs.some((leg) => Date.parse(leg.due_at) !== Date.parse(due_at)))
      throw fault(at, `${exchange} is due at several times`)
  }
  requireEnd(obligations)
}

/** A cycle of conditions would wait forever. What is exchanged waits together. */
function requireEnd(obligations: readonly Obligation[]): void {
  const units = new Map(obligations.map((one) => [one.id, unitOf(one)]))
  const waiting = new Set(units.values())
  for (let pass = 0; pass <= obligations.length; pass++)
    for (const unit of [...waiting]) {
      const is_held = obligations.some((one) => unitOf(one) === unit && waiting.has(waitsFor(one, units)))
      if (!is_held) waiting.delete(unit)
    }
  const place = obligations.findIndex((one) => waiting.has(unitOf(one)))
  if (place >= 0) throw fault(`/obligations/${place}/condition/ref`, 'waits in a circle')
}

function waitsFor({ condition: { kind, ref = '' } }: Obligation, units: ReadonlyMap<string, string>): string {
  return kind === 'after_obligation' ? units.get(ref)! : ''
}

function requireMoment(pointer: string, moment: string): void {
  if (!isMoment(moment)) throw fault(pointer, 'is no moment that exists')
}

function fault(pointer: string, message: string): Refusal {
  return refuse(
    'invalid_payload',
    `The terms do not hold: ${pointer} ${message}; correct it and offer again.`,
    {
      reason: 'terms do not hold',
      faults: [{ pointer, message }],
    },
  )
}

export function answerOf(contract: StoredContract, now: Date): Static<typeof ContractOutput> {
  const { contract_id, state, proposer, counterparty, expires_at, fee_bps, signatures } = contract
  const escrowed = new Map<string, bigint>()
  const holds_escrow = contract.escrow && fee_bps !== null
  for (const obligation of holds_escrow ? contract.obligations : []) {
    const rest = restOf(obligation)
    if (rest > 0n) escrowed.set(obligation.asset_id, (escrowed.get(obligation.asset_id) ?? 0n) + rest)
  }
  return {
    contract_id,
    state,
    proposer_did: proposer.did,
    counterparty_did: counterparty.did,
    expires_at: expires_at.toISOString(),
    obligations: contract.obligations.map((obligation) => {
      const { ended: _ended, ended_at: _at, amount, settled, exchange, ...rest } = obligation
      return {
        ...rest,
        ...(exchange !== null && { exchange }),
        amount: String(amount),
        settled: String(settled),
        state: obligationState(obligation, now),
        ...(fee_bps && { fee_bps: fee_bps[obligation.from] }),
      }
    }),
    escrowed: [...escrowed].map(([asset_id, amount]) => ({ asset_id, amount: String(amount) })),
    ...(fee_bps && { fee_bps: Math.max(...contract.obligations.map(({ from }) => fee_bps[from])) }),
    signatures: [...signatures],
  }
}
