// Roles of people: which exist in an organization, who has which, and every change of it.
import {
  administrator,
  isBuiltIn,
  own_roles_max,
  type RoleChange,
  role_changes_max,
  role_form,
  role_holders_max,
  roles_of_person_max,
  type TenantRoles,
} from '@svc/contract/authority/role'
import type { Database } from '@svc/contract/database'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'

interface RoleRow extends RoleChange {
  readonly role: string
}

/** Read with the books, before calls: people who are disabled have none. Claims could make more than the limit: they come last. */
export async function rolesOf(db: Database, tenant_id: string): Promise<TenantRoles> {
  const [holders, changes] = await Promise.all([
    sql<{ did: string; roles: string[] }>`
      SELECT u.did, array_agg(DISTINCT r.role) AS roles FROM person_roles r JOIN users u USING (tenant_id, user_id)
      WHERE r.tenant_id = ${tenant_id} AND u.disabled_at IS NULL
      GROUP BY u.did ORDER BY bool_or(r.given = 'hand') DESC, min(r.given_at), u.did LIMIT ${role_holders_max}`.all(
      db,
    ),
    roleChanges(db, tenant_id),
  ])
  return { holders: new Map(holders.map(({ did, roles }) => [did, roles])), changes }
}

export async function roleChanges(db: Database, tenant_id: string): Promise<Map<string, RoleChange>> {
  const rows = await sql<RoleRow>`
    SELECT role, added, removed FROM roles WHERE tenant_id = ${tenant_id} ORDER BY role
    LIMIT ${own_roles_max + 5}`.all(db)
  return new Map(rows.map(({ role, added, removed }) => [role, { added, removed }]))
}

/** Adds to and takes out of what the role is now; if exact, of what it was at first, so that earlier changes end. */
export async function changeRole(
  db: Database,
  tenant_id: string,
  role: string,
  { added, removed, exact = false }: RoleChange & { readonly exact?: boolean },
  at: Date,
): Promise<RoleChange> {
  if (!role_form.test(role))
    throw invalid(
      'role name',
      'A role’s name has 1 to 32 small letters, digits and _, and begins with a letter.',
    )
  await lockRoles(db, tenant_id)
  const changes = await roleChanges(db, tenant_id)
  const before = (exact ? undefined : changes.get(role)) ?? { added: [], removed: [] }
  const without = (names: readonly string[], others: readonly string[]) =>
    names.filter((name) => !others.includes(name))
  const next = {
    added: [...new Set([...without(before.added, removed), ...added])].toSorted(),
    removed: isBuiltIn(role) ? [...new Set([...without(before.removed, added), ...removed])].toSorted() : [],
  }
  if (Math.max(next.added.length, next.removed.length) > role_changes_max)
    throw invalid('role size', `At most ${role_changes_max} names are added to or taken out of a role.`)
  if (!isBuiltIn(role) && next.added.length === 0)
    throw invalid('empty role', `The role ${role} would allow nothing; name what it allows, or remove it.`)
  const own = [...changes.keys()].filter((name) => !isBuiltIn(name))
  if (!isBuiltIn(role) && !changes.has(role) && own.length >= own_roles_max)
    throw invalid(
      'too many roles',
      `An organization has at most ${own_roles_max} roles of its own; remove one.`,
    )
  await sql`
    INSERT INTO roles (tenant_id, role, added, removed, changed_at)
    VALUES (${tenant_id}, ${role}, ${next.added}, ${next.removed}, ${at})
    ON CONFLICT (tenant_id, role) DO UPDATE SET added = excluded.added, removed = excluded.removed,
      changed_at = excluded.changed_at`.execute(db)
  return next
}

/** A built-in role is again what it was at first; one of the organization's own ends for everybody. False where nothing changed. */
export async function resetRole(db: Database, tenant_id: string, role: string): Promise<boolean> {
  await lockRoles(db, tenant_id)
  const { numAffectedRows } = await sql`
    DELETE FROM roles WHERE tenant_id = ${tenant_id} AND role = ${role}`.execute(db)
  if (!isBuiltIn(role))
    await sql`DELETE FROM person_roles WHERE tenant_id = ${tenant_id} AND role = ${role}`.execute(db)
  return numAffectedRows === 1n
}

/** Refuses a role that is not there; held until the end of the transaction, so that it does not go meanwhile. */
export async function requireRoles(db: Database, tenant_id: string, roles: readonly string[]): Promise<void> {
  if (roles.length === 0) return
  await lockRoles(db, tenant_id)
  const changes = await roleChanges(db, tenant_id)
  const absent = roles.find((role) => !isBuiltIn(role) && !changes.has(role))
  if (absent !== undefined)
    throw invalid(
      'no such role',
      `${tenant_id} has no role ${absent.slice(0, 64)}; make it first, or choose another.`,
    )
}

/** One change of roles at a time in an organization. */
export async function lockRoles(db: Database, tenant_id: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`roles ${tenant_id}`}, 0))`.execute(db)
}

type Given = 'hand' | 'claim'

/** Names that were not given so before. */
export async function giveRoles(
  db: Database,
  { tenant_id, user_id }: { readonly tenant_id: string; readonly user_id: string },
  roles: readonly string[],
  by: Given,
  at: Date,
): Promise<readonly string[]> {
  if (roles.length === 0) return []
  await requireRoles(db, tenant_id, roles)
  const rows = await sql<{ role: string }>`
    INSERT INTO person_roles (tenant_id, user_id, role, given, given_at)
    SELECT ${tenant_id}, ${user_id}, role, ${by}, ${at} FROM unnest(${[...roles]}::text[]) AS role
    ON CONFLICT DO NOTHING RETURNING role`.all(db)
  // Claims are bounded where roles are read: a sign-in does not fail for it.
  if (by === 'hand') await requireFew(db, tenant_id, user_id)
  return rows.map(({ role }) => role)
}

async function requireFew(db: Database, tenant_id: string, user_id: string): Promise<void> {
  const counts = await sql<{ own: number; people: number }>`
    SELECT count(DISTINCT role) FILTER (WHERE user_id = ${user_id})::int AS own,
      count(DISTINCT user_id)::int AS people FROM person_roles WHERE tenant_id = ${tenant_id}`.first(db)
  if (counts!.own > roles_of_person_max)
    throw invalid('too many roles', `A person has at most ${roles_of_person_max} roles; end one first.`)
  if (counts!.people > role_holders_max)
    throw invalid('too many people', `At most ${role_holders_max} people of an organization have roles.`)
}

/** However they were given; or only those given so. Names that ended. */
export async function endRoles(
  db: Database,
  { tenant_id, user_id }: { readonly tenant_id: string; readonly user_id: string },
  roles: readonly string[],
  by?: Given,
): Promise<readonly string[]> {
  const only = by === undefined ? sql`` : sql`AND given = ${by}`
  const rows = await sql<{ role: string }>`
    DELETE FROM person_roles WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}
      AND role = ANY(${[...roles]}::text[]) ${only} RETURNING role`.all(db)
  const ended = [...new Set(rows.map(({ role }) => role))]
  if (ended.includes(administrator)) await endInvitationsBy(db, tenant_id, user_id)
  return ended
}

/** Else an administrator who is none any more could become one again by a link of her own. */
async function endInvitationsBy(db: Database, tenant_id: string, user_id: string): Promise<void> {
  await sql`
    UPDATE invitations i SET ended_at = now(), ended_by = 'withdrawn' FROM users u
    WHERE u.tenant_id = ${tenant_id} AND u.user_id = ${user_id} AND i.tenant_id = u.tenant_id AND i.made_by = u.did
      AND i.ended_at IS NULL AND NOT EXISTS (SELECT FROM person_roles r
        WHERE r.tenant_id = u.tenant_id AND r.user_id = u.user_id AND r.role = ${administrator})`.execute(db)
}

/** Roles by login of those that were given by hand: what claims give follows each sign-in. */
export async function rolesByHand(db: Database, tenant_id: string): Promise<Map<string, readonly string[]>> {
  const rows = await sql<{ login: string; roles: string[] }>`
    SELECT u.login, array_agg(r.role::text ORDER BY r.role) AS roles
    FROM person_roles r JOIN users u USING (tenant_id, user_id)
    WHERE r.tenant_id = ${tenant_id} AND r.given = 'hand'
    GROUP BY u.login ORDER BY u.login LIMIT ${role_holders_max}`.all(db)
  return new Map(rows.map(({ login, roles }) => [login, roles]))
}

export async function rolesOfPerson(
  db: Database,
  { tenant_id, user_id }: { readonly tenant_id: string; readonly user_id: string },
): Promise<readonly string[]> {
  const rows = await sql<{ role: string }>`
    SELECT DISTINCT role FROM person_roles WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}
    ORDER BY role LIMIT ${2 * roles_of_person_max}`.all(db)
  return rows.map(({ role }) => role)
}

/** Identities of people with one of these roles. */
export async function didsWithRole(
  db: Database,
  tenant_id: string,
  roles: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  if (roles.length === 0) return []
  const rows = await sql<{ did: string }>`
    SELECT DISTINCT u.did FROM person_roles r JOIN users u USING (tenant_id, user_id)
    WHERE r.tenant_id = ${tenant_id} AND r.role = ANY(${[...roles]}::text[]) AND u.disabled_at IS NULL
    ORDER BY u.did LIMIT ${limit}`.all(db)
  return rows.map(({ did }) => did)
}

function invalid(reason: string, sentence: string): Refusal {
  return refuse('invalid_payload', sentence, { reason })
}
