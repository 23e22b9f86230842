// Brings a contract up to date inside a call: changes by time are stored and recorded first.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import type { Journal } from '../ledger/api.ts'
import { keepAdvanced, lockContract, type StoredContract } from './contract-store.ts'
import { type Advanced, advance, type ContractState } from './contract-terms.ts'
import { lapsedConsents } from './settlement-store.ts'

export interface Opened {
  readonly contract: StoredContract
  /** Must be posted together with the call's own journals. */
  readonly journals: readonly Journal[]
}

/** Locked and up to date. */
export async function openContract(context: OperationContext, contract_id: string): Promise<Opened> {
  const contract = await lockContract(context.db, contract_id)
  if (!contract) throw notFound('contract', contract_id)
  const { state, final } = advance(contract, new Date(context.now))
  if (state === contract.state && final.length === 0) return { contract: contract, journals: [] }
  const { tenant_id, invoke, now: at } = context
  const posting = { tenant_id, correlation_id: invoke.correlation_id, at }
  const journals = await lapsedConsents(context.db, contract, final, posting)
  return { contract: await progress(context, contract), journals }
}

/** After an action: writes its consequences to the rows and to both audit logs. */
export async function progress(context: OperationContext, contract: StoredContract): Promise<StoredContract> {
  const now = new Date(context.now)
  const advanced = advance(contract, now)
  await keepAdvanced(context.db, contract.contract_id, advanced, now)
  for (const { type, meta } of changesOf(contract, advanced)) tell(context, contract, type, meta)
  return asAdvanced(contract, advanced)
}

function asAdvanced(contract: StoredContract, { state, final }: Advanced): StoredContract {
  const settlements = contract.settlements.filter(({ settlement_id }) => !final.includes(settlement_id))
  return { ...contract, state, settlements }
}

interface Notice {
  readonly type: 'ContractDefaulted' | 'SettlementFinal'
  readonly meta: Record<string, unknown>
}

export function changesOf({ contract_id }: StoredContract, { state, defaulted, final }: Advanced): Notice[] {
  const notice: Notice[] = final.map((settlement_id) => ({
    type: 'SettlementFinal',
    meta: { contract_id, settlement_id, state },
  }))
  if (defaulted.length > 0)
    notice.push({ type: 'ContractDefaulted', meta: { contract_id, obligation_ids: [...defaulted], state } })
  return notice
}

/** In the audit logs of both parties, under one correlation id. */
export function tell(
  context: OperationContext,
  { proposer, counterparty }: StoredContract,
  type: Notice['type'] | 'ContractCreated' | 'ContractActivated' | 'ContractSettled',
  meta: Record<string, unknown>,
): void {
  const tenants = [proposer.tenant_id, counterparty.tenant_id]
  const others = [...new Set(tenants)].filter((tenant_id) => tenant_id !== context.tenant_id)
  context.audit(type, meta, { also: others })
}

export function requireState(
  { state }: StoredContract,
  action: string,
  needed: readonly ContractState[],
): void {
  if (needed.includes(state)) return
  throw wrongState(state, action, needed)
}

function wrongState(state: ContractState, action: string, needed: readonly ContractState[]): Refusal {
  const reason =
    state === 'DISPUTED'
      ? 'contract is DISPUTED'
      : `contract is ${state}; ${action} needs ${needed.join(' or ')}`
  const advice = state === 'DISPUTED' ? 'wait until the dispute is decided' : 'look at what became of it'
  return refuse(
    'policy_denied',
    `The contract is ${state}, and ${action} needs ${needed.join(' or ')}; ${advice}.`,
    {
      reason,
      state,
    },
  )
}
