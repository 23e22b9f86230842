// Transfers an organization's obligations and claims to another party, if all who must have agreed.

import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { isKeyOf, isSignedBy, signingInput } from '@svc/contract/signing/signature'
import type { Tick } from '@svc/contract/tick'
import { keyEventsOfAll } from '../../identity/keys/api.ts'
import {
  advance,
  type Contract,
  type ContractSignature,
  keepActivation,
  keepAdvanced,
  keepContract,
  keepSignatures,
  type Obligation,
  otherSide,
  type StoredContract,
} from '../contracts/api.ts'
import { type Debt, debtsOf, openContracts, parseObligationRef } from './estate-claims.ts'
import { keepEnded, tellParties } from './estate-ending.ts'

export interface Transfer {
  readonly obligation: string
  readonly to_did: string
  /** The other party's signature over `novationText`. */
  readonly consent?: string | undefined
  /** The new party's signature over the same text; required if it has to pay. */
  readonly accepted?: string | undefined
  readonly public_key?: string | undefined
}

/** What both sign: this obligation, to this identity, and nothing else. */
export function novationText(obligation: string, to_did: string): string {
  const { contract_id, obligation_id } = parseObligationRef(obligation) ?? {}
  return signingInput('svc-contract-v1', { action: 'novate', contract_id, obligation_id, to_did })
}

/** The keys that count for identities that have changed theirs: the current one for a new consent, all for one given before. */
export type KeysOf = ReadonlyMap<string, readonly string[]>

/** Of everybody who has signed, or would have to. */
export async function keysOfSigners(
  db: Database,
  debts: readonly Debt[],
  transfers: readonly Transfer[],
  which: 'current' | 'ever',
): Promise<KeysOf> {
  const parties = debts.flatMap(({ payer, payee }) => [payer.did, payee.did])
  const events = await keyEventsOfAll(db, [...parties, ...transfers.map(({ to_did }) => to_did)])
  return new Map(
    [...events].map(([did, list]) => [
      did,
      (which === 'current' ? list.slice(-1) : list).map(({ public_key }) => public_key),
    ]),
  )
}

/** Why it cannot be transferred; undefined if it can. */
export function transferFault(
  debt: Debt | undefined,
  transfer: Transfer,
  tenant_id: string,
  keys: KeysOf,
): string | undefined {
  const { to_did, consent, accepted, public_key } = transfer
  if (!debt) return 'is no open obligation of this organization'
  const { contract, obligation, payer, payee } = debt
  const other = payer.tenant_id === tenant_id ? payee : payer
  if (contract.escrow) return 'is in escrow, and is paid from there'
  if (obligation.condition.kind === 'after_obligation') return 'waits for another obligation of its contract'
  if (other.tenant_id === tenant_id) return 'is owed within the organization'
  if (to_did === other.did) return 'would be owed to oneself'
  const text = novationText(transfer.obligation, to_did)
  const first = contract.signatures.find(({ signed_by }) => signed_by === other.did)?.public_key
  const others = keys.get(other.did) ?? (first === undefined ? [] : [first])
  if (consent === undefined || !others.some((key) => isSignedBy(key, text, consent)))
    return `lacks the consent of ${other.did}`
  if (payer.tenant_id !== tenant_id) return undefined
  const is_taken =
    accepted !== undefined &&
    public_key !== undefined &&
    (keys.get(to_did)?.includes(public_key) ?? isKeyOf(to_did, public_key)) &&
    isSignedBy(public_key, text, accepted)
  return is_taken ? undefined : `lacks the word of ${to_did}, who would have to pay`
}

/** What can be transferred now: the others are paid, or block the closing. */
export function transferable(
  debts: readonly Debt[],
  transfers: readonly Transfer[],
  tenant_id: string,
  keys: KeysOf,
): Set<string> {
  const valid = transfers.filter((transfer) => {
    const debt = debts.find(({ ref }) => ref === transfer.obligation)
    return transferFault(debt, transfer, tenant_id, keys) === undefined
  })
  return new Set(valid.map(({ obligation }) => obligation))
}

export interface Handover {
  readonly novated: readonly { readonly obligation: string; readonly contract_id: string }[]
  /** Debts that can no longer be paid. */
  readonly discharged: readonly string[]
  /** What others owe: only the debtor or a waiver can end it. */
  readonly left: readonly string[]
}

/** Runs as the engine's role, in one transaction. */
export async function handOver(
  db: Database,
  tenant_id: string,
  transfers: readonly Transfer[],
  tick: Tick,
): Promise<Handover> {
  const { now } = tick
  const correlation_id = tick.newId()
  const contracts = await openContracts(db, tenant_id)
  const debts = debtsOf(contracts)
  const keys = await keysOfSigners(db, debts, transfers, 'ever')
  const movable = transferable(debts, transfers, tenant_id, keys)
  const left = debts.filter(({ ref, payer }) => payer.tenant_id !== tenant_id && !movable.has(ref))
  if (left.length > 0) return { novated: [], discharged: [], left: left.map(({ ref }) => ref) }
  const novated: { obligation: string; contract_id: string }[] = []
  for (const contract of contracts) {
    const own = debts.filter((debt) => debt.contract === contract)
    if (own.length === 0) continue
    const ended: Obligation[] = []
    for (const debt of own) {
      const transfer = transfers.find(({ obligation }) => movable.has(debt.ref) && obligation === debt.ref)
      if (transfer) {
        const contract_id = await novate(db, debt, transfer, tenant_id, { ...tick, correlation_id })
        novated.push({ obligation: debt.ref, contract_id })
      }
      ended.push({ ...debt.obligation, ended: transfer ? 'NOVATED' : 'WAIVED', ended_at: now })
    }
    const ids = (how: Obligation['ended']) => ended.filter((one) => one.ended === how).map(({ id }) => id)
    const meta = { novated: ids('NOVATED'), waived: ids('WAIVED') }
    await keepEnded(db, contract, ended, tick, { correlation_id, meta })
  }
  const discharged = debts.filter(({ ref }) => !movable.has(ref)).map(({ ref }) => ref)
  return { novated, discharged, left: [] }
}

/** The same debt under a new contract, with the new party instead of the old. */
async function novate(
  db: Database,
  debt: Debt,
  transfer: Transfer,
  tenant_id: string,
  tick: Tick & { readonly correlation_id: string },
): Promise<string> {
  const { now } = tick
  const { contract, obligation } = debt
  const { to_did, consent, accepted, public_key } = transfer
  const side =
    contract[obligation.from].tenant_id === tenant_id ? obligation.from : otherSide(obligation.from)
  const parties = { proposer: contract.proposer, counterparty: contract.counterparty }
  const other = parties[otherSide(side)]
  parties[side] = { tenant_id: parseDid(to_did)!.namespace, did: to_did }
  const { id, from, asset_id, due_at, condition, credit_to } = obligation
  const terms = {
    novates: transfer.obligation,
    proposer_did: parties.proposer.did,
    counterparty_did: parties.counterparty.did,
    obligations: [{ id, from, asset_id, amount: String(debt.rest), due_at, condition, credit_to }],
    escrow: false,
  }
  const signed_at = now.toISOString()
  const word = { purpose: 'terms', method: 'own', signed_at } as const
  const other_key = contract.signatures.find(({ signed_by }) => signed_by === other.did)!.public_key
  const signatures: ContractSignature[] = [
    { ...word, signed_by: other.did, public_key: other_key, signature: consent! },
    ...(accepted && public_key ? [{ ...word, signed_by: to_did, public_key, signature: accepted }] : []),
  ]
  const fresh: StoredContract = {
    contract_id: contentHash(terms),
    ...parties,
    escrow: false,
    treaty_id: null,
    expires_at: now,
    state: 'OFFERED',
    activated_at: now,
    fee_bps: contract.fee_bps,
    fee_rule: 'sum',
    obligations: [{ ...obligation, amount: debt.rest, settled: 0n }],
    settlements: [],
    signatures,
  }
  await keepContract(db, fresh, terms, signed_at)
  await activate(db, { ...fresh, state: 'ACTIVE' }, now)
  const meta = { contract_id: fresh.contract_id, novates: transfer.obligation, fee_bps: fresh.fee_bps }
  await tellParties(db, fresh, 'ContractActivated', meta, tick)
  return fresh.contract_id
}

async function activate(db: Database, active: StoredContract & Contract, now: Date): Promise<void> {
  await keepSignatures(db, active)
  await keepActivation(db, active)
  await keepAdvanced(db, active.contract_id, advance(active, now), now)
}
