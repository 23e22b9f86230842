import type { Database } from '@svc/contract/database'
import { Qty } from '@svc/contract/money/money'
import { CapabilityName, Closed, described, ListOf, Text } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'

const prices_max = 64

export const Profile = Closed({
  display_name: Type.Optional(Text(128, { description: 'For people to read.' })),
  skills: Type.Optional(described(ListOf(Text(64), 0, 64), 'What it can do, in its own words.')),
  unit_prices: Type.Optional(
    described(
      ListOf(
        Closed({
          capability: described(CapabilityName, 'Capability that is offered.'),
          asset_id: Text(64, { description: 'Asset in which it is paid.' }),
          amount: described(Qty, 'Price of one call, in the smallest unit of the asset.'),
        }),
        0,
        prices_max,
      ),
      'What it asks for its work; stated by itself.',
    ),
  ),
  capacity_per_hour: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Calls it can serve in an hour; stated by itself.',
    }),
  ),
  accepts_bids: Type.Optional(Type.Boolean({ description: 'Whether it wants to be invited to tenders.' })),
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
