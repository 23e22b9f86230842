// Ways in which a database superuser can tamper with an audit log, for tests that detect it.
import { asOwner } from '@svc/audit/test-audit-log'
import { overwrite, remove, storedRecords } from '@svc/audit/test-stored'
import { recordHash } from '@svc/contract/audit/audit-record'
import type { Client } from 'pg'
import type { InProcessService } from '../../engines/in-process.ts'

type WriteOver = (owner: Client, tenant_id: string, seq: number) => Promise<unknown>

const written =
  (change: (body: string, seq: number) => string): WriteOver =>
  (owner, tenant_id, seq) =>
    overwrite(owner, tenant_id, seq, ({ body }) => ({ body: change(body!, seq) }))

const refused = (body: string) => body.replace('"outcome":"success"', '"outcome":"refused"')

export const ways = {
  'another word in the body': written(refused),
  'a blank more in the body': written((body) => `{ ${body.slice(1)}`),
  'a field more in the body': written((body) => `{"zzz":1,${body.slice(1)}`),
  'a body that is no record': written(() => '["nothing", "to", "see"]'),
  'a body that is no JSON': written(() => 'nothing to see'),
  'another place in the body': written((body, seq) => body.replace(`"seq":${seq}`, `"seq":1${seq}`)),
  'two bodies instead of one': written((body) => `${body}\n${body}`),
  'bytes that are no page': (owner, tenant_id, seq) =>
    owner.query(
      `UPDATE audit_tail SET bytes = 'nothing' WHERE tenant_id = $1 AND $2 BETWEEN first_seq AND last_seq`,
      [tenant_id, seq],
    ),
  'the body and everything after it, with the right hashes': rewriteFrom,
} satisfies Record<string, WriteOver>

export type Way = keyof typeof ways

/** Their first bad record may come before the one they are about: what is compressed or signed together fails together. */
export const spoils_more: readonly Way[] = [
  'two bodies instead of one',
  'bytes that are no page',
  'the body and everything after it, with the right hashes',
]

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
    if (way === 'deleted') await remove(owner, tenant_id, seq)
    else await ways[way](owner, tenant_id, seq)
  })
}

async function rewriteFrom(owner: Client, tenant_id: string, seq: number): Promise<void> {
  const records = await storedRecords(owner, tenant_id)
  let previous = records[seq - 1]!.previous_hash
  for (const { seq: place, body } of records.slice(seq - 1)) {
    const rewritten = place === seq ? refused(body!) : body!
    previous = recordHash(previous, rewritten)
    const record_hash = previous
    await overwrite(owner, tenant_id, place, () => ({ body: rewritten, record_hash }))
  }
  await owner.query('SET session_replication_role = replica')
  await owner.query(
    `UPDATE audit_tail t SET before_hash = substring(p.hashes FROM octet_length(p.hashes) - 31) FROM audit_tail p
     WHERE t.tenant_id = $1 AND p.tenant_id = $1 AND p.last_seq = t.first_seq - 1`,
    [tenant_id],
  )
  await owner.query("UPDATE chain_heads SET head_hash = decode($2, 'hex') WHERE tenant_id = $1", [
    tenant_id,
    previous,
  ])
}
