import type { Database } from '@svc/contract/database'
import { Qty } from '@svc/contract/money/money'
import { CapabilityName, Closed, ListOf, Text } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'

const prices_max = 64

export const Profile = Closed({
  display_name: Type.Optional(Text(128)),
  skills: Type.Optional(ListOf(Text(64), 0, 64)),
  unit_prices: Type.Optional(
    ListOf(Closed({ capability: CapabilityName, asset_id: Text(64), amount: Qty }), 0, prices_max),
  ),
  capacity_per_hour: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  accepts_bids: Type.Optional(Type.Boolean()),
})

export type Profile = Static<typeof Profile>

export interface ProfileVersion {
  readonly version: number
  readonly profile: Profile
}

export async function findProfile(
  db: Database,
  tenant_id: string,
  did: string,
): Promise<ProfileVersion | undefined> {
  return sql<ProfileVersion>`
    SELECT version, profile FROM profiles WHERE tenant_id = ${tenant_id} AND did = ${did}
    ORDER BY version DESC LIMIT 1`.first(db)
}

/** Serializes an agent's updates; the first has no row to lock. */
export async function lockProfile(db: Database, tenant_id: string, did: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`profile|${tenant_id}|${did}`}, 0))`.execute(db)
}

export async function addProfile(
  db: Database,
  tenant_id: string,
  did: string,
  { version, profile }: ProfileVersion,
  by: { readonly did: string; readonly at: string },
): Promise<void> {
  await sql`
    INSERT INTO profiles (tenant_id, did, version, profile, set_by, set_at)
    VALUES (${tenant_id}, ${did}, ${version}, ${JSON.stringify(profile)}, ${by.did}, ${by.at})`.execute(db)
}
