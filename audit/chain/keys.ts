// What a tenant's chain needs before its first record: an audit key, a salt, and an empty head.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { Query } from '../query/client-query.ts'
import type { RootKeys } from '../sealing/root-keys.ts'
import { randomKey } from '../sealing/seal.ts'
import { checkpointOrigin, keyId, type SigningKey } from '../tree/checkpoint.ts'

const key_purpose = 'audit-key'
const salt_purpose = 'audit-salt'

// Existing rows stay unchanged, so two replicas may do this for one tenant at the same time.
const provision_sql = `
  WITH head AS (
    INSERT INTO chain_heads (tenant_id, head_hash) VALUES ($1, decode($2, 'hex')) ON CONFLICT DO NOTHING
  ), salt AS (
    INSERT INTO audit_salts (tenant_id, sealed) VALUES ($1, $3) ON CONFLICT DO NOTHING
  )
  INSERT INTO audit_keys (tenant_id, key_id, public_key, sealed_private, from_seq)
    SELECT $1, $4, $5, $6, 1 WHERE NOT EXISTS (SELECT FROM audit_keys WHERE tenant_id = $1)
    ON CONFLICT (tenant_id) WHERE until_seq IS NULL DO NOTHING`

/** Creates what is missing. */
export async function provisionTenant(query: Query, root_keys: RootKeys, tenant_id: string): Promise<void> {
  const key = makeKey(root_keys, tenant_id)
  const salt = root_keys.seal(salt_purpose, randomKey(), `salt of ${tenant_id}`)
  await query(provision_sql, [tenant_id, genesis_hash, salt, key.key_id, key.public_key, key.sealed_private])
}

/** The current signing keys, opened. */
export async function currentKeys(
  query: Query,
  root_keys: RootKeys,
  tenant_ids: readonly string[],
): Promise<Map<string, SigningKey>> {
  const rows = await query<KeyRow>(
    `SELECT tenant_id, key_id, public_key, sealed_private FROM audit_keys
     WHERE tenant_id = ANY($1) AND until_seq IS NULL`,
    [tenant_ids],
  )
  return new Map(rows.map((row) => [row.tenant_id, openKey(root_keys, row)]))
}

interface KeyRow {
  readonly tenant_id: string
  readonly key_id: string
  readonly public_key: Buffer
  readonly sealed_private: Buffer | null
}

function openKey(root_keys: RootKeys, row: KeyRow): SigningKey {
  if (!row.sealed_private) throw new Error(`the audit key ${row.key_id} of ${row.tenant_id} was destroyed`)
  const seed = root_keys.open(key_purpose, row.sealed_private, keyName(row))
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

/** The tenant's salt key in hex: commitments are salted with it and the record's id. */
export function openSalt(root_keys: RootKeys, tenant_id: string, sealed: Buffer): string {
  return root_keys.open(salt_purpose, sealed, `salt of ${tenant_id}`).toString('hex')
}

export interface SealedKey extends SigningKey {
  readonly sealed_private: Buffer
}

/** A new audit key, sealed for the table and open for its first signature. */
export function makeKey(root_keys: RootKeys, tenant_id: string): SealedKey {
  const { privateKey: private_key } = generateKeyPairSync('ed25519')
  const { x, d } = private_key.export({ format: 'jwk' })
  const public_key = Buffer.from(x ?? '', 'base64url')
  const key_id = keyId(checkpointOrigin(tenant_id), public_key)
  const seed = Buffer.from(d ?? '', 'base64url')
  const sealed_private = root_keys.seal(key_purpose, seed, keyName({ tenant_id, key_id }))
  return { key_id, public_key, private_key, sealed_private }
}

/** What the root keys open of the newest chains; `unopened` names the rest. */
export interface KeyProbe {
  readonly keys: number
  readonly salts: number
  readonly unopened: readonly string[]
}

const probed_max = 1_000

export async function probeKeys(query: Query, root_keys: RootKeys): Promise<KeyProbe> {
  const keys = await query<KeyRow>(
    `SELECT tenant_id, key_id, public_key, sealed_private FROM audit_keys
     WHERE until_seq IS NULL AND sealed_private IS NOT NULL ORDER BY tenant_id LIMIT ${probed_max}`,
    [],
  )
  const salts = await query<{ tenant_id: string; sealed: Buffer }>(
    `SELECT tenant_id, sealed FROM audit_salts ORDER BY tenant_id LIMIT ${probed_max}`,
    [],
  )
  const unopened = [
    ...keys
      .filter((row) => !opens(() => openKey(root_keys, row)))
      .map((row) => `key ${row.key_id} of ${row.tenant_id}`),
    ...salts
      .filter((row) => !opens(() => openSalt(root_keys, row.tenant_id, row.sealed)))
      .map((row) => `salt of ${row.tenant_id}`),
  ]
  return { keys: keys.length, salts: salts.length, unopened }
}

function opens(openIt: () => unknown): boolean {
  try {
    openIt()
    return true
  } catch {
    return false
  }
}

function keyName(key: { tenant_id: string; key_id: string }): string {
  return `audit key ${key.key_id} of ${key.tenant_id}`
}
