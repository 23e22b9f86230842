// The keys that sign access tokens: made here, sealed by the root keys, shared by all replicas.
import { generateKeyPairSync } from 'node:crypto'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'

const purpose = 'oauth-signing'
const key_days_max = 90
/** An old key is published until the last token it signed has expired, and a day more. */
const published_days_max = key_days_max + 1
const lock_key = 732_114_620
const published = sql`
  WHERE created_at > now() - ${published_days_max} * interval '1 day' ORDER BY created_at DESC, kid LIMIT 8`

/** As a JSON Web Key; `d` is the private part. */
export interface SigningKey {
  readonly kid: string
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly alg: 'EdDSA'
  readonly use: 'sig'
  readonly x: string
  readonly d: string
}

export type PublicKey = Omit<SigningKey, 'd'>

/** Newest first: that one signs, the others only verify. A key too old to sign is replaced by a new one. */
export async function loadSigningKeys(db: Database, root_keys: RootKeys): Promise<SigningKey[]> {
  const key_rows = await db.transaction(async (transaction) => {
    // Replicas that start together must make one key, not one each.
    await sql`SELECT pg_advisory_xact_lock(${lock_key})`.execute(transaction)
    const fresh = await sql`
      SELECT FROM oauth_signing_keys WHERE created_at > now() - ${key_days_max} * interval '1 day' LIMIT 1`.execute(
      transaction,
    )
    if (fresh.rows.length === 0) await addKey(transaction, root_keys)
    return sql<PublicRow & { sealed_seed: Buffer }>`
      SELECT kid, public_key, sealed_seed FROM oauth_signing_keys ${published}`.all(transaction)
  })
  return key_rows.map((row) => {
    const d = root_keys.open(purpose, row.sealed_seed, `oauth-signing/${row.kid}`).toString()
    return { ...publicKeyOf(row), d }
  })
}

/** Engines sign with it from their next look on; earlier ones stay published while their tokens can be valid. */
export async function renewSigningKey(db: Database, root_keys: RootKeys): Promise<string> {
  await sql`SELECT pg_advisory_xact_lock(${lock_key})`.execute(db)
  return await addKey(db, root_keys)
}

export interface ListedKey {
  readonly kid: string
  readonly created_at: Date
}

export async function listSigningKeys(db: Database): Promise<ListedKey[]> {
  return await sql<ListedKey>`SELECT kid, created_at FROM oauth_signing_keys ${published}`.all(db)
}

/** The public keys, for a process without the master key. It makes no key: only an engine signs. */
export async function loadPublicKeys(db: Database): Promise<PublicKey[]> {
  const rows = await sql<PublicRow>`SELECT kid, public_key FROM oauth_signing_keys ${published}`.all(db)
  return rows.map(publicKeyOf)
}

interface PublicRow {
  readonly kid: string
  readonly public_key: string
}

function publicKeyOf({ kid, public_key }: PublicRow): PublicKey {
  return { kid, kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', x: public_key }
}

async function addKey(db: Database, root_keys: RootKeys): Promise<string> {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as {
    x: string
    d: string
  }
  const kid = sha256Hex(x).slice(0, 16)
  await sql`
    INSERT INTO oauth_signing_keys (kid, public_key, sealed_seed, created_at)
    VALUES (${kid}, ${x}, ${root_keys.seal(purpose, d, `oauth-signing/${kid}`)}, now())`.execute(db)
  return kid
}
