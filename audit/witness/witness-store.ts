// An operator's witnessing settings: whose logs are cosigned here, and who is asked to cosign ours.
import { readKey } from '@svc/sdk/verify/note'
import { readWitnessKey } from '@svc/sdk/verify/witnesses'
import type { Query } from '../query/client-query.ts'

const listed_max = 200

/** The sizes that a key signs. One that followed another by a rotation begins after it. */
export interface LogKey {
  readonly public_key: string
  readonly from_seq: number
  /** Null for one that is trusted; otherwise another has followed it. */
  readonly until_seq: number | null
}

export interface KnownLog {
  readonly origin: string
  readonly keys: readonly LogKey[]
  readonly size: number
  readonly cosigned_at: Date | null
  /** The log has signed two histories: its newest contradicting note is stored. */
  readonly is_contradicted: boolean
}

/** Adds a key to a log; a new log begins with nothing cosigned. False where another key has followed this one. */
export async function trustLog(query: Query, origin: string, public_key: string): Promise<boolean> {
  await readKey(origin, public_key)
  await query('INSERT INTO witness_log_keys (origin, public_key) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    origin,
    public_key,
  ])
  const current = await query(
    'SELECT FROM witness_log_keys WHERE origin = $1 AND public_key = $2 AND until_seq IS NULL',
    [origin, public_key],
  )
  return current.length > 0
}

/** False where it was not trusted. What was cosigned of the log stays known, should it be trusted again. */
export async function distrustLog(query: Query, origin: string, public_key: string): Promise<boolean> {
  const gone = await query(
    'DELETE FROM witness_log_keys WHERE origin = $1 AND public_key = $2 RETURNING origin',
    [origin, public_key],
  )
  return gone.length > 0
}

/** Those this engine cosigns over HTTP, by origin; cosignatures of partners on this engine are their own. */
export async function listLogs(query: Query, witness_name: string, after = ''): Promise<KnownLog[]> {
  const rows = await query<{
    origin: string
    keys: LogKey[]
    size: string | null
    cosigned_at: Date | null
    is_contradicted: boolean | null
  }>(
    `SELECT k.origin, k.keys, l.size, l.cosigned_at, l.contradiction IS NOT NULL AS is_contradicted
     FROM (SELECT origin, jsonb_agg(jsonb_build_object('public_key', public_key, 'from_seq', from_seq,
             'until_seq', until_seq) ORDER BY from_seq, trusted_at) AS keys
           FROM witness_log_keys WHERE origin > $2 GROUP BY origin ORDER BY origin LIMIT ${listed_max}) AS k
     LEFT JOIN witness_logs l ON l.witness_name = $1 AND l.origin = k.origin ORDER BY k.origin`,
    [witness_name, after],
  )
  return rows.map((row) => ({
    ...row,
    size: Number(row.size ?? 0),
    is_contradicted: row.is_contradicted === true,
  }))
}

export interface AskedWitness {
  readonly witness_name: string
  readonly key_id: string
  /** name+id+key. */
  readonly verifier_key: string
  readonly url: string
  /** Null: every chain of this engine. */
  readonly tenants: readonly string[] | null
}

export const asked_max = 16

/** Repeated, it updates the address and the chains. Throws for an invalid key. */
export async function askWitness(
  query: Query,
  verifier_key: string,
  url: string,
  tenants: readonly string[] | null,
): Promise<void> {
  const { name, key_id } = await readWitnessKey(verifier_key)
  await query(
    `INSERT INTO witness_asked (witness_name, key_id, verifier_key, url, tenants) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (witness_name, key_id) DO UPDATE SET url = excluded.url, tenants = excluded.tenants`,
    [name, key_id, verifier_key, url, tenants],
  )
}

/** Its cosignatures stay in the audit log. */
export async function dismissWitness(query: Query, witness_name: string): Promise<boolean> {
  const gone = await query('DELETE FROM witness_asked WHERE witness_name = $1 RETURNING key_id', [
    witness_name,
  ])
  return gone.length > 0
}

export async function listAsked(query: Query): Promise<readonly AskedWitness[]> {
  return await query<AskedWitness>(
    `SELECT witness_name, key_id, verifier_key, url, tenants FROM witness_asked
     ORDER BY witness_name, key_id LIMIT ${asked_max + 1}`,
    [],
  )
}

/** True where this engine currently feeds this witness: one replica is enough. */
export async function takeTurn(
  query: Query,
  { witness_name, key_id }: AskedWitness,
  engine_id: string,
  lease_s: number,
): Promise<boolean> {
  const rows = await query(
    `UPDATE witness_asked SET fed_by = $3, fed_until = now() + $4 * interval '1 second'
     WHERE witness_name = $1 AND key_id = $2 AND (fed_by = $3 OR fed_until IS NULL OR fed_until < now())
     RETURNING key_id`,
    [witness_name, key_id, engine_id, lease_s],
  )
  return rows.length > 0
}

/** On shutdown, lets another replica take over at once. */
export async function endTurns(query: Query, engine_id: string): Promise<void> {
  await query('UPDATE witness_asked SET fed_until = now() WHERE fed_by = $1 AND fed_until > now()', [
    engine_id,
  ])
}
