// Ways in which a database superuser can tamper with an audit log, for tests that detect it.
import { asOwner } from '@svc/audit/test-audit-log'
import { recordHash } from '@svc/contract/audit/audit-record'
import type { Client } from 'pg'
import type { InProcessService } from '../../engines/in-process.ts'

type WriteOver = (owner: Client, tenant_id: string, seq: number) => Promise<unknown>

const one = 'WHERE tenant_id = $1 AND seq = $2'

export const ways = {
  'another word in the body': (owner, ...place) =>
    owner.query(
      `UPDATE audit_records SET body = replace(body, '"outcome":"success"', '"outcome":"refused"') ${one}`,
      place,
    ),
  'a blank more in the body': (owner, ...place) =>
    owner.query(`UPDATE audit_records SET body = '{ ' || substr(body, 2) ${one}`, place),
  'a field more in the body': (owner, ...place) =>
    owner.query(`UPDATE audit_records SET body = '{"zzz":1,' || substr(body, 2) ${one}`, place),
  'a body that is no record': (owner, ...place) =>
    owner.query(`UPDATE audit_records SET body = '["nothing", "to", "see"]' ${one}`, place),
  'a body that is no JSON': (owner, ...place) =>
    owner.query(`UPDATE audit_records SET body = 'nothing to see' ${one}`, place),
  'another place in the body': (owner, ...place) =>
    owner.query(
      `UPDATE audit_records SET body = replace(body, '"seq":' || seq, '"seq":1' || seq) ${one}`,
      place,
    ),
  'another outcome in the column': (owner, ...place) =>
    owner.query(`UPDATE audit_records SET outcome = 'error' ${one}`, place),
  'an outcome that is none': (owner, ...place) =>
    owner.query(`UPDATE audit_records SET outcome = 'forgotten' ${one}`, place),
  'another time in the column': (owner, ...place) =>
    owner.query(`UPDATE audit_records SET at = at - interval '1 second' ${one}`, place),
  'another caller in the column': (owner, ...place) =>
    owner.query(`UPDATE audit_records SET caller_did = 'somebody' ${one}`, place),
  'the body and everything after it, with the right hashes': rewriteTail,
} satisfies Record<string, WriteOver>

export type Way = keyof typeof ways

/** As the superuser, with triggers off: none of our code can do this. */
export async function writeOver(
  service: InProcessService,
  way: Way | 'deleted',
  tenant_id: string,
  seq: number,
): Promise<void> {
  await service.service.audit_log.flush()
  await asOwner(service.db_url, async (owner) => {
    await owner.query('SET session_replication_role = replica')
    if (way === 'deleted') await owner.query(`DELETE FROM audit_records ${one}`, [tenant_id, seq])
    else await ways[way](owner, tenant_id, seq)
  })
}

async function rewriteTail(owner: Client, tenant_id: string, seq: number): Promise<void> {
  await ways['another word in the body'](owner, tenant_id, seq)
  const { rows } = await owner.query<{ seq: string; body: string; record_hash: Buffer }>(
    'SELECT seq, body, record_hash FROM audit_records WHERE tenant_id = $1 AND seq >= $2 - 1 ORDER BY seq',
    [tenant_id, seq],
  )
  let previous = rows[0]!.record_hash.toString('hex')
  for (const row of rows.slice(1)) {
    const outcome = JSON.parse(row.body).outcome
    previous = recordHash(previous, row.body)
    await owner.query(`UPDATE audit_records SET record_hash = decode($3, 'hex'), outcome = $4 ${one}`, [
      tenant_id,
      row.seq,
      previous,
      outcome,
    ])
  }
  await owner.query("UPDATE chain_heads SET head_hash = decode($2, 'hex') WHERE tenant_id = $1", [
    tenant_id,
    previous,
  ])
}
