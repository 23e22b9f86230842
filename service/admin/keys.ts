import { issueKey, listKeys, revokeKey } from '@svc/adapters/access/api-keys'
import { requireLiveIdentity } from '@svc/adapters/access/revocations'
import { isCapabilityName } from '@svc/contract/capability'
import { ConfigError } from '../config.ts'
import { type Noun, requireDidOf, requireTenant, type Values } from './command.ts'
import { provisionIdentity } from './identities.ts'
import { recordChange } from './record.ts'

const capabilities_max = 256
const label_chars_max = 200

export const key: Noun = {
  issue: {
    usage: 'key issue <tenant> [--did DID] [--capability C ...] [--label L] [--expires-at T]',
    summary: 'a new API key, shown once; without --did for a new agent',
    takes: ['did', 'capability', 'label', 'expires-at'],
    async run({ store, operator, values, names }) {
      const tenant_id = names[0]!
      const wishes = readWishes(values, operator.clock.now_ms())
      if (values.did !== undefined) requireDidOf(tenant_id, values.did, '--did')
      await requireTenant(store.engine, tenant_id)
      const identity =
        values.did === undefined ? await provisionIdentity(store, tenant_id, 'agent') : { did: values.did }
      const { did } = identity
      const issued = await store.engine.transaction().execute(async (trx) => {
        await requireLiveIdentity(trx, tenant_id, did)
        const fresh = await issueKey(trx, { tenant_id, did, mode: 'live', ...wishes })
        const capabilities = wishes.capabilities.map(({ name }) => name)
        const meta = { key_id: fresh.key_id, did, capabilities, expires_at: wishes.expires_at ?? null }
        await recordChange(trx, operator, { tenant_id, command: 'key issue', grants: true, meta })
        return fresh
      })
      return { rows: [{ ...identity, ...issued }], note: 'Keep what is secret: it is shown this once.' }
    },
  },
  list: {
    usage: 'key list <tenant>',
    summary: 'the newest 200 keys, never their secrets',
    takes: [],
    async run({ store, names }) {
      await requireTenant(store.engine, names[0]!)
      const rows = await listKeys(store.engine, names[0]!)
      const columns = ['key_id', 'did', 'label', 'created_at', 'expires_at', 'revoked_at', 'last_used_at']
      return { rows, columns }
    },
  },
  revoke: {
    usage: 'key revoke <tenant> <key-id>',
    summary: 'refused on every replica within a second',
    takes: [],
    async run({ store, operator, names }) {
      const [tenant_id, key_id] = names as [string, string]
      await store.engine.transaction().execute(async (trx) => {
        if (!(await revokeKey(trx, tenant_id, key_id)))
          throw new ConfigError(`${tenant_id} has no live key ${key_id}; key list shows them.`)
        await recordChange(trx, operator, { tenant_id, command: 'key revoke', meta: { key_id } })
      })
      return { rows: [{ key_id, revoked: true }] }
    },
  },
}

function readWishes(values: Values, now_ms: number) {
  const { capability: capabilities = [], label, 'expires-at': expires_at } = values
  const unknown = capabilities.find((name) => !isCapabilityName(name))
  if (unknown !== undefined)
    throw new ConfigError(`${unknown} is not a capability; write svc.<protocol>.<operation>.`)
  if (capabilities.length > capabilities_max)
    throw new ConfigError(`A key carries at most ${capabilities_max} capabilities.`)
  if (label !== undefined && (label.length === 0 || label.length > label_chars_max))
    throw new ConfigError(`--label has 1 to ${label_chars_max} characters.`)
  return {
    capabilities: capabilities.map((name) => ({ name, caveats: [] })),
    label,
    expires_at: expires_at === undefined ? undefined : readMoment(expires_at, now_ms),
  }
}

/** With its zone, because "tomorrow at nine" is another moment on another machine. */
function readMoment(text: string, now_ms: number): string {
  const at_ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : NaN
  if (at_ms > now_ms) return new Date(at_ms).toISOString()
  throw new ConfigError(
    `--expires-at is ${text}; write a moment that is still to come, such as 2030-01-31T12:00:00Z.`,
  )
}
