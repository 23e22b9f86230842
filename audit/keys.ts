// What a tenant's chain needs before its first record: an audit key, a salt, and an empty head.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { genesis_hash } from '@svc/contract/audit-record'
import { checkpointOrigin, keyId, type SigningKey } from './checkpoint.ts'
import type { Query } from './query.ts'
import { deriveKey, open, randomKey, seal } from './seal.ts'

const key_purpose = 'audit-key'
const salt_purpose = 'audit-salt'

// Rows that exist stay as they are, so two replicas may do this for one tenant at the same time.
const provision_sql = `
  WITH head AS (
    INSERT INTO chain_heads (tenant_id, head_hash) VALUES ($1, decode($2, 'hex')) ON CONFLICT DO NOTHING
  ), salt AS (
    INSERT INTO audit_salts (tenant_id, sealed) VALUES ($1, $3) ON CONFLICT DO NOTHING
  )
  INSERT INTO audit_keys (tenant_id, key_id, public_key, sealed_private, from_seq)
    SELECT $1, $4, $5, $6, 1 WHERE NOT EXISTS (SELECT FROM audit_keys WHERE tenant_id = $1)
    ON CONFLICT (tenant_id) WHERE until_seq IS NULL DO NOTHING`

/** Makes what is missing and leaves what is there. */
export async function provisionTenant(
  query: Query,
  master_key: Uint8Array,
  tenant_id: string,
): Promise<void> {
  const key = newKey(master_key, tenant_id)
  const salt = seal(deriveKey(master_key, salt_purpose), randomKey(), `salt of ${tenant_id}`)
  await query(provision_sql, [tenant_id, genesis_hash, salt, key.key_id, key.public_key, key.sealed_private])
}

// The head is locked first: the writer signs under the same lock, so no checkpoint falls between two keys.
const rotate_sql = `
  WITH head AS MATERIALIZED (
    SELECT seq FROM chain_heads WHERE tenant_id = $1 AND NOT sealed FOR UPDATE
  ), retired AS (
    UPDATE audit_keys SET until_seq = head.seq FROM head
    WHERE tenant_id = $1 AND until_seq IS NULL RETURNING until_seq
  )
  INSERT INTO audit_keys (tenant_id, key_id, public_key, sealed_private, from_seq)
    SELECT $1, $2, $3, $4, until_seq + 1 FROM retired RETURNING key_id`

/** From the next record on a new key signs. The caller appends AuditKeyRotated, signed by both. */
export async function rotateKey(query: Query, master_key: Uint8Array, tenant_id: string): Promise<string> {
  const key = newKey(master_key, tenant_id)
  const rows = await query(rotate_sql, [tenant_id, key.key_id, key.public_key, key.sealed_private])
  if (rows.length === 0) throw new Error(`${tenant_id} has no open chain whose key could be rotated now`)
  return key.key_id
}

/** The keys that sign now, opened. */
export async function currentKeys(
  query: Query,
  master_key: Uint8Array,
  tenant_ids: readonly string[],
): Promise<Map<string, SigningKey>> {
  const rows = await query<KeyRow>(
    `SELECT tenant_id, key_id, public_key, sealed_private FROM audit_keys
     WHERE tenant_id = ANY($1) AND until_seq IS NULL`,
    [tenant_ids],
  )
  return new Map(rows.map((row) => [row.tenant_id, openKey(master_key, row)]))
}

interface KeyRow {
  readonly tenant_id: string
  readonly key_id: string
  readonly public_key: Buffer
  readonly sealed_private: Buffer | null
}

function openKey(master_key: Uint8Array, row: KeyRow): SigningKey {
  if (!row.sealed_private) throw new Error(`the audit key ${row.key_id} of ${row.tenant_id} was destroyed`)
  const seed = open(deriveKey(master_key, key_purpose), row.sealed_private, keyName(row))
  const private_key = createPrivateKey({
    key: {
      kty: 'OKP',
      crv: 'Ed25519',
      x: row.public_key.toString('base64url'),
      d: seed.toString('base64url'),
    },
    format: 'jwk',
  })
  return { key_id: row.key_id, public_key: row.public_key, private_key }
}

/** The tenant's salt key in hex: commitments are salted with it and a record's id. */
export function openSalt(master_key: Uint8Array, tenant_id: string, sealed: Buffer): string {
  return open(deriveKey(master_key, salt_purpose), sealed, `salt of ${tenant_id}`).toString('hex')
}

function newKey(master_key: Uint8Array, tenant_id: string) {
  const pair = generateKeyPairSync('ed25519')
  const { x, d } = pair.privateKey.export({ format: 'jwk' })
  const public_key = Buffer.from(x ?? '', 'base64url')
  const key_id = keyId(checkpointOrigin(tenant_id), public_key)
  const seed = Buffer.from(d ?? '', 'base64url')
  const sealed_private = seal(deriveKey(master_key, key_purpose), seed, keyName({ tenant_id, key_id }))
  return { key_id, public_key, sealed_private }
}

function keyName(key: { tenant_id: string; key_id: string }): string {
  return `audit key ${key.key_id} of ${key.tenant_id}`
}
