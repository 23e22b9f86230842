// Invitations of people by a link.
import {
  addInvitation,
  endInvitation,
  openInvitations,
  token_bytes,
} from '@svc/adapters/accounts/invitations'
import { findLogin, requireLogin } from '@svc/adapters/accounts/users'
import type { Database } from '@svc/contract/database'
import { invitationLink } from '@svc/gateway/oauth/invitation-link'
import { ConfigError } from '../settings/config-error.ts'
import { type Noun, requireTenant, type Work } from './command.ts'
import { recordChange } from './record.ts'
import type { Said } from './say.ts'

const day_ms = 24 * 3_600_000
const days_default = 7
const days_max = 30
const name_chars_max = 128

export const invitation_verbs: Noun = {
  invite: {
    usage: 'user invite <tenant> --name N [--role R ...] [--login L] [--days D]',
    summary: `makes a link, good once and for ${days_default} days, by which a person chooses login and password; --login fixes the login`,
    takes: ['name', 'role', 'login', 'days'],
    run: invite,
  },
  invitations: {
    usage: 'user invitations <tenant>',
    summary: 'the invitations that are still open',
    takes: [],
    async run({ store, operator, names }) {
      await requireTenant(store.engine, names[0]!)
      const rows = await openInvitations(store.engine, names[0]!, new Date(operator.clock.now_ms()))
      return { rows, columns: ['invitation_id', 'name', 'login', 'roles', 'made_at', 'expires_at'] }
    },
  },
  withdraw: {
    usage: 'user withdraw <tenant> <invitation-id>',
    summary: 'the link of this invitation opens nothing any more',
    takes: [],
    run: withdraw,
  },
}

async function invite({ store, operator, target, values, names }: Work): Promise<Said> {
  const tenant_id = names[0]!
  const { name = '', role: roles = [] } = values
  if (name.trim() === '' || name.length > name_chars_max)
    throw new ConfigError(`--name is the person's name, of 1 to ${name_chars_max} characters.`)
  const days = Number(values.days ?? days_default)
  if (!Number.isInteger(days) || days < 1 || days > days_max)
    throw new ConfigError(`--days is a whole number from 1 to ${days_max}.`)
  await requireTenant(store.engine, tenant_id)
  const login = await readLogin(store.engine, values.login)
  const { clock } = operator
  const at = new Date(clock.now_ms())
  const expires_at = new Date(at.getTime() + days * day_ms).toISOString()
  const [invitation_id, token] = [clock.uuid(), clock.randomBytes(token_bytes).toString('base64url')]
  await store.engine.transaction(async (trx) => {
    const maker = { tenant_id, made_by: 'operator', at }
    await addInvitation(
      trx,
      maker,
      { name, roles: [...new Set(roles)], expires_at, login },
      { invitation_id, token },
    )
    const meta = { invitation_id, roles, expires_at }
    await recordChange(trx, operator, {
      tenant_id,
      command: 'user invite',
      event_type: 'PersonInvited',
      meta,
    })
  })
  const public_url = target.read('SVC_PUBLIC_URL')?.replace(/\/$/, '')
  const link = invitationLink(public_url ?? '', token)
  const note = 'Send the link over a private channel: whoever opens it first has the account.'
  const without = 'SVC_PUBLIC_URL is not set: put the address of your engine before the link.'
  return {
    rows: [{ invitation_id, name, ...(login !== undefined && { login }), roles, expires_at, link }],
    note: public_url === undefined ? `${without} ${note}` : note,
  }
}

/** A login that is taken would make a link that nobody can use. */
async function readLogin(db: Database, text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined
  const login = requireLogin(text)
  if (await findLogin(db, login))
    throw new ConfigError(`Somebody already signs in as ${login}; choose another login.`)
  return login
}

async function withdraw({ store, operator, names }: Work): Promise<Said> {
  const [tenant_id, invitation_id] = names as [string, string]
  await store.engine.transaction(async (trx) => {
    const at = new Date(operator.clock.now_ms())
    if (!(await endInvitation(trx, tenant_id, invitation_id, 'withdrawn', at)))
      throw new ConfigError(
        `${tenant_id} has no open invitation ${invitation_id}; user invitations shows them.`,
      )
    const meta = { invitation_id, by: 'withdrawn' }
    await recordChange(trx, operator, {
      ...{ tenant_id, command: 'user withdraw', meta },
      event_type: 'InvitationEnded',
    })
  })
  return { rows: [{ invitation_id, withdrawn: true }] }
}
