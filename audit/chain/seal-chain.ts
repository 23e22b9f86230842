// The end of a chain: one last record under one last checkpoint, after which nobody can sign for it.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { ChainSeal, SealOrder } from '@svc/contract/needs/audit-log'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { ClientBase, Pool } from 'pg'
import { queryOf } from '../query/query.ts'
import type { RootKeys } from '../sealing/root-keys.ts'
import { type HeadRow, lockHeads } from '../writer/commit-sql.ts'
import { appendSigned } from './append-signed.ts'
import { acceptEntry } from './entry.ts'
import { currentKeys, provisionTenant } from './keys.ts'

/** The database's error where an organization may not be sealed yet: see the owner of the rule. */
const not_ready = 'SV010'

/** One transaction: a kill leaves the chain open with its key, or closed without. Idempotent. */
export async function sealChain(pool: Pool, root_keys: RootKeys, order: SealOrder): Promise<ChainSeal> {
  const client = await pool.connect()
  let is_broken = false
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
    const seal = await closeChain(client, root_keys, order)
    await client.query('COMMIT')
    return seal
  } catch (error) {
    // Rolled back before the error is returned: dissolution skips rows that are still locked.
    await client.query('ROLLBACK').catch(() => {
      is_broken = true
    })
    throw notReady(error, order.tenant_id) ?? error
  } finally {
    client.release(is_broken)
  }
}

async function closeChain(client: ClientBase, root_keys: RootKeys, order: SealOrder): Promise<ChainSeal> {
  const { tenant_id, expected_head } = order
  const query = queryOf(client)
  await provisionTenant(query, root_keys, tenant_id)
  const [head] = await lockHeads(client, [tenant_id])
  if (!head) throw new Error(`${tenant_id} has no chain that could be sealed`)
  if (head.sealed) return await readSeal(client, head)
  const head_hash = head.head_hash.toString('hex')
  if (expected_head !== undefined && expected_head !== head_hash) throw headMoved(expected_head, head_hash)
  const key = (await currentKeys(query, root_keys, [tenant_id])).get(tenant_id)
  if (!key) throw new Error(`${tenant_id} has no audit key in use, so its end cannot be signed`)
  await appendSigned(client, head, key, acceptEntry(entryOf(order)))
  await client.query('UPDATE audit_keys SET sealed_private = NULL WHERE tenant_id = $1', [tenant_id])
  const [closed] = await lockHeads(client, [tenant_id])
  return await readSeal(client, closed!)
}

function entryOf({ expected_head: _, ...order }: SealOrder): AuditEntry {
  return { ...order, event_type: 'ChainSealed', outcome: 'success', latency_ms: 0 }
}

/** As anybody can check it: the last checkpoint, and the key that signed it. */
async function readSeal(client: ClientBase, { tenant_id, seq, head_hash }: HeadRow): Promise<ChainSeal> {
  const { rows } = await client.query<{ note: string; root: Buffer; key_id: string; public_key: Buffer }>(
    `SELECT c.note, c.root, k.key_id, k.public_key FROM audit_checkpoints c
     JOIN audit_keys k ON k.tenant_id = c.tenant_id AND k.until_seq IS NULL
     WHERE c.tenant_id = $1 AND c.size = $2`,
    [tenant_id, seq],
  )
  const [row] = rows
  if (!row) throw new Error(`no checkpoint covers the end of the chain of ${tenant_id}`)
  return {
    tenant_id,
    final_seq: Number(seq),
    final_hash: head_hash.toString('hex'),
    root: row.root.toString('hex'),
    checkpoint: row.note,
    key_id: row.key_id,
    public_key: row.public_key.toString('base64url'),
  }
}

function headMoved(expected_head: string, head: string): Refusal {
  return refuse(
    'policy_denied',
    `The chain was to end after ${expected_head} and stands at ${head}; look at what was recorded since, and seal again.`,
    { reason: 'head moved', head },
  )
}

function notReady(error: unknown, tenant_id: string): Refusal | undefined {
  const { code, detail } = error as { code?: string; detail?: string }
  if (code !== not_ready) return undefined
  return refuse(
    'policy_denied',
    `${tenant_id} cannot be sealed: ${detail ?? 'it is not wound up'}; wait until it is wound up, and seal again.`,
    { reason: 'not ready to seal', denying_policy: 'MAUSOLEUM', appeal_path: 'MAUSOLEUM initiate' },
  )
}
