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

export interface TenantQuestion {
  readonly after?: string
  /** Part of an id or a name. */
  readonly search?: string
  readonly limit: number
}

export interface TenantWithAccess extends TenantListing {
  /** Keys that can authenticate now. */
  readonly live_keys: number
  readonly charter_members: number
}

/** By id. Whatever belongs to a tenant is counted for this page only. */
export async function pageOfTenants(
  db: Database,
  { after = '', search = '', limit }: TenantQuestion,
): Promise<TenantWithAccess[]> {
  return sql<TenantWithAccess>`
    SELECT t.tenant_id, t.name, t.tier, t.created_at,
      (SELECT count(*) FROM api_keys k WHERE k.tenant_id = t.tenant_id AND k.revoked_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > now()))::integer AS live_keys,
      (SELECT count(*) FROM charter_members m
        WHERE m.tenant_id = t.tenant_id AND m.until IS NULL)::integer AS charter_members
    FROM tenants t
    WHERE t.tenant_id > ${after} AND strpos(lower(t.tenant_id || ' ' || t.name), lower(${search})) > 0
    ORDER BY t.tenant_id LIMIT ${Math.min(limit, tenants_listed_max)}`.all(db)
}

/** Keys that can authenticate now. */
export async function countLiveKeys(db: Database, tenant_id: string): Promise<number> {
  const row = await sql<{ keys: string }>`
    SELECT count(*) AS keys FROM api_keys
    WHERE tenant_id = ${tenant_id} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())`.first(db)
  return Number(row?.keys ?? 0)
}
