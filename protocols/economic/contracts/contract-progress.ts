// Bringing a contract up to its moment, inside a call: what time did to it is kept and told before anything else is done.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import type { Journal } from '../ledger/api.ts'
import { type KeptContract, keepAdvanced, lockContract } from './contract-store.ts'
import { type Advanced, advance, type ContractState } from './contract-terms.ts'
import { lapsedConsents } from './settlement-store.ts'

export interface Opened {
  readonly contract: KeptContract
  /** What must be posted with whatever the call posts itself. */
  readonly journals: readonly Journal[]
}

/** Locked and up to date. */
export async function openContract(context: OperationContext, contract_id: string): Promise<Opened> {
  const found = await lockContract(context.db, contract_id)
  if (!found) throw notFound('contract', contract_id)
  const { state, final } = advance(found, new Date(context.now))
  if (state === found.state && final.length === 0) return { contract: found, journals: [] }
  const { tenant_id, invoke, now: at } = context
  const posting = { tenant_id, correlation_id: invoke.correlation_id, at }
  const journals = await lapsedConsents(context.db, found, final, posting)
  return { contract: await progress(context, found), journals }
}

/** After a deed: what follows from it at this moment, in the rows and in both books. */
export async function progress(context: OperationContext, contract: KeptContract): Promise<KeptContract> {
  const now = new Date(context.now)
  const advanced = advance(contract, now)
  await keepAdvanced(context.db, contract.contract_id, advanced, now)
  for (const { type, meta } of newsOf(contract, advanced)) tell(context, contract, type, meta)
  return asAdvanced(contract, advanced)
}

function asAdvanced(contract: KeptContract, { state, final }: Advanced): KeptContract {
  const settlements = contract.settlements.filter(({ settlement_id }) => !final.includes(settlement_id))
  return { ...contract, state, settlements }
}

interface News {
  readonly type: 'ContractDefaulted' | 'SettlementFinal'
  readonly meta: Record<string, unknown>
}

export function newsOf({ contract_id }: KeptContract, { state, defaulted, final }: Advanced): News[] {
  const news: News[] = final.map((settlement_id) => ({
    type: 'SettlementFinal',
    meta: { contract_id, settlement_id, state },
  }))
  if (defaulted.length > 0)
    news.push({ type: 'ContractDefaulted', meta: { contract_id, obligation_ids: [...defaulted], state } })
  return news
}

/** In the chains of both parties, under one correlation id. */
export function tell(
  context: OperationContext,
  { proposer, counterparty }: KeptContract,
  type: News['type'] | 'ContractCreated' | 'ContractActivated' | 'ContractSettled',
  meta: Record<string, unknown>,
): void {
  const tenants = [proposer.tenant_id, counterparty.tenant_id]
  const others = [...new Set(tenants)].filter((tenant_id) => tenant_id !== context.tenant_id)
  context.audit(type, meta, { also: others })
}

export function requireState({ state }: KeptContract, deed: string, needed: readonly ContractState[]): void {
  if (needed.includes(state)) return
  throw wrongState(state, deed, needed)
}

function wrongState(state: ContractState, deed: string, needed: readonly ContractState[]): Refusal {
  const reason =
    state === 'DISPUTED'
      ? 'contract is DISPUTED'
      : `contract is ${state}; ${deed} needs ${needed.join(' or ')}`
  const advice = state === 'DISPUTED' ? 'wait until the dispute is decided' : 'look at what became of it'
  return refuse(
    'policy_denied',
    `The contract is ${state}, and ${deed} needs ${needed.join(' or ')}; ${advice}.`,
    {
      reason,
      state,
    },
  )
}
