// The engine's own witness key: made at first use, sealed by the root keys, the same for every replica.
import { generateKeyPairSync, hash } from 'node:crypto'
import { privateKeyOf } from '@svc/contract/signing/signature'
import type { Query } from '../query/client-query.ts'
import type { RootKeys } from '../sealing/root-keys.ts'
import type { CosigningKey } from './cosign.ts'

const key_purpose = 'witness-key'

interface KeyRow {
  readonly witness_name: string
  readonly public_key: Buffer
  readonly sealed_private: Buffer
}

export async function witnessKey(query: Query, root_keys: RootKeys): Promise<CosigningKey> {
  const row = (await findKey(query)) ?? (await makeKey(query, root_keys))
  const seed = root_keys.open(key_purpose, row.sealed_private, sealName(row.witness_name))
  return { name: row.witness_name, public_key: row.public_key, private_key: privateKeyOf(seed) }
}

/** Replicas that start together create one key: the first one stays. */
async function makeKey(query: Query, root_keys: RootKeys): Promise<KeyRow> {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const public_key = Buffer.from(x, 'base64url')
  // Named by the key, because two engines may be run by organizations of the same name.
  const name = `svc-witness/${hash('sha256', public_key, 'hex').slice(0, 16)}`
  const sealed = root_keys.seal(key_purpose, Buffer.from(d, 'base64url'), sealName(name))
  await query(
    `INSERT INTO witness_key (witness_name, public_key, sealed_private) VALUES ($1, $2, $3)
     ON CONFLICT DO NOTHING`,
    [name, public_key, sealed],
  )
  return (await findKey(query))!
}

async function findKey(query: Query): Promise<KeyRow | undefined> {
  const rows = await query<KeyRow>('SELECT witness_name, public_key, sealed_private FROM witness_key', [])
  return rows[0]
}

function sealName(name: string): string {
  return `witness key of ${name}`
}
