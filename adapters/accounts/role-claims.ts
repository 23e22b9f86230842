// Single sign-on: which claims of an issuer give which roles, and their effect at each sign-in.
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import { isBuiltIn, roles_of_person_max } from '@svc/contract/authority/role'
import type { Database } from '@svc/contract/database'
import { claimAt } from '@svc/contract/identity/claim'
import { sql } from '@svc/database/sql'
import type { Clock } from '@svc/engine/ports'
import { entryOf } from './accepting.ts'
import { endRoles, giveRoles, lockRoles, roleChanges } from './role-store.ts'
import type { User } from './users.ts'

export const claims_of_tenant_max = 500

export interface RoleClaim {
  readonly issuer: string
  readonly claim: string
  readonly value: string
  readonly role: string
}

export async function addRoleClaim(db: Database, tenant_id: string, mapping: RoleClaim): Promise<boolean> {
  const { issuer, claim, value, role } = mapping
  const { numAffectedRows } = await sql`
    INSERT INTO role_claims (tenant_id, issuer, claim, value, role)
    VALUES (${tenant_id}, ${issuer}, ${claim}, ${value}, ${role}) ON CONFLICT DO NOTHING`.execute(db)
  return numAffectedRows === 1n
}

/** What it gave ends at each person's next sign-in. */
export async function removeRoleClaim(db: Database, tenant_id: string, mapping: RoleClaim): Promise<boolean> {
  const { issuer, claim, value, role } = mapping
  const { numAffectedRows } = await sql`
    DELETE FROM role_claims WHERE tenant_id = ${tenant_id} AND issuer = ${issuer} AND claim = ${claim}
      AND value = ${value} AND role = ${role}`.execute(db)
  return numAffectedRows === 1n
}

export async function listRoleClaims(db: Database, tenant_id: string): Promise<RoleClaim[]> {
  return sql<RoleClaim>`
    SELECT issuer, claim, value, role FROM role_claims WHERE tenant_id = ${tenant_id}
    ORDER BY role, issuer, claim, value LIMIT ${claims_of_tenant_max}`.all(db)
}

export async function applyClaims(
  db: Database,
  clock: Clock,
  { tenant_id, user_id, did }: User,
  claims: Readonly<Record<string, unknown>>,
): Promise<void> {
  const person = { tenant_id, user_id }
  await db.transaction(async (trx) => {
    await lockRoles(trx, tenant_id)
    const now = await rolesBy(trx, tenant_id, claims)
    const before = await sql<{ role: string }>`
      SELECT role FROM person_roles WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND given = 'claim'
      LIMIT ${roles_of_person_max}`.all(trx)
    const gone = before.map(({ role }) => role).filter((role) => !now.includes(role))
    const ended = await endRoles(trx, person, gone, 'claim')
    const added = await giveRoles(trx, person, now, 'claim', new Date(clock.now_ms()))
    if (added.length + ended.length === 0) return
    const meta = { user_id, did, given: added, ended, by: 'claims' }
    await leaveInOutbox(trx, entryOf(clock, 'PersonChanged', tenant_id, did, meta))
  })
}

/** A claim that is absent gives nothing, and neither does a role that no longer exists. */
async function rolesBy(
  db: Database,
  tenant_id: string,
  claims: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const changes = await roleChanges(db, tenant_id)
  const mappings = await listRoleClaims(db, tenant_id)
  const fitting = mappings.filter(
    ({ issuer, claim, value, role }) =>
      issuer === claims.iss && (isBuiltIn(role) || changes.has(role)) && fits(claimAt(claims, claim), value),
  )
  return [...new Set(fitting.map(({ role }) => role))].slice(0, roles_of_person_max)
}

/** The exact text, or a list with it, such as groups. */
function fits(value: unknown, expected: string): boolean {
  return Array.isArray(value) ? value.includes(expected) : value === expected
}
