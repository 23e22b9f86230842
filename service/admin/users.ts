import { requireLiveIdentity } from '@svc/adapters/access/revocations'
import { endRoles, giveRoles, rolesOfPerson } from '@svc/adapters/accounts/role-store'
import {
  createUser,
  disableUser,
  findLogin,
  findUser,
  listUsers,
  setPassword,
} from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import type { Database } from '@svc/contract/database'
import { makeIdentity } from '../assembly/identities.ts'
import { ConfigError } from '../settings/config-error.ts'
import { callableWith, readCapabilities } from './capability-names.ts'
import { type Noun, requireDidOf, requireTenant, type Work } from './command.ts'
import { homeOf } from './identities.ts'
import { invitation_verbs } from './invitations.ts'
import { readPassword } from './read-password.ts'
import { recordChange } from './record.ts'
import { capabilitiesByRoles } from './roles.ts'
import type { Said } from './say.ts'
import { moreAfter } from './tenants.ts'

export const user: Noun = {
  add: {
    usage: 'user add <tenant> <login> [--name N] [--role R ...] [--did DID | --capability C ...]',
    summary:
      'adds a person who can sign in, with their roles and capabilities; the password is typed, or one line on standard input',
    takes: ['name', 'role', 'did', 'capability'],
    async run(work) {
      const { store, operator, terminal, values, names } = work
      const [tenant_id, login] = names as [string, string]
      const { did: own_did, name, role: roles = [] } = values
      if (own_did !== undefined) requireDidOf(tenant_id, own_did, '--did')
      if (own_did !== undefined && values.capability)
        throw new ConfigError(
          'Write either --did or --capability: an existing identity keeps its own capabilities.',
        )
      await requireTenant(store.engine, tenant_id)
      const capabilities = await readCapabilities(store.engine, values.capability)
      const password = await readPassword(terminal)
      const row = await store.engine.transaction(async (trx) => {
        let user_id = ''
        const keep = async (did: string) => {
          await requireLiveIdentity(trx, tenant_id, did)
          const new_user = { tenant_id, login, password, did, ...(name && { name }) }
          ;({ user_id } = await createUser(trx, system_clock, new_user))
          await giveRoles(trx, { tenant_id, user_id }, roles, 'hand', momentOf(operator))
          const meta = {
            user_id,
            did,
            roles,
            capabilities: capabilities.map((capability) => capability.name),
          }
          await recordChange(trx, operator, { tenant_id, command: 'user add', grants: true, meta })
        }
        if (own_did === undefined) {
          // A person gets an identity whose key the engine keeps, so that agents can descend from it.
          const root = {
            tenant_id,
            entity_kind: 'HumanRoot',
            custody: 'engine',
            name: name ?? login,
          } as const
          const { did } = await makeIdentity(await homeOf(work, trx), { ...root, capabilities }, keep)
          return { user_id, tenant_id, login, did, roles }
        }
        await keep(own_did)
        return { user_id, tenant_id, login, did: own_did, roles }
      })
      if (own_did !== undefined) return { rows: [row] }
      const by_roles = await capabilitiesByRoles(store.engine, tenant_id, roles)
      const can_call = await callableWith(store.engine, [...capabilities, ...by_roles])
      return { rows: [{ ...row, can_call }] }
    },
  },
  list: {
    usage: 'user list <tenant> [--after LOGIN]',
    summary: 'who may sign in, 200 at a time',
    takes: ['after'],
    async run({ store, values, names }) {
      await requireTenant(store.engine, names[0]!)
      const rows = await listUsers(store.engine, names[0]!, values.after)
      const columns = [
        'login',
        'name',
        'roles',
        'did',
        'disabled',
        'has_password',
        'oidc_issuer',
        'created_at',
      ]
      return { rows, columns, ...moreAfter(rows, 'login') }
    },
  },
  role: {
    usage: 'user role <tenant> <login> [--add R ...] [--remove R ...]',
    summary: 'gives and ends roles, at once on every engine; without an option it shows them',
    takes: ['add', 'remove'],
    run: changeRolesOf,
  },
  ...invitation_verbs,
  disable: {
    usage: 'user disable <tenant> <login>',
    summary: 'ends their sessions, tokens, invitations and the keys they made, at once',
    takes: [],
    async run({ store, operator, names }) {
      const [tenant_id, login] = names as [string, string]
      const user_id = await store.engine.transaction(async (trx) => {
        const id = await requireUser(trx, tenant_id, login)
        if (!(await disableUser(trx, id))) throw new ConfigError(`${login} is already disabled.`)
        await recordChange(trx, operator, { tenant_id, command: 'user disable', meta: { user_id: id } })
        return id
      })
      return { rows: [{ user_id, login, disabled: true }] }
    },
  },
  password: {
    usage: 'user password <tenant> <login>',
    summary: 'sets a new password, typed or on standard input; ends every session',
    takes: [],
    async run({ store, operator, terminal, names }) {
      const [tenant_id, login] = names as [string, string]
      const user_id = await requireUser(store.engine, tenant_id, login)
      const password = await readPassword(terminal)
      await store.engine.transaction(async (trx) => {
        if (!(await setPassword(trx, user_id, password)))
          throw new ConfigError(`${login} no longer exists; nothing was changed.`)
        await recordChange(trx, operator, { tenant_id, command: 'user password', meta: { user_id } })
      })
      return { rows: [{ user_id, login, password_changed: true }] }
    },
  },
}

async function changeRolesOf({ store, operator, values, names }: Work): Promise<Said> {
  const [tenant_id, login] = names as [string, string]
  const { add = [], remove = [] } = values
  const roles = await store.engine.transaction(async (trx) => {
    const user_id = await requireUser(trx, tenant_id, login)
    const person = { tenant_id, user_id }
    const ended = await endRoles(trx, person, remove)
    const added = await giveRoles(trx, person, add, 'hand', momentOf(operator))
    const left = remove.find((role) => !ended.includes(role))
    if (left !== undefined)
      throw new ConfigError(`${login} does not have the role ${left}; nothing was changed.`)
    const meta = { user_id, added, ended }
    if (added.length + ended.length > 0)
      await recordChange(trx, operator, {
        ...{ tenant_id, command: 'user role', meta },
        event_type: 'PersonChanged',
      })
    return await rolesOfPerson(trx, person)
  })
  return { rows: [{ login, roles }] }
}

function momentOf({ clock }: Work['operator']): Date {
  return new Date(clock.now_ms())
}

async function requireUser(db: Database, tenant_id: string, login: string): Promise<string> {
  const credentials = await findLogin(db, login)
  const user = credentials && (await findUser(db, credentials.user_id))
  if (user?.tenant_id === tenant_id) return user.user_id
  throw new ConfigError(`${tenant_id} has no user ${login}; user list shows them.`)
}
