import { issueKey, listKeys, revokeKey } from '@svc/adapters/access/api-keys'
import { requireLiveIdentity } from '@svc/adapters/access/revocations'
import { newIdentity } from '@svc/adapters/access/tenants'
import type { Database } from '@svc/contract/database'
import { findDocument, makeIdentity } from '../assembly/identities.ts'
import { ConfigError } from '../settings/config-error.ts'
import { callableWith, readCapabilities } from './capability-names.ts'
import { type Noun, requireDidOf, requireTenant, type Values, type Work } from './command.ts'
import { findRoot, homeOf } from './identities.ts'
import { recordChange } from './record.ts'
import { moreAfter } from './tenants.ts'

const label_chars_max = 200

export const key: Noun = {
  issue: {
    usage: 'key issue <tenant> [--did DID] [--capability C ...] [--label L] [--expires-at T]',
    summary: 'creates an API key, shown once, and lists what it can call; without --did for a new agent',
    takes: ['did', 'capability', 'label', 'expires-at'],
    async run(work) {
      const { store, operator, values, names } = work
      const tenant_id = names[0]!
      const wishes = await readWishes(store.engine, values, operator.clock.now_ms())
      if (values.did !== undefined) requireDidOf(tenant_id, values.did, '--did')
      await requireTenant(store.engine, tenant_id)
      const issued = await store.engine.transaction(async (trx) => {
        const identity = values.did === undefined ? await newAgent(work, trx, tenant_id) : { did: values.did }
        const { did } = identity
        await requireLiveIdentity(trx, tenant_id, did)
        const fresh = await issueKey(trx, { tenant_id, did, mode: 'live', ...wishes })
        const capabilities = wishes.capabilities.map(({ name }) => name)
        const meta = { key_id: fresh.key_id, did, capabilities, expires_at: wishes.expires_at ?? null }
        await recordChange(trx, operator, { tenant_id, command: 'key issue', grants: true, meta })
        return { ...identity, ...fresh }
      })
      const { declared, note } = await declaredBy(work, values.did)
      const can_call = await callableWith(store.engine, [...wishes.capabilities, ...declared])
      return { rows: [{ ...issued, can_call }], note: `Store the secret: it is shown only once.${note}` }
    },
  },
  list: {
    usage: 'key list <tenant> [--after KEY-ID]',
    summary: 'keys without their secrets, newest first, 200 at a time',
    takes: ['after'],
    async run({ store, values, names }) {
      await requireTenant(store.engine, names[0]!)
      const rows = await listKeys(store.engine, names[0]!, values.after)
      const columns = ['key_id', 'did', 'label', 'created_at', 'expires_at', 'revoked_at', 'last_used_at']
      return { rows, columns, ...moreAfter(rows, 'key_id') }
    },
  },
  revoke: {
    usage: 'key revoke <tenant> <key-id>',
    summary: 'revokes a key; every replica refuses it within a second',
    takes: [],
    async run({ store, operator, names }) {
      const [tenant_id, key_id] = names as [string, string]
      await store.engine.transaction(async (trx) => {
        if (!(await revokeKey(trx, tenant_id, key_id)))
          throw new ConfigError(`${tenant_id} has no active key ${key_id}; key list shows them.`)
        await recordChange(trx, operator, { tenant_id, command: 'key revoke', meta: { key_id } })
      })
      return { rows: [{ key_id, revoked: true }] }
    },
  },
}

/** A child of the organization's root if the engine keeps the root's key; otherwise an unattested identity whose key is returned. */
async function newAgent(work: Work, db: Database, tenant_id: string) {
  const home = await homeOf(work, db)
  const parent_did = await findRoot(home, tenant_id)
  if (parent_did === undefined) return newIdentity(tenant_id, 'agent')
  return makeIdentity(home, { tenant_id, entity_kind: 'Agent', custody: 'engine', parent_did })
}

/** A key also has the capabilities that its identity declares or was delegated. A new identity has none. */
async function declaredBy(work: Work, did: string | undefined) {
  if (did === undefined) return { declared: [], note: '' }
  try {
    const document = await findDocument((await homeOf(work, work.store.engine)).askNode, did)
    const note = ' It also has what is delegated to its identity: svc whoami.'
    return { declared: document?.capabilities ?? [], note }
  } catch {
    return {
      declared: [],
      note: ' The identity node did not answer; the key may have more capabilities: svc whoami.',
    }
  }
}

async function readWishes(db: Database, values: Values, now_ms: number) {
  const { label, 'expires-at': expires_at } = values
  const capabilities = await readCapabilities(db, values.capability)
  if (label !== undefined && (label.length === 0 || label.length > label_chars_max))
    throw new ConfigError(`--label must have 1 to ${label_chars_max} characters.`)
  return {
    capabilities,
    label,
    expires_at: expires_at === undefined ? undefined : readMoment(expires_at, now_ms),
  }
}

/** A time zone is required: machines differ in their local time. */
function readMoment(text: string, now_ms: number): string {
  const at_ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : NaN
  if (at_ms > now_ms) return new Date(at_ms).toISOString()
  throw new ConfigError(`--expires-at is ${text}; write a time in the future, such as 2030-01-31T12:00:00Z.`)
}
