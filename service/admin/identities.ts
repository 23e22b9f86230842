import { satAt } from '@svc/adapters/access/charter'
import { revokeIdentity } from '@svc/adapters/access/revocations'
import { newIdentity } from '@svc/adapters/access/tenants'
import { disableUser, listUsers } from '@svc/adapters/accounts/users'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { closest } from '@svc/contract/closest'
import { parseDid } from '@svc/contract/did'
import { derived_kinds, root_kinds } from '@svc/contract/identity'
import type { Database } from '@svc/contract/operation-context'
import { ConfigError } from '../config.ts'
import { type Noun, requireTenant } from './command.ts'
import { recordChange } from './record.ts'

export interface ProvisionedIdentity {
  readonly did: string
  readonly public_key: string
  /** Shown to whoever asked, once, and kept nowhere. */
  readonly private_key: string
}

/** The one place where an operator's identities come from. */
export async function provisionIdentity(
  _store: PostgresStore,
  tenant_id: string,
  kind: string,
): Promise<ProvisionedIdentity> {
  return newIdentity(tenant_id, kind)
}

/** As a DID writes them: `human-root` for HumanRoot. */
const kinds = [...root_kinds, ...derived_kinds].map((kind) =>
  kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase(),
)

export const identity: Noun = {
  create: {
    usage: 'identity create <tenant> --kind K',
    summary: `a DID with fresh keys; K is ${kinds.join(', ')}`,
    takes: ['kind'],
    async run({ store, operator, values, names }) {
      const [tenant_id, kind] = [names[0]!, readKind(values.kind)]
      await requireTenant(store.engine, tenant_id)
      const made = await provisionIdentity(store, tenant_id, kind)
      const meta = { did: made.did, kind }
      await recordChange(store.engine, operator, { tenant_id, command: 'identity create', meta })
      return { rows: [made], note: 'Keep the private key: it is shown this once.' }
    },
  },
  revoke: {
    usage: 'identity revoke <did>',
    summary: 'ends its keys and its sign-ins for good, on every replica within a second',
    takes: [],
    async run({ store, operator, names }) {
      const did = names[0]!
      const tenant_id = parseDid(did)?.namespace
      if (!tenant_id) throw new ConfigError(`${did} is no DID; write did:oas:<tenant>:<kind>:<64 hex>.`)
      await requireTenant(store.engine, tenant_id)
      const ended = await store.engine.transaction().execute(async (trx) => {
        const keys = await revokeIdentity(trx, {
          tenant_id,
          did,
          reason: 'revoked by an administrator',
          by: operator.os_user,
        })
        if (!keys) throw new ConfigError(`${did} was revoked before.`)
        const users = await disableUsersOf(trx, tenant_id, did)
        const meta = { did, keys, users }
        await recordChange(trx, operator, { tenant_id, command: 'identity revoke', meta })
        return { keys_revoked: keys.length, users_disabled: users.length }
      })
      const sits = await satAt(store.engine, tenant_id, did, new Date(operator.clock.now_ms()))
      return { rows: [{ did, revoked: true, ...ended }], ...(sits && { note: stillSits(tenant_id, did) }) }
    },
  },
}

function stillSits(tenant_id: string, did: string): string {
  return `It is still a charter member; end that with: svc-engine admin member remove ${tenant_id} ${did}`
}

function readKind(kind: string | undefined): string {
  if (kind !== undefined && kinds.includes(kind)) return kind
  const hint = closest(kind ?? '', kinds)
  throw new ConfigError(
    `--kind ${kind === undefined ? 'is missing' : `is ${kind}`}; ${
      hint ? `did you mean ${hint}?` : `it may be ${kinds.join(', ')}.`
    }`,
  )
}

const user_pages_max = 5_000

/** A person whose DID is revoked must not come back through the sign-in page. */
async function disableUsersOf(db: Database, tenant_id: string, did: string): Promise<string[]> {
  const disabled: string[] = []
  let after = ''
  for (let page = 0; page < user_pages_max; page++) {
    const users = await listUsers(db, tenant_id, after)
    for (const user of users) {
      if (user.did === did && (await disableUser(db, user.user_id))) disabled.push(user.user_id)
    }
    const last = users.at(-1)
    if (!last) return disabled
    after = last.login
  }
  throw new ConfigError(`${tenant_id} has too many users to look through; disable them with: user disable`)
}
