import { generateKeyPairSync } from 'node:crypto'
import type { Tier } from '@svc/contract/authority/tier'
import type { Database } from '@svc/contract/database'
import { didOfKey } from '@svc/contract/identity/did'
import { sql } from '@svc/database/sql'

export async function ensureTenant(db: Database, tenant_id: string, name: string, tier: Tier): Promise<void> {
  await sql`
    INSERT INTO tenants (tenant_id, name, tier) VALUES (${tenant_id}, ${name}, ${tier})
    ON CONFLICT (tenant_id) DO NOTHING`.execute(db)
}

/** A new Ed25519 identity: the DID certifies the key, the caller keeps the seed. */
export function newIdentity(
  tenant_id: string,
  entity_kind: string,
): { did: string; public_key: string; private_key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x, d } = privateKey.export({ format: 'jwk' })
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url')
  return { did: didOfKey(tenant_id, entity_kind, raw), public_key: x as string, private_key: d as string }
}
