// What becomes of contracts while nobody asks: the same as what a caller would find, and told to both parties.
import { randomUUID } from 'node:crypto'
import { leaveInOutbox } from '@svc/audit/outbox'
import type { Database } from '@svc/contract/operation-context'
import { newsOf } from './contract-progress.ts'
import { type KeptContract, keepAdvanced, lockDue } from './contract-store.ts'
import { type Advanced, advance } from './contract-terms.ts'
import { type Journal, postJournals } from './ledger-store.ts'
import { lapsedConsents } from './settlement-store.ts'

const batch_max = 64

/** As the engine's role. Answers how many contracts had their moment; as many as a batch holds means there may be more. */
export async function sweepContracts(db: Database, now: Date): Promise<number> {
  return await db.transaction().execute(async (transaction) => {
    const contracts = await lockDue(transaction, now, batch_max)
    const journals: Journal[] = []
    for (const contract of contracts) {
      const advanced = advance(contract, now)
      const posting = {
        tenant_id: contract.proposer.tenant_id,
        correlation_id: randomUUID(),
        at: now.toISOString(),
      }
      journals.push(...(await lapsedConsents(transaction, contract, advanced.final, posting)))
      await keepAdvanced(transaction, contract.contract_id, advanced, now)
      await tellBoth(transaction, contract, advanced, posting)
    }
    await postJournals(transaction, journals)
    return contracts.length
  })
}

async function tellBoth(
  db: Database,
  contract: KeptContract,
  advanced: Advanced,
  { correlation_id, at }: Pick<Journal, 'correlation_id' | 'at'>,
): Promise<void> {
  const tenants = new Set([contract.proposer.tenant_id, contract.counterparty.tenant_id])
  for (const { type, meta } of newsOf(contract, advanced)) {
    for (const tenant_id of tenants) {
      await leaveInOutbox(db, {
        id: randomUUID(),
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
