// Tenants as an operator sees them.

import type { Tier } from '@svc/contract/authority/tier'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

export interface TenantListing {
  readonly tenant_id: string
  readonly name: string
  readonly tier: Tier
  readonly created_at: Date
}

const tenants_listed_max = 200

/** False if a tenant with this id exists; it is not changed. */
export async function createTenant(
  db: Database,
  tenant_id: string,
  name: string,
  tier: Tier,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO tenants (tenant_id, name, tier) VALUES (${tenant_id}, ${name}, ${tier})
    ON CONFLICT (tenant_id) DO NOTHING`.execute(db)
  return numAffectedRows === 1n
}

export async function listTenants(
  db: Database,
  after_id = '',
  limit = tenants_listed_max,
): Promise<TenantListing[]> {
  return sql<TenantListing>`
    SELECT tenant_id, name, tier, created_at FROM tenants WHERE tenant_id > ${after_id}
    ORDER BY tenant_id LIMIT ${Math.min(limit, tenants_listed_max)}`.all(db)
}

export async function findTenant(db: Database, tenant_id: string): Promise<TenantListing | undefined> {
  return sql<TenantListing>`
    SELECT tenant_id, name, tier, created_at FROM tenants WHERE tenant_id = ${tenant_id}`.first(db)
}

/** Keys that can authenticate now. */
export async function countLiveKeys(db: Database, tenant_id: string): Promise<number> {
  const row = await sql<{ keys: string }>`
    SELECT count(*) AS keys FROM api_keys
    WHERE tenant_id = ${tenant_id} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())`.first(db)
  return Number(row?.keys ?? 0)
}
