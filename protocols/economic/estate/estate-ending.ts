// Ends an obligation without its parties: the rows, the contract's new state, and its events.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import {
  advance,
  changesOf,
  keepAdvanced,
  keepObligations,
  type Obligation,
  type Party,
  type StoredContract,
} from '../contracts/api.ts'

/** Writes ended obligations and the new state of their contract, and records it in both audit logs. */
export async function keepEnded(
  db: Database,
  contract: StoredContract,
  changed: readonly Obligation[],
  tick: Tick,
  { correlation_id, meta }: { readonly correlation_id: string; readonly meta: Record<string, unknown> },
): Promise<void> {
  const { now } = tick
  const { contract_id } = contract
  await keepObligations(db, contract_id, changed)
  const obligations = contract.obligations.map((one) => changed.find(({ id }) => id === one.id) ?? one)
  const after = { ...contract, obligations }
  const advanced = advance(after, now)
  await keepAdvanced(db, contract_id, advanced, now)
  const details = { contract_id, ...meta, state: advanced.state, because: 'dissolution' }
  await tellParties(db, contract, 'ContractSettled', details, { ...tick, correlation_id })
  for (const { type, meta: change } of changesOf(after, advanced))
    await tellParties(db, contract, type, change, { ...tick, correlation_id })
}

type ContractEvent = 'ContractSettled' | 'ContractDefaulted' | 'SettlementFinal' | 'ContractActivated'

export async function tellParties(
  db: Database,
  { proposer, counterparty }: { readonly proposer: Party; readonly counterparty: Party },
  event_type: ContractEvent,
  meta: Record<string, unknown>,
  { correlation_id, now, newId }: Tick & { readonly correlation_id: string },
): Promise<void> {
  for (const tenant_id of new Set([proposer.tenant_id, counterparty.tenant_id]))
    await leaveInOutbox(db, {
      id: newId(),
      event_type,
      correlation_id,
      timestamp: now.toISOString(),
      tenant_id,
      caller_did: 'engine',
      protocol: 'MADE',
      outcome: 'success',
      latency_ms: 0,
      meta,
    })
}
