// A contract before a court: paused while the case is open, then resumed or closed by the ruling.

import type { Database } from '@svc/contract/database'
import { isEverKeyOf } from '@svc/contract/identity/key-events'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { isSignedBy, signingInput } from '@svc/contract/signing/signature'
import { sql } from '@svc/database/sql'
import { keyEventsOfAll } from '../../identity/keys/api.ts'
import type { Journal } from '../ledger/api.ts'
import type { Order, Ordered } from './award.ts'
import { changesOf } from './contract-progress.ts'
import { findContract, keepAdvanced, lockContract, type StoredContract } from './contract-store.ts'
import { advance, type Contract, type ContractState, type Party, type Side, sides } from './contract-terms.ts'
import { entriesOfRelease } from './settlement.ts'
import { lapsedConsents } from './settlement-store.ts'

/** Settled contracts that are not final pause too: a ruling may still reverse the payment. */
const disputable: readonly ContractState[] = ['ACTIVE', 'PARTIALLY_SETTLED', 'SETTLED']
const closable: readonly ContractState[] = [...disputable, 'DEFAULTED', 'DISPUTED']

/** A party's side of a contract: by its DID, or if no DID matches, by its organization. */
export function sideOfParty(contract: Contract, party: Party): Side | undefined {
  const of_did = sides.find((side) => contract[side].did === party.did)
  if (of_did || contract.proposer.tenant_id === contract.counterparty.tenant_id) return of_did
  return sides.find((side) => contract[side].tenant_id === party.tenant_id)
}

/** Whether it is between these two, as far as the calling tenant can see. */
export async function isBetween(
  db: Database,
  contract_id: string,
  one: Party,
  other: Party,
): Promise<boolean> {
  const contract = await findContract(db, contract_id)
  if (!contract) return false
  const found_sides = [sideOfParty(contract, one), sideOfParty(contract, other)]
  return found_sides[0] !== undefined && found_sides[1] !== undefined && found_sides[0] !== found_sides[1]
}

export interface ContractProof {
  readonly found: boolean
  readonly hash_ok: boolean
  readonly signature_ok: boolean
}

/** Whether a contract's terms hash to its id, and all its signatures are valid. */
export async function proveContract(db: Database, contract_id: string): Promise<ContractProof> {
  const row = await sql<{ terms: Record<string, unknown> }>`
    SELECT terms FROM contracts WHERE contract_id = ${contract_id}`.first(db)
  const contract = await findContract(db, contract_id)
  if (!row || !contract) return { found: false, hash_ok: false, signature_ok: false }
  const { terms } = row
  const text = signingInput('svc-contract-v1', { contract_id })
  const signed = contract.signatures.filter(({ purpose }) => purpose === 'terms')
  const events = await keyEventsOfAll(
    db,
    signed.map(({ signed_by }) => signed_by),
  )
  const is_signed = signed.every(
    ({ signed_by, public_key, signature }) =>
      isEverKeyOf(signed_by, public_key, events.get(signed_by)) && isSignedBy(public_key, text, signature),
  )
  return {
    found: true,
    hash_ok: contentHash(terms) === contract_id,
    signature_ok: is_signed && (signed.length > 0 || typeof terms.ordered_by === 'string'),
  }
}

/** Pauses settlement. False if there is nothing to pause. */
export async function disputeContract(db: Database, contract_id: string, now: Date): Promise<boolean> {
  const contract = await lockContract(db, contract_id)
  if (!contract) return false
  // What is already final stays final, even if a case is opened later.
  const { state, final, defaulted } = advance(contract, now)
  if (!disputable.includes(state) || final.length > 0) return false
  await keepAdvanced(db, contract_id, { state: 'DISPUTED', next_at: null, defaulted, final }, now)
  return true
}

/** Runs as the engine's role: resumes in the state that time would have reached. */
export async function resumeContract(db: Database, contract_id: string, order: Order): Promise<Ordered> {
  const contract = await lockContract(db, contract_id)
  if (contract?.state !== 'DISPUTED') return { journals: [], changes: [] }
  const now = new Date(order.at)
  const resumed = { ...contract, state: 'ACTIVE' as const }
  const advanced = advance(resumed, now)
  const journals = await lapsedConsents(db, resumed, advanced.final, postingOf(contract, order))
  await keepAdvanced(db, contract_id, advanced, now)
  return { journals, changes: changesOf(resumed, advanced) }
}

/** Runs as the engine's role: nothing more is owed, and the escrow is returned. */
export async function closeContract(db: Database, contract_id: string, order: Order): Promise<Ordered> {
  const contract = await lockContract(db, contract_id)
  if (!contract || !closable.includes(contract.state)) return { journals: [], changes: [] }
  const final = contract.settlements.map(({ settlement_id }) => settlement_id)
  const posting = postingOf(contract, order)
  const lapsed = await lapsedConsents(db, contract, final, posting)
  const open = contract.obligations.filter(({ ended }) => ended === null)
  const entries = contract.escrow ? entriesOfRelease(contract, open) : []
  const released: Journal[] =
    entries.length > 0 ? [{ ...posting, kind: 'release', ref: order.ref, entries }] : []
  const closed = { state: 'RULED_CLOSED' as const, next_at: null, defaulted: [], final }
  await keepAdvanced(db, contract_id, closed, new Date(order.at))
  return { journals: [...lapsed, ...released], changes: changesOf(contract, closed) }
}

export function postingOf({ proposer }: StoredContract, { correlation_id, at }: Order) {
  return { tenant_id: proposer.tenant_id, correlation_id, at }
}
