// Releases what is pending when an organization is wound up: holds, tenders, offers, and debts to itself.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import { sql } from '@svc/database/sql'
import { entriesOfRelease, keepAdvanced } from '../contracts/api.ts'
import { type Journal, postJournals, tellBooks } from '../ledger/api.ts'
import { debtsOf, openContracts } from './estate-claims.ts'
import { keepEnded } from './estate-ending.ts'

export interface Released {
  readonly holds: number
  readonly lots: number
  readonly offers: number
  /** Contracts between identities of this organization. */
  readonly internal: number
}

/** Runs as the engine's role, in one transaction; idempotent. */
export async function releaseAll(db: Database, tenant_id: string, tick: Tick): Promise<Released> {
  const holds = await releaseHolds(db, tenant_id, tick)
  const { numAffectedRows } = await sql`
    UPDATE lots SET state = 'CANCELLED' WHERE tenant_id = ${tenant_id} AND state = 'OPEN'`.execute(db)
  const { offers, internal, journals } = await endContracts(db, tenant_id, tick)
  await postJournals(db, journals)
  return { holds, lots: Number(numAffectedRows ?? 0n), offers, internal }
}

async function releaseHolds(db: Database, tenant_id: string, tick: Tick): Promise<number> {
  const { now } = tick
  const rows = await sql<{ hold_id: string; scope: string }>`
    UPDATE holds SET released_at = greatest(placed_at, ${now}), released_by = 'dissolution'
    WHERE tenant_id = ${tenant_id} AND released_at IS NULL RETURNING hold_id, scope`.all(db)
  const correlation_id = tick.newId()
  for (const { hold_id, scope } of rows)
    await leaveInOutbox(db, {
      id: tick.newId(),
      event_type: 'HoldReleased',
      correlation_id,
      timestamp: now.toISOString(),
      tenant_id,
      caller_did: 'engine',
      protocol: 'MANA',
      outcome: 'success',
      latency_ms: 0,
      meta: { hold_id, scope, because: 'dissolution' },
    })
  if (rows.length > 0) await tellBooks(db, tenant_id)
  return rows.length
}

/** Its own offers are withdrawn; those to it expire, since nobody can accept them. */
async function endContracts(db: Database, tenant_id: string, tick: Tick) {
  const { now } = tick
  const contracts = await openContracts(db, tenant_id)
  const offered = contracts.filter(({ state }) => state === 'OFFERED')
  for (const { contract_id, proposer } of offered) {
    const state = proposer.tenant_id === tenant_id ? 'WITHDRAWN' : 'EXPIRED'
    await keepAdvanced(db, contract_id, { state, next_at: null, defaulted: [], final: [] }, now)
  }
  const internal = contracts.filter(
    ({ state, proposer, counterparty }) =>
      state !== 'OFFERED' && proposer.tenant_id === tenant_id && counterparty.tenant_id === tenant_id,
  )
  const journals: Journal[] = []
  const posting = { tenant_id, correlation_id: tick.newId(), at: now.toISOString() }
  for (const contract of internal) {
    const open = debtsOf([contract]).map(({ obligation }) => obligation)
    const ended = open.map((one) => ({ ...one, ended: 'WAIVED' as const, ended_at: now }))
    const { correlation_id } = posting
    await keepEnded(db, contract, ended, tick, {
      correlation_id,
      meta: { waived: ended.map(({ id }) => id) },
    })
    const entries = contract.escrow ? entriesOfRelease(contract, open) : []
    const ref = `made://contract/${contract.contract_id}`
    if (entries.length > 0) journals.push({ ...posting, kind: 'release', ref, entries })
  }
  return { offers: offered.length, internal: internal.length, journals }
}
