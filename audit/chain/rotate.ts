// Rotates a tenant's audit key: the old key's last checkpoint covers the record that names the new one, signed by both.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { refuse } from '@svc/contract/refusal'
import { signingInput, signText } from '@svc/contract/signing/signature'
import type { ClientBase } from 'pg'
import { queryOf } from '../query/query.ts'
import type { RootKeys } from '../sealing/root-keys.ts'
import type { SigningKey } from '../tree/checkpoint.ts'
import { type HeadRow, lockHeads } from '../writer/commit-sql.ts'
import { appendSigned } from './append-signed.ts'
import type { PendingEntry } from './chain.ts'
import { acceptEntry } from './entry.ts'
import { currentKeys, makeKey, provisionTenant, type SealedKey } from './keys.ts'

/** Who requested it and when; `meta` is added to the change's own fields. */
export type RotationOrder = Pick<
  AuditEntry,
  'id' | 'correlation_id' | 'timestamp' | 'tenant_id' | 'caller_did' | 'meta'
>

export interface Rotation {
  readonly tenant_id: string
  /** The record of the change: the last one the old key vouches for. */
  readonly seq: number
  readonly old_key_id: string
  readonly new_key_id: string
  /** base64url: what holders of pinned keys have to add. */
  readonly new_public_key: string
  readonly record_hash: string
}

/** One transaction, so a kill leaves either key intact. The head's lock stops every writer between two batches meanwhile. */
export async function rotateKey(
  client: ClientBase,
  root_keys: RootKeys,
  order: RotationOrder,
): Promise<Rotation> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  try {
    const rotation = await changeKey(client, root_keys, order)
    await client.query('COMMIT')
    return rotation
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

async function changeKey(client: ClientBase, root_keys: RootKeys, order: RotationOrder) {
  const { tenant_id } = order
  // A tenant without records gets its first key now, which is changed at once.
  await provisionTenant(queryOf(client), root_keys, tenant_id)
  const [head] = await lockHeads(client, [tenant_id])
  const old_key = (await currentKeys(queryOf(client), root_keys, [tenant_id])).get(tenant_id)
  if (!head || !old_key) throw new Error(`${tenant_id} has no audit key in use, so none can follow it`)
  if (head.sealed) {
    throw refuse('policy_denied', `The chain of ${tenant_id} is sealed, so its key signs nothing any more.`, {
      reason: 'organization sealed',
    })
  }
  const new_key = makeKey(root_keys, tenant_id)
  const record_hash = await appendSigned(client, head, old_key, rotationEntry(order, head, old_key, new_key))
  const seq = Number(head.seq) + 1
  await replaceKey(client, tenant_id, seq, old_key, new_key)
  const new_public_key = new_key.public_key.toString('base64url')
  return {
    tenant_id,
    seq,
    old_key_id: old_key.key_id,
    new_key_id: new_key.key_id,
    new_public_key,
    record_hash,
  }
}

function rotationEntry(
  order: RotationOrder,
  head: HeadRow,
  old_key: SigningKey,
  new_key: SigningKey,
): PendingEntry {
  const change = {
    new_key_id: new_key.key_id,
    new_public_key: new_key.public_key.toString('base64url'),
    old_key_id: old_key.key_id,
  }
  // The place is signed too, so that neither signature fits another rotation of this chain.
  const place = { seq: Number(head.seq) + 1, tenant_id: order.tenant_id }
  const { new_key_id, new_public_key, old_key_id } = change
  const signatures = {
    old_signature: signStatement(old_key, { ...place, old_key_id, new_public_key }),
    new_signature: signStatement(new_key, { ...place, new_key_id, old_key_id }),
  }
  return acceptEntry({
    ...order,
    event_type: 'AuditKeyRotated',
    outcome: 'success',
    latency_ms: 0,
    meta: { ...order.meta, ...change, ...signatures },
  })
}

function signStatement(key: SigningKey, statement: object): string {
  return signText(key.private_key, signingInput('svc-audit-v1', statement))
}

/** The retired private key is deleted at once: a later intruder cannot sign the past with it. */
async function replaceKey(
  client: ClientBase,
  tenant_id: string,
  seq: number,
  old_key: SigningKey,
  new_key: SealedKey,
): Promise<void> {
  await client.query(
    `UPDATE audit_keys SET until_seq = $3, sealed_private = NULL
     WHERE tenant_id = $1 AND key_id = $2 AND until_seq IS NULL`,
    [tenant_id, old_key.key_id, seq],
  )
  await client.query(
    `INSERT INTO audit_keys (tenant_id, key_id, public_key, sealed_private, from_seq)
     VALUES ($1, $2, $3, $4, $5)`,
    [tenant_id, new_key.key_id, new_key.public_key, new_key.sealed_private, seq + 1],
  )
}
