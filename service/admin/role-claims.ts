// Which claims of single sign-on give which roles.
import {
  addRoleClaim,
  claims_of_tenant_max,
  listRoleClaims,
  type RoleClaim,
  removeRoleClaim,
} from '@svc/adapters/accounts/role-claims'
import { requireRoles } from '@svc/adapters/accounts/role-store'
import { ConfigError } from '../settings/config-error.ts'
import { type Noun, requireTenant, type Work } from './command.ts'
import { recordChange } from './record.ts'
import type { Said } from './say.ts'

const text_chars_max = 500
/** Whoever can choose an email address there must not become somebody here. */
const not_by = ['email', 'email_verified', 'preferred_username', 'name']

export const claim_verbs: Noun = {
  claim: {
    usage: 'role claim <tenant> <role> --issuer URL --claim NAME=TEXT',
    summary: 'people whom this issuer signs in with this claim have the role, from sign-in to sign-in',
    takes: ['issuer', 'claim'],
    run: add,
  },
  claims: {
    usage: 'role claims <tenant>',
    summary: 'which claims give which roles',
    takes: [],
    async run({ store, names }) {
      await requireTenant(store.engine, names[0]!)
      const rows = await listRoleClaims(store.engine, names[0]!)
      return { rows, columns: ['role', 'issuer', 'claim', 'value'] }
    },
  },
  unclaim: {
    usage: 'role unclaim <tenant> <role> --issuer URL --claim NAME=TEXT',
    summary: 'the claim gives the role no longer, from the next sign-in on',
    takes: ['issuer', 'claim'],
    run: remove,
  },
}

async function add({ store, operator, values, names }: Work): Promise<Said> {
  const tenant_id = names[0]!
  const mapping = readMapping(names[1]!, values)
  if (not_by.includes(mapping.claim))
    throw new ConfigError(
      `People choose ${mapping.claim} themselves at many issuers, so it gives no role; use a claim such as groups.`,
    )
  await requireTenant(store.engine, tenant_id)
  await store.engine.transaction(async (trx) => {
    await requireRoles(trx, tenant_id, [mapping.role])
    if ((await listRoleClaims(trx, tenant_id)).length >= claims_of_tenant_max)
      throw new ConfigError(`${tenant_id} has ${claims_of_tenant_max} claims for roles; remove one first.`)
    if (!(await addRoleClaim(trx, tenant_id, mapping)))
      throw new ConfigError(`This claim gives the role ${mapping.role} already.`)
    const meta = { ...mapping, claimed: true }
    await recordChange(trx, operator, { tenant_id, command: 'role claim', event_type: 'RoleChanged', meta })
  })
  return { rows: [{ ...mapping }] }
}

async function remove({ store, operator, values, names }: Work): Promise<Said> {
  const tenant_id = names[0]!
  const mapping = readMapping(names[1]!, values)
  await store.engine.transaction(async (trx) => {
    if (!(await removeRoleClaim(trx, tenant_id, mapping)))
      throw new ConfigError(`${tenant_id} has no such claim; role claims shows them.`)
    const meta = { ...mapping, claimed: false }
    await recordChange(trx, operator, { tenant_id, command: 'role unclaim', event_type: 'RoleChanged', meta })
  })
  return { rows: [{ ...mapping, removed: true }] }
}

function readMapping(role: string, { issuer = '', claim: claims = [] }: Work['values']): RoleClaim {
  const [pair = ''] = claims
  const at = pair.indexOf('=')
  const is_address = /^https?:$/.test(URL.parse(issuer)?.protocol ?? '')
  if (!is_address || issuer.length > text_chars_max)
    throw new ConfigError('--issuer is the address of your OpenID issuer, as in SVC_OIDC_ISSUER.')
  if (claims.length !== 1 || at < 1 || at === pair.length - 1 || pair.length > text_chars_max)
    throw new ConfigError('--claim is NAME=TEXT, such as groups=accounting; once.')
  return { role, issuer, claim: pair.slice(0, at), value: pair.slice(at + 1) }
}
