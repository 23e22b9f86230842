// An audit log of any size, stored as the writer stores pages: its hashes are made up.
import { hash } from 'node:crypto'
import { asOwner } from '@svc/audit/test-audit-log'
import { storeRecords } from '@svc/audit/test-stored'
import { type AuditBody, bodyText, entryText, genesis_hash } from '@svc/contract/audit/audit-record'

/** A hundred pages. */
const batch_records = 25_600
const first_moment = '2026-01-01T00:00:00Z'
const record_seconds = 7
/** Neighbouring records are not in time order. */
const jitter_seconds = 17
const rare_caller = 999
const early_caller = 998

const digestOf = (number: number) => hash('sha256', String(number), 'hex')
const didOf = (tenant_id: string, number: number) => `did:oas:${tenant_id}:agent:${digestOf(number)}`

type Kind = Pick<AuditBody, 'protocol' | 'operation' | 'outcome' | 'event_type'> & { readonly caller: number }

function kindOf(seq: number, records: number): Kind {
  if (seq % Math.floor(records / 5) === 3)
    return {
      protocol: 'MAUSOLEUM',
      operation: 'seal',
      outcome: 'error',
      event_type: 'Error',
      caller: rare_caller,
    }
  const caller = seq % 20
  const is_refused = seq % 40 === 7
  const outcome = is_refused ? 'refused' : 'success'
  if (seq <= records / 200)
    return { protocol: 'MOOT', operation: 'file', outcome, event_type: 'CaseFiled', caller: early_caller }
  const event_type = is_refused ? 'SecurityViolation' : 'ProtocolInvocation'
  const called =
    seq % 3 === 0 ? { protocol: 'MAX', operation: 'audit_query' } : { protocol: 'MOTET', operation: 'emit' }
  return { ...called, outcome, event_type, caller }
}

function recordAt(tenant_id: string, seq: number, records: number) {
  const { caller, ...kind } = kindOf(seq, records)
  const digits = digestOf(seq)
  const correlation_id = [8, 12, 16, 20, 32]
    .map((end, n) => digits.slice([0, 8, 12, 16, 20][n], end))
    .join('-')
  const at_ms = Date.parse(first_moment) + (seq * record_seconds + (seq % jitter_seconds)) * 1_000
  const fields = {
    id: correlation_id,
    correlation_id,
    timestamp: new Date(at_ms).toISOString(),
    tenant_id,
    caller_did: didOf(tenant_id, caller),
    ...kind,
    latency_ms: 1.25,
    meta: {
      capability: 'svc.motet.emit',
      grant: 'svc.*.*',
      input_hash: 'a'.repeat(64),
      output_hash: 'b'.repeat(64),
      origin: 'http',
    },
  }
  return {
    tenant_id,
    seq,
    body: bodyText(entryText(fields), seq),
    fields,
    previous_hash: seq === 1 ? genesis_hash : digestOf(seq - 1),
    record_hash: digits,
  }
}

/** Includes a caller with five records, and one only at the very beginning. */
export async function writeLargeAuditLog(db_url: string, tenant_id: string, records: number): Promise<void> {
  await asOwner(db_url, async (client) => {
    for (let from = 1; from <= records; from += batch_records) {
      const length = Math.min(batch_records, records - from + 1)
      await storeRecords(
        client,
        Array.from({ length }, (_, n) => recordAt(tenant_id, from + n, records)),
      )
    }
    // As many hashes as its size has ones in binary: later records are appended for real.
    const subtrees = records.toString(2).replaceAll('0', '').length
    await client.query(
      `INSERT INTO chain_heads (tenant_id, seq, head_hash, frontier)
       VALUES ($1, $2, decode($3, 'hex'), decode(repeat('ab', $4 * 32), 'hex'))`,
      [tenant_id, records, digestOf(records), subtrees],
    )
    await client.query('VACUUM ANALYZE audit_pages, audit_tail, audit_terms')
  })
}

export function momentAt(share: number, records: number): string {
  return new Date(
    Date.parse(first_moment) + Math.floor(share * records) * record_seconds * 1000,
  ).toISOString()
}

/** The caller with five records, and the one only at the beginning. */
export function callersOf(tenant_id: string): { readonly rare: string; readonly early: string } {
  return { rare: didOf(tenant_id, rare_caller), early: didOf(tenant_id, early_caller) }
}
