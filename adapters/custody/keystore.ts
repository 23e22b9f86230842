// Seeds of identities in the engine's custody, sealed by the root keys and bound to their DID.
import { randomBytes } from 'node:crypto'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import { childDid, childSeed } from '@svc/contract/identity/lineage'
import type { Custody } from '@svc/contract/needs/custody'
import { refuse } from '@svc/contract/refusal'
import { privateKeyOf, publicKeyOf, signText } from '@svc/contract/signing/signature'
import { app_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import type { Keystore } from '@svc/engine/ports'
import { vaults } from './vault.ts'

export const custody_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-15-keystore',
    sql: `
      CREATE TABLE keystore (
        tenant_id text NOT NULL,
        did text NOT NULL,
        public_key text NOT NULL,
        sealed_seed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant_id, did)
      );
      ${isolateByTenant('keystore', ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
    `,
  },
  {
    // Lists are ordered by DID, whatever the collation of the database.
    name: '2026-11-20-25-keystore-listed',
    sql: 'CREATE INDEX keystore_of_did ON keystore (tenant_id, did COLLATE "C");',
  },
  {
    // The next key of an identity waits beside the one in use; former ones stay for what was derived from them.
    name: '2026-11-25-02-keystore-next',
    sql: `
      ALTER TABLE keystore ADD COLUMN sequence int NOT NULL DEFAULT 0;
      ALTER TABLE keystore ADD COLUMN in_use boolean NOT NULL DEFAULT true;
      ALTER TABLE keystore DROP CONSTRAINT keystore_pkey;
      ALTER TABLE keystore ADD PRIMARY KEY (tenant_id, did, sequence);
      GRANT UPDATE (in_use) ON keystore TO ${app_role};
    `,
  },
]

const purpose = 'keystore'
const text_purpose = 'kept-text'

export function openKeystore(root_keys: RootKeys): Keystore {
  return {
    open: (tenant_id, db) => custodyOf(root_keys, tenant_id, db),
    sealText: (text, name) => root_keys.seal(text_purpose, text, name).toString('base64url'),
    openText: (sealed, name) =>
      root_keys.open(text_purpose, Buffer.from(sealed, 'base64url'), name).toString(),
    vault: vaults(root_keys),
  }
}

/** Puts an identity's seed into custody; an existing one is not changed. */
export async function keepSeed(
  db: Database,
  root_keys: RootKeys,
  tenant_id: string,
  did: string,
  seed: Uint8Array,
): Promise<void> {
  await insertSeed(db, root_keys, tenant_id, did, seed)
}

function custodyOf(root_keys: RootKeys, tenant_id: string, db: Database): Custody {
  return {
    async publicKeyOf(did) {
      return (await findKey(db, tenant_id, did))?.public_key
    },
    async sign(did, text) {
      const seed = await openSeed(db, root_keys, tenant_id, did)
      if (!seed) return undefined
      const key = privateKeyOf(seed)
      return { public_key: publicKeyOf(key), signature: signText(key, text) }
    },
    async derive(parent_did, descent) {
      const parent = await openSeed(db, root_keys, tenant_id, parent_did)
      if (!parent) return undefined
      const seed = childSeed(parent, parent_did, descent)
      const public_key = publicKeyOf(privateKeyOf(seed))
      const did = childDid(parseDid(parent_did)!.namespace, descent.entity_kind, public_key)
      await insertSeed(db, root_keys, tenant_id, did, seed)
      return { did, public_key }
    },
    reserve: (did) => reserveKey(db, root_keys, tenant_id, did),
    async reserved(did) {
      const rows = await sql<{ public_key: string }>`
        SELECT public_key FROM keystore WHERE tenant_id = ${tenant_id} AND did = ${did} AND NOT in_use`.all(
        db,
      )
      return rows.map(({ public_key }) => public_key)
    },
    async use(did, public_key) {
      const { numAffectedRows } = await sql`
        UPDATE keystore SET in_use = true
        WHERE tenant_id = ${tenant_id} AND did = ${did} AND public_key = ${public_key}`.execute(db)
      if (numAffectedRows !== 1n) throw new Error(`no key of ${did} is reserved`)
    },
  }
}

const keys_max = 200

async function reserveKey(
  db: Database,
  root_keys: RootKeys,
  tenant_id: string,
  did: string,
): Promise<string> {
  const row = await sql<{ sequence: number }>`
    SELECT max(sequence) AS sequence FROM keystore WHERE tenant_id = ${tenant_id} AND did = ${did}`.first(db)
  const sequence = (row?.sequence ?? 0) + 1
  if (sequence > keys_max)
    throw refuse('policy_denied', `This identity has had ${keys_max} keys; derive a new one.`, {
      reason: 'too many keys',
    })
  const seed = randomBytes(32)
  const public_key = publicKeyOf(privateKeyOf(seed))
  const sealed = root_keys.seal(purpose, seed, seedName(tenant_id, did, sequence))
  await sql`
    INSERT INTO keystore (tenant_id, did, public_key, sealed_seed, sequence, in_use)
    VALUES (${tenant_id}, ${did}, ${public_key}, ${sealed}, ${sequence}, false)`.execute(db)
  return public_key
}

interface KeyRow {
  readonly public_key: string
  readonly sealed_seed: Buffer
  readonly sequence: number
}

async function findKey(db: Database, tenant_id: string, did: string): Promise<KeyRow | undefined> {
  return sql<KeyRow>`
    SELECT public_key, sealed_seed, sequence FROM keystore WHERE tenant_id = ${tenant_id} AND did = ${did} AND in_use
    ORDER BY sequence DESC LIMIT 1`.first(db)
}

async function openSeed(db: Database, root_keys: RootKeys, tenant_id: string, did: string) {
  const row = await findKey(db, tenant_id, did)
  return row && root_keys.open(purpose, row.sealed_seed, seedName(tenant_id, did, row.sequence))
}

async function insertSeed(
  db: Database,
  root_keys: RootKeys,
  tenant_id: string,
  did: string,
  seed: Uint8Array,
): Promise<void> {
  const public_key = publicKeyOf(privateKeyOf(seed))
  const sealed = root_keys.seal(purpose, seed, seedName(tenant_id, did, 0))
  await sql`
    INSERT INTO keystore (tenant_id, did, public_key, sealed_seed)
    VALUES (${tenant_id}, ${did}, ${public_key}, ${sealed}) ON CONFLICT DO NOTHING`.execute(db)
}

function seedName(tenant_id: string, did: string, sequence: number): string {
  return `seed${sequence === 0 ? '' : ` ${sequence}`} of ${did} in ${tenant_id}`
}
