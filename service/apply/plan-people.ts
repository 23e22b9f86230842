// People of an organization: new ones are invited by a link, roles of the others follow the file.
import { openInvitations } from '@svc/adapters/accounts/invitations'
import { rolesByHand } from '@svc/adapters/accounts/role-store'
import { findLogin, listUsers, requireLogin, type UserListing } from '@svc/adapters/accounts/users'
import type { Database } from '@svc/contract/database'
import { ConfigError } from '../settings/config-error.ts'
import type { TenantConfig } from './config-schema.ts'
import { option, type Plan, removeLater, settle } from './plan.ts'
import { requireRolesOf, type View } from './plan-tenant.ts'

const user_pages_max = 500

export async function planPeople(plan: Plan, view: View, config: TenantConfig): Promise<void> {
  const { id, people } = config
  if (!people) return
  const names = people.flatMap(({ roles = [] }) => roles)
  await requireRolesOf(view, config, names)
  const { db, at, prune } = view
  const users = await usersOf(db, id)
  const by_hand = await rolesByHand(db, id)
  const invitations = await openInvitations(db, id, at)
  const logins = new Set<string>()
  for (const { login: typed, name, roles = [] } of people) {
    const login = requireLogin(typed)
    logins.add(login)
    const what = `${id}: person ${login}`
    const user = users.get(login)
    if (user?.disabled) {
      plan.remaining.push({ what, needs: 'the account is disabled for good; give the person another login' })
    } else if (user) {
      const before = by_hand.get(login) ?? []
      settle(plan, what, { roles: before }, { roles }, () => {
        const added = roles.filter((role) => !before.includes(role))
        const ended = before.filter((role) => !roles.includes(role))
        return ['user', 'role', id, login, ...option('add', added), ...option('remove', ended)]
      })
    } else if (await findLogin(db, login)) {
      plan.remaining.push({
        what,
        needs: 'the login is that of somebody of another organization; choose another',
      })
    } else {
      const open = invitations.find((invitation) => invitation.login === login)
      const options = [...option('name', name ?? login), ...option('login', login), ...option('role', roles)]
      const before = open && { invited_with: open.roles }
      // The old link must not give what the new one does not.
      const differs = open && !sameSet(open.roles, roles)
      if (differs) {
        const args = ['user', 'withdraw', id, open.invitation_id]
        plan.steps.push({ action: 'remove', what: `${id}: invitation of ${login}`, changes: [], args })
      }
      settle(plan, what, differs ? undefined : before, { invited_with: roles }, () => [
        'user',
        'invite',
        id,
        ...options,
      ])
    }
  }
  if (!prune) return
  for (const { login, disabled } of users.values()) {
    if (logins.has(login) || disabled) continue
    removeLater(plan, `${id}: person ${login}`, ['user', 'disable', id, login])
  }
  for (const { invitation_id, login, name } of invitations)
    if (login === null || !logins.has(login))
      removeLater(plan, `${id}: invitation of ${login ?? name}`, ['user', 'withdraw', id, invitation_id])
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).symmetricDifference(new Set(other)).size === 0
}

async function usersOf(db: Database, tenant_id: string): Promise<Map<string, UserListing>> {
  const users = new Map<string, UserListing>()
  let after = ''
  for (let page = 0; page < user_pages_max; page++) {
    const rows = await listUsers(db, tenant_id, after)
    for (const row of rows) users.set(row.login, row)
    const last = rows.at(-1)
    if (!last) return users
    after = last.login
  }
  throw new ConfigError(`${tenant_id} has too many people to compare; leave out its section people.`)
}
