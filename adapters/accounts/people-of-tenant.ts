// People, invitations and roles of one organization, for operations of its administrators.
import { isBuiltIn, type RoleTable } from '@svc/contract/authority/role'
import type { Database } from '@svc/contract/database'
import type { ListedPerson, People } from '@svc/contract/needs/people'
import type { CallContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { addInvitation, endInvitation, openInvitations, token_bytes } from './invitations.ts'
import { changeRole, endRoles, giveRoles, resetRole, roleChanges } from './role-store.ts'

interface Parts {
  readonly table: RoleTable
  /** Read late: the public address may be known only once we listen. */
  linkOf(token: string): string
}

export function peopleOfTenant(context: CallContext, { table, linkOf }: Parts): People {
  const { db, tenant_id, caller } = context
  const at = new Date(context.now)
  return {
    list: (after_login, limit) => readPeople(db, tenant_id, sql`login > ${after_login}`, limit),
    find: async (login) => (await readPeople(db, tenant_id, sql`login = ${login}`, 1))[0],
    ofDid: async (did) => (await readPeople(db, tenant_id, sql`did = ${did} AND disabled_at IS NULL`, 1))[0],
    holders: (role, limit) =>
      readPeople(
        db,
        tenant_id,
        sql`disabled_at IS NULL AND EXISTS (SELECT FROM person_roles h
          WHERE h.tenant_id = u.tenant_id AND h.user_id = u.user_id AND h.role = ${role})`,
        limit,
      ),
    async changeRoles(user_id, give, end) {
      const person = { tenant_id, user_id }
      const ended = await endRoles(db, person, end)
      return { given: await giveRoles(db, person, give, 'hand', at), ended }
    },
    async disable(user_id) {
      const row = await sql<{ disabled: boolean }>`SELECT svc_disable_person(${user_id}) AS disabled`.first(
        db,
      )
      return row!.disabled
    },
    async invite(invitation) {
      const [invitation_id, token] = [context.newId(), context.randomBytes(token_bytes).toString('base64url')]
      const maker = { tenant_id, made_by: caller.did, at }
      await addInvitation(db, maker, invitation, { invitation_id, token })
      return { invitation_id, link: linkOf(token) }
    },
    async openInvitations() {
      const open = await openInvitations(db, tenant_id, at)
      return open.map(({ login: _, ...invitation }) => invitation)
    },
    withdraw: (invitation_id) => endInvitation(db, tenant_id, invitation_id, 'withdrawn', at),
    async roles() {
      const changes = await roleChanges(db, tenant_id)
      return table.names(changes).map((role) => ({
        role,
        built_in: isBuiltIn(role),
        added: changes.get(role)?.added ?? [],
        removed: changes.get(role)?.removed ?? [],
        capabilities: table.capabilitiesOf(role, changes)!,
      }))
    },
    async changeRole(role, change) {
      await changeRole(db, tenant_id, role, change, at)
    },
    resetRole: (role) => resetRole(db, tenant_id, role),
    isGrantable: table.isGrantable,
  }
}

function readPeople(
  db: Database,
  tenant_id: string,
  which: ReturnType<typeof sql>,
  limit: number,
): Promise<ListedPerson[]> {
  return sql<ListedPerson>`
    SELECT user_id, login, name, did, disabled_at IS NOT NULL AS disabled,
      password_changed_at IS NOT NULL AS has_password, oidc_issuer,
      ARRAY(SELECT DISTINCT role::text FROM person_roles r
        WHERE r.tenant_id = u.tenant_id AND r.user_id = u.user_id ORDER BY 1) AS roles,
      ARRAY(SELECT role::text FROM person_roles r
        WHERE r.tenant_id = u.tenant_id AND r.user_id = u.user_id AND given = 'claim' ORDER BY 1) AS claimed_roles,
      date_trunc('milliseconds', created_at) AS created_at
    FROM users u WHERE tenant_id = ${tenant_id} AND ${which} ORDER BY login LIMIT ${limit}`.all(db)
}
