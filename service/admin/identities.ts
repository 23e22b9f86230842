import { listMembers, satAt } from '@svc/adapters/access/charter'
import { revokeIdentity } from '@svc/adapters/access/revocations'
import { disableUser, listUsers } from '@svc/adapters/accounts/users'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { closest } from '@svc/contract/closest'
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import { derived_kinds, isRootKind, root_kinds } from '@svc/contract/identity/identity'
import { kindSegment } from '@svc/contract/identity/lineage'
import {
  askBundledNode,
  askNodeAt,
  attestIdentity,
  type IdentityHome,
  makeIdentity,
} from '../assembly/identities.ts'
import { ConfigError } from '../settings/config-error.ts'
import { readAgentKey, readNodes } from '../settings/identity-settings.ts'
import { readCapabilities } from './capability-names.ts'
import { type Noun, requireTenant, type Work } from './command.ts'
import { viewIdentity } from './identity-view.ts'
import { recordChange } from './record.ts'
import { readOperatorKey, rootKeysOf } from './target.ts'

/** Creates an operator's identities with the installation's own custody and identity node. */
export async function homeOf(
  { target, operator }: Pick<Work, 'target' | 'operator'>,
  db: Database,
): Promise<IdentityHome> {
  const { clock } = operator
  const agent_key = readAgentKey(target.read)
  const { node_urls } = readNodes(target.read)
  const askNode = node_urls.OAS ? askNodeAt(node_urls.OAS, agent_key, clock) : askBundledNode(db, clock)
  return { db, root_keys: await rootKeysOf(target, db), clock, askNode }
}

/** The default parent: the first charter member whose key the engine keeps. */
export async function findRoot(home: IdentityHome, tenant_id: string): Promise<string | undefined> {
  const custody = openKeystore(home.root_keys).open(tenant_id, home.db)
  for (const { did } of await listMembers(home.db, tenant_id)) if (await custody.publicKeyOf(did)) return did
  return undefined
}

/** As a DID writes them: `human-root` for HumanRoot. */
const kinds = new Map([...root_kinds, ...derived_kinds].map((kind) => [kindSegment(kind), kind]))
const kind_names = [...kinds.keys()]

export const identity: Noun = {
  create: {
    usage:
      'identity create <tenant> --kind K [--parent DID] [--name N] [--capability C ...] [--custody engine|client]',
    summary: `a DID with a signed document; K is ${kind_names.join(', ')}; the engine keeps its key unless the client does`,
    takes: ['kind', 'parent', 'name', 'capability', 'custody'],
    async run(work) {
      const { store, operator, values, names } = work
      const tenant_id = names[0]!
      const request = {
        tenant_id,
        entity_kind: readKind(values.kind),
        custody: readCustody(values.custody),
        name: values.name,
        capabilities: await readCapabilities(store.engine, values.capability),
      }
      await requireTenant(store.engine, tenant_id)
      const made = await store.engine.transaction(async (trx) => {
        const home = await homeOf(work, trx)
        const parent_did = isRootKind(request.entity_kind)
          ? undefined
          : (values.parent ?? (await findRoot(home, tenant_id)))
        return makeIdentity(home, { ...request, parent_did }, async (did) => {
          const meta = { did, kind: request.entity_kind, parent_did: parent_did ?? null }
          await recordChange(trx, operator, { tenant_id, command: 'identity create', meta })
        })
      })
      const note = made.private_key
        ? 'Store the private key: it is shown only once.'
        : 'The engine keeps its key and signs for it once it is authenticated.'
      return { rows: [made], note }
    },
  },
  show: {
    usage: 'identity show <did>',
    summary: 'its name, kind, parent, depth and root, as the engine resolves it',
    takes: [],
    async run(work) {
      const did = work.names[0]!
      await requireTenantOf(work.store.engine, did)
      return { rows: [await viewIdentity(await homeOf(work, work.store.engine), did)] }
    },
  },
  attest: {
    usage: 'identity attest <did>',
    summary:
      'attests, as the operator, an identity whose key the engine keeps; conformance level L2 requires it',
    takes: [],
    async run(work) {
      const { store, operator, names } = work
      const did = names[0]!
      const tenant_id = await requireTenantOf(store.engine, did)
      const issuer = readOperatorKey(work.target)
      const attested = await attestIdentity(await homeOf(work, store.engine), issuer, did)
      const meta = { ...attested, issuer_did: issuer.did }
      await recordChange(store.engine, operator, { tenant_id, command: 'identity attest', meta })
      return { rows: [{ ...attested, issuer_did: issuer.did }] }
    },
  },
  revoke: {
    usage: 'identity revoke <did>',
    summary: 'revokes its keys and sign-ins permanently, on every replica within a second',
    takes: [],
    async run({ store, operator, names }) {
      const did = names[0]!
      const tenant_id = await requireTenantOf(store.engine, did)
      const ended = await store.engine.transaction(async (trx) => {
        const keys = await revokeIdentity(trx, {
          tenant_id,
          did,
          reason: 'revoked by an administrator',
          by: operator.os_user,
        })
        if (!keys) throw new ConfigError(`${did} is already revoked.`)
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

async function requireTenantOf(db: Database, did: string): Promise<string> {
  const tenant_id = parseDid(did)?.namespace
  if (!tenant_id) throw new ConfigError(`${did} is not a DID; write did:oas:<tenant>:<kind>:<64 hex>.`)
  await requireTenant(db, tenant_id)
  return tenant_id
}

function stillSits(tenant_id: string, did: string): string {
  return `It is still a charter member; end that with: svc-engine admin member remove ${tenant_id} ${did}`
}

function readKind(kind: string | undefined): string {
  const entity_kind = kinds.get(kind ?? '')
  if (entity_kind) return entity_kind
  const hint = closest(kind ?? '', kind_names)
  throw new ConfigError(
    `--kind ${kind === undefined ? 'is missing' : `is ${kind}`}; ${
      hint ? `did you mean ${hint}?` : `it may be ${kind_names.join(', ')}.`
    }`,
  )
}

function readCustody(custody = 'engine'): 'engine' | 'client' {
  if (custody === 'engine' || custody === 'client') return custody
  throw new ConfigError(`--custody is ${custody}; it may be engine, client.`)
}

const user_pages_max = 5_000

/** A person whose DID is revoked must not be able to sign in again. */
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
  throw new ConfigError(`${tenant_id} has too many users to search; disable them with: user disable`)
}
