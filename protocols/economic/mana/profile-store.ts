// What agents say of themselves, each time as a new version.
import type { Database } from '@svc/contract/operation-context'
import { sql } from 'kysely'
import type { Profile } from './profile.ts'

export interface ProfileVersion {
  readonly version: number
  readonly profile: Profile
}

export async function findProfile(
  db: Database,
  tenant_id: string,
  did: string,
): Promise<ProfileVersion | undefined> {
  const { rows } = await sql<ProfileVersion>`
    SELECT version, profile FROM profiles WHERE tenant_id = ${tenant_id} AND did = ${did}
    ORDER BY version DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** One saying of an agent at a time; the first has no row to lock. */
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
