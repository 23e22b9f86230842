// Offers, their acceptance, withdrawal and cancellation.
import { unresolved } from '@svc/contract/identity/identity'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import {
  type Contract,
  entriesOfEscrow,
  entriesOfRelease,
  findContract,
  keepActivation,
  keepContract,
  keepObligations,
  keepSignatures,
  openContract,
  otherSide,
  payable,
  postCovered,
  progress,
  requireState,
  type StoredContract,
  sideOf,
  tell,
} from '../contracts/api.ts'
import {
  type Entry,
  findAssets,
  type Journal,
  postJournals,
  requireActingKind,
  requireActor,
} from '../ledger/api.ts'
import { feesOf, requireFooting } from './contract-footing.ts'
import { termsOf } from './contract-input.ts'
import type { ContractInput } from './contract-schema.ts'
import { requireWord } from './contract-signature.ts'

export async function offer(
  input: ContractInput,
  context: OperationContext<'custody' | 'engine' | 'treaties'>,
): Promise<StoredContract> {
  const { terms, contract, resend } = termsOf(input, context)
  const { contract_id, proposer, counterparty, escrow, treaty_id } = contract
  if (proposer.did === counterparty.did) throw withItself(proposer.did)
  requireActor(context.caller)
  requireActingKind(counterparty.did, unresolved(counterparty.did).entity_kind)
  await requireFooting(context, contract, await requireAssets(context, contract))
  const word = await requireWord(context, { contract_id }, input, resend)
  const offered = { ...contract, signatures: [{ purpose: 'terms' as const, ...word }] }
  if (!(await keepContract(context.db, offered, terms, context.now))) {
    const existing = await findContract(context.db, contract_id)
    if (!existing) throw notFound('contract', contract_id)
    return existing
  }
  tell(context, offered, 'ContractCreated', {
    contract_id,
    proposer_did: proposer.did,
    counterparty_did: counterparty.did,
    obligations: contract.obligations.length,
    escrow,
    treaty_id,
    expires_at: resend.expires_at,
  })
  return offered
}

async function requireAssets(context: OperationContext, { obligations }: Pick<Contract, 'obligations'>) {
  const asset_ids = obligations.map(({ asset_id }) => asset_id)
  const assets = await findAssets(context.db, asset_ids)
  const unknown = asset_ids.find((asset_id) => !assets.has(asset_id))
  if (unknown === undefined) return assets
  throw refuse('policy_denied', `There is no asset ${unknown}; publish it, or owe something else.`, {
    reason: 'unknown asset',
    asset_id: unknown,
  })
}

export async function accept(
  input: ContractInput,
  context: OperationContext<'custody' | 'engine' | 'tenants' | 'treaties'>,
): Promise<StoredContract> {
  const { contract } = await openContract(context, input.contract_id!)
  const { contract_id, counterparty } = contract
  if (counterparty.did !== context.caller.did) throw notYours('accept', 'the counterparty', counterparty.did)
  requireActor(context.caller)
  requireState(contract, 'accept', ['OFFERED'])
  await requireFooting(context, contract, await requireAssets(context, contract))
  const word = await requireWord(context, { contract_id }, input)
  const signatures = [...contract.signatures, { purpose: 'terms' as const, ...word }]
  const fee_bps = await feesOf(context, contract)
  const activated_at = new Date(context.now)
  const agreed = { ...contract, signatures, fee_bps, fee_rule: 'sum' as const, activated_at }
  const active: StoredContract = { ...agreed, state: 'ACTIVE' }
  await keepSignatures(context.db, active)
  await keepActivation(context.db, active)
  tell(context, active, 'ContractActivated', { contract_id, escrow: active.escrow, fee_bps })
  const advanced = await progress(context, active)
  if (active.escrow) await post(context, active, 'escrow', entriesOfEscrow(active, active.obligations))
  return advanced
}

/** Lets a party read the terms before it signs. */
export async function view(input: ContractInput, context: OperationContext): Promise<StoredContract> {
  const { contract, journals } = await openContract(context, input.contract_id!)
  await postJournals(context.db, journals)
  return contract
}

/** Withdrawn by its proposer before it is accepted. */
export async function withdraw(input: ContractInput, context: OperationContext): Promise<StoredContract> {
  const { contract } = await openContract(context, input.contract_id!)
  const { proposer } = contract
  if (proposer.did !== context.caller.did) throw notYours('withdraw', 'the proposer', proposer.did)
  requireState(contract, 'withdraw', ['OFFERED'])
  return await progress(context, { ...contract, state: 'WITHDRAWN' })
}

/** Cancelled when both have agreed; the escrow is returned. */
export async function cancel(
  input: ContractInput,
  context: OperationContext<'custody'>,
): Promise<StoredContract> {
  const { contract } = await openContract(context, input.contract_id!)
  const { contract_id, signatures, escrow } = contract
  requireParty(contract, context, 'cancel')
  requireState(contract, 'cancel', ['ACTIVE'])
  const { did } = context.caller
  const contract_signatures = signatures.filter(({ purpose }) => purpose === 'cancel')
  if (contract_signatures.some(({ signed_by }) => signed_by === did)) return contract
  const word = await requireWord(context, { contract_id, action: 'cancel' }, input)
  const signed = { ...contract, signatures: [...signatures, { purpose: 'cancel' as const, ...word }] }
  await keepSignatures(context.db, signed)
  if (contract_signatures.length === 0) return signed
  const cancelled = await progress(context, { ...signed, state: 'CANCELLED' })
  if (escrow) await post(context, signed, 'release', entriesOfRelease(signed, signed.obligations))
  return cancelled
}

/** The creditor may waive an obligation. */
export async function waive(input: ContractInput, context: OperationContext): Promise<StoredContract> {
  const { contract, journals } = await openContract(context, input.contract_id!)
  const side = requireParty(contract, context, 'waive')
  requireState(contract, 'waive', payable)
  const owed = contract.obligations.filter(({ from, ended }) => from === otherSide(side) && ended === null)
  const unknown = input.obligation_ids?.find((obligation_id) => !owed.some(({ id }) => id === obligation_id))
  if (unknown !== undefined) throw notFound('unsettled obligation owed to you', unknown)
  const waived = owed.filter(({ id }) => input.obligation_ids?.includes(id) ?? true)
  if (waived.length === 0) throw notFound('unsettled obligation owed to you', 'at all')
  const ended = waived.map((obligation) => ({
    ...obligation,
    ended: 'WAIVED' as const,
    ended_at: new Date(context.now),
  }))
  const obligations = contract.obligations.map((one) => ended.find(({ id }) => id === one.id) ?? one)
  await keepObligations(context.db, contract.contract_id, ended)
  const left = await progress(context, { ...contract, obligations })
  const { contract_id, state } = left
  tell(context, left, 'ContractSettled', { contract_id, waived: waived.map(({ id }) => id), state })
  const released = contract.escrow ? entriesOfRelease(contract, waived) : []
  await post(context, contract, 'release', released, journals)
  return left
}

function requireParty(contract: StoredContract, { caller }: OperationContext, chosen: string) {
  const side = sideOf(contract, caller.did)
  if (side) return side
  throw notYours(chosen, 'a party', `${contract.proposer.did} and ${contract.counterparty.did}`)
}

/** Last, so that nothing is waited for while the ledger is locked. */
async function post(
  { db, tenant_id, invoke, now }: OperationContext,
  contract: StoredContract,
  kind: string,
  entries: readonly Entry[],
  more: readonly Journal[] = [],
): Promise<void> {
  const { correlation_id } = invoke
  const own: Journal = {
    tenant_id,
    kind,
    ref: `made://contract/${contract.contract_id}`,
    correlation_id,
    at: now,
    entries,
  }
  await postCovered(db, contract, contract.obligations, entries.length > 0 ? [...more, own] : more)
}

function withItself(did: string): Refusal {
  return refuse(
    'policy_denied',
    'The counterparty of a contract is somebody else than its proposer; name another identity.',
    {
      reason: 'contract with oneself',
      counterparty_did: did,
    },
  )
}

function notYours(chosen: string, who: string, did: string): Refusal {
  return refuse(
    'policy_denied',
    `Only ${who} of this contract may ${chosen} it; ask the identity named in the details.`,
    {
      reason: `not ${who} of this contract`,
      did,
    },
  )
}
