import { requireLiveIdentity } from '@svc/adapters/access/revocations'
import {
  createUser,
  disableUser,
  findLogin,
  findUser,
  listUsers,
  setPassword,
} from '@svc/adapters/accounts/users'
import type { Database } from '@svc/contract/operation-context'
import { ConfigError } from '../config-error.ts'
import { type Noun, requireDidOf, requireTenant } from './command.ts'
import { newRoot } from './identities.ts'
import { readPassword } from './read-password.ts'
import { recordChange } from './record.ts'
import { moreAfter } from './tenants.ts'

export const user: Noun = {
  add: {
    usage: 'user add <tenant> <login> [--name N] [--did DID]',
    summary: 'somebody who signs in; the password is typed, or one line on standard input',
    takes: ['name', 'did'],
    async run(work) {
      const { store, operator, terminal, values, names } = work
      const [tenant_id, login] = names as [string, string]
      if (values.did !== undefined) requireDidOf(tenant_id, values.did, '--did')
      await requireTenant(store.engine, tenant_id)
      const password = await readPassword(terminal)
      const did = values.did ?? (await newRoot(work, tenant_id, values.name ?? login)).did
      const { user_id } = await store.engine.transaction().execute(async (trx) => {
        await requireLiveIdentity(trx, tenant_id, did)
        const more = values.name === undefined ? {} : { name: values.name }
        const made = await createUser(trx, { tenant_id, login, password, did, ...more })
        const meta = { ...made, did }
        await recordChange(trx, operator, { tenant_id, command: 'user add', grants: true, meta })
        return made
      })
      return { rows: [{ user_id, tenant_id, login, did }] }
    },
  },
  list: {
    usage: 'user list <tenant> [--after LOGIN]',
    summary: 'who may sign in, 200 at a time',
    takes: ['after'],
    async run({ store, values, names }) {
      await requireTenant(store.engine, names[0]!)
      const rows = await listUsers(store.engine, names[0]!, values.after)
      const columns = ['login', 'name', 'did', 'disabled', 'has_password', 'oidc_issuer', 'created_at']
      return { rows, columns, ...moreAfter(rows, 'login') }
    },
  },
  disable: {
    usage: 'user disable <tenant> <login>',
    summary: 'ends their sessions and tokens at once; their API keys are revoked with key revoke',
    takes: [],
    async run({ store, operator, names }) {
      const [tenant_id, login] = names as [string, string]
      const user_id = await store.engine.transaction().execute(async (trx) => {
        const found = await requireUser(trx, tenant_id, login)
        if (!(await disableUser(trx, found))) throw new ConfigError(`${login} was disabled before.`)
        await recordChange(trx, operator, { tenant_id, command: 'user disable', meta: { user_id: found } })
        return found
      })
      return { rows: [{ user_id, login, disabled: true }] }
    },
  },
  password: {
    usage: 'user password <tenant> <login>',
    summary: 'a new password, typed or on standard input; every session ends',
    takes: [],
    async run({ store, operator, terminal, names }) {
      const [tenant_id, login] = names as [string, string]
      const user_id = await requireUser(store.engine, tenant_id, login)
      const password = await readPassword(terminal)
      await store.engine.transaction().execute(async (trx) => {
        if (!(await setPassword(trx, user_id, password)))
          throw new ConfigError(`${login} is not there any more; nothing was changed.`)
        await recordChange(trx, operator, { tenant_id, command: 'user password', meta: { user_id } })
      })
      return { rows: [{ user_id, login, password_changed: true }] }
    },
  },
}

async function requireUser(db: Database, tenant_id: string, login: string): Promise<string> {
  const found = await findLogin(db, login)
  const known = found && (await findUser(db, found.user_id))
  if (known?.tenant_id === tenant_id) return known.user_id
  throw new ConfigError(`${tenant_id} has no user ${login}; user list shows them.`)
}
