// An audit log of any size, written by SQL: its rows satisfy the tables, its hashes are made up.
import { createHash } from 'node:crypto'
import { asOwner } from '@svc/audit/test-audit-log'

const batch_records = 100_000
const first_moment = '2026-01-01T00:00:00Z'
const record_seconds = 7
/** Neighbouring records are not in time order. */
const jitter_seconds = 17
const rare_caller = 999
const early_caller = 998

const seed_sql = `
  INSERT INTO audit_records
    (tenant_id, seq, record_hash, body, correlation_id, event_type, protocol, operation, outcome, caller_did, at)
  SELECT $1, i, sha256(int8send(i)), jsonb_build_object(
      'id', correlation, 'seq', i, 'event_type', event, 'correlation_id', correlation,
      'timestamp', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'tenant_id', $1,
      'caller_did', caller, 'protocol', protocol, 'operation', operation, 'outcome', outcome, 'latency_ms', 1.25,
      'meta', jsonb_build_object('capability', 'svc.motet.emit', 'grant', 'svc.*.*', 'input_hash', repeat('a', 64),
        'output_hash', repeat('b', 64), 'origin', 'http'))::text,
    correlation, event, protocol, operation, outcome, caller, at
  FROM (
    SELECT i, encode(sha256(int8send(i)), 'hex')::char(32)::uuid AS correlation,
      CASE WHEN is_rare THEN 'MAUSOLEUM' WHEN is_early THEN 'MOOT' WHEN i % 3 = 0 THEN 'MAX' ELSE 'MOTET' END AS protocol,
      CASE WHEN is_rare THEN 'seal' WHEN is_early THEN 'file' WHEN i % 3 = 0 THEN 'audit_query' ELSE 'emit' END AS operation,
      CASE WHEN is_rare THEN 'error' WHEN i % 40 = 7 THEN 'refused' ELSE 'success' END AS outcome,
      CASE WHEN is_rare THEN 'Error' WHEN is_early THEN 'CaseFiled' WHEN i % 40 = 7 THEN 'SecurityViolation'
        ELSE 'ProtocolInvocation' END AS event,
      'did:oas:' || $1 || ':agent:' || encode(sha256(int8send(
        CASE WHEN is_rare THEN ${rare_caller} WHEN is_early THEN ${early_caller} ELSE i % 20 END)), 'hex') AS caller,
      $4::timestamptz + (i * ${record_seconds} + i % ${jitter_seconds}) * interval '1 second' AS at
    FROM generate_series($2::bigint, $3::bigint) AS i,
      LATERAL (SELECT i % ($5::bigint / 5) = 3 AS is_rare, i <= $5 / 200 AS is_early) AS kind
  ) AS made`

/** Includes a caller with five records, and one only at the very beginning. */
export async function writeLargeAuditLog(db_url: string, tenant_id: string, records: number): Promise<void> {
  await asOwner(db_url, async (client) => {
    for (let from = 1; from <= records; from += batch_records) {
      const to = Math.min(records, from + batch_records - 1)
      await client.query(seed_sql, [tenant_id, from, to, first_moment, records])
    }
    // As many hashes as its size has ones in binary: later records are appended for real.
    const subtrees = records.toString(2).replaceAll('0', '').length
    await client.query(
      `INSERT INTO chain_heads (tenant_id, seq, head_hash, frontier)
       SELECT $1, $2, record_hash, decode(repeat('ab', $3 * 32), 'hex')
       FROM audit_records WHERE tenant_id = $1 AND seq = $2`,
      [tenant_id, records, subtrees],
    )
    await client.query('VACUUM ANALYZE audit_records')
  })
}

export function momentAt(share: number, records: number): string {
  return new Date(
    Date.parse(first_moment) + Math.floor(share * records) * record_seconds * 1000,
  ).toISOString()
}

/** The caller with five records, and the one only at the beginning. */
export function callersOf(tenant_id: string): { readonly rare: string; readonly early: string } {
  const did = (number: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64BE(BigInt(number))
    return `did:oas:${tenant_id}:agent:${createHash('sha256').update(bytes).digest('hex')}`
  }
  return { rare: did(rare_caller), early: did(early_caller) }
}
