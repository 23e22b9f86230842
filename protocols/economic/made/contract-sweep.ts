// Applies time to contracts that nobody calls: the same result a caller would see, recorded for both parties.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { NewIds, Tick } from '@svc/contract/tick'
import {
  type Advanced,
  advance,
  changesOf,
  findDue,
  keepAdvanced,
  lapsedConsents,
  lockContract,
  type StoredContract,
} from '../contracts/api.ts'
import { type Journal, postJournals } from '../ledger/api.ts'

const batch_max = 64

/** Runs as the engine's role. Returns how many contracts were due; a full batch means there may be more. */
export async function sweepContracts(db: Database, tick: Tick): Promise<number> {
  const faults: unknown[] = []
  const due = await findDue(db, tick.now, batch_max)
  // Separately: one failing contract must not block the others.
  for (const contract_id of due)
    await db
      .transaction((transaction) => sweepContract(transaction, contract_id, tick))
      .catch((fault: unknown) => faults.push(fault))
  if (faults.length > 0)
    throw new AggregateError(faults, `${faults.length} contracts could not be brought up to date`)
  return due.length
}

async function sweepContract(db: Database, contract_id: string, { now, newId }: Tick): Promise<void> {
  const contract = await lockContract(db, contract_id)
  if (!contract) return
  const advanced = advance(contract, now)
  const posting = {
    tenant_id: contract.proposer.tenant_id,
    correlation_id: newId(),
    at: now.toISOString(),
  }
  const journals = await lapsedConsents(db, contract, advanced.final, posting)
  await keepAdvanced(db, contract_id, advanced, now)
  await tellBoth(db, contract, advanced, { ...posting, newId })
  await postJournals(db, journals)
}

async function tellBoth(
  db: Database,
  contract: StoredContract,
  advanced: Advanced,
  { correlation_id, at, newId }: Pick<Journal, 'correlation_id' | 'at'> & NewIds,
): Promise<void> {
  const tenants = new Set([contract.proposer.tenant_id, contract.counterparty.tenant_id])
  for (const { type, meta } of changesOf(contract, advanced)) {
    for (const tenant_id of tenants) {
      await leaveInOutbox(db, {
        id: newId(),
        event_type: type,
        correlation_id,
        timestamp: at,
        tenant_id,
        caller_did: contract.proposer.did,
        protocol: 'MADE',
        outcome: 'success',
        latency_ms: 0,
        meta,
      })
    }
  }
}
