import { addMember, countMembers } from '@svc/adapters/access/charter'
import { countLiveKeys, createTenant, findTenant, listTenants } from '@svc/adapters/access/tenant-directory'
import { queryOf } from '@svc/audit/query/query'
import { headOf, publicKeys } from '@svc/audit/query/records'
import { isLogPublic } from '@svc/audit/tree/public-logs'
import { type Tier, tiers } from '@svc/contract/authority/tier'
import { makeIdentity } from '../assembly/identities.ts'
import { ConfigError } from '../settings/config-error.ts'
import { type Noun, requireDidOf, requireTenant, type Values } from './command.ts'
import { homeOf } from './identities.ts'
import { recordChange } from './record.ts'
import { moving } from './tenant-move.ts'

const name_chars_max = 200

export const tenant: Noun = {
  create: {
    usage: 'tenant create <id> [--name N] [--tier T] [--root DID|new]',
    summary: 'creates an organization; its root becomes the first charter member',
    takes: ['name', 'tier', 'root'],
    async run(work) {
      const { store, operator, values, names } = work
      const tenant_id = names[0]!
      const { name, tier } = readWishes(tenant_id, values)
      if (values.root !== undefined && values.root !== 'new') requireDidOf(tenant_id, values.root, '--root')
      const root_did = await store.engine.transaction(async (trx) => {
        if (!(await createTenant(trx, tenant_id, name, tier))) throw existsAlready(tenant_id)
        const keep = async (did?: string) => {
          if (did) await addMember(trx, tenant_id, did, new Date(operator.clock.now_ms()))
          const meta = { tier, ...(did && { root_did: did }) }
          await recordChange(trx, operator, { tenant_id, command: 'tenant create', meta })
        }
        if (values.root === 'new') {
          const root = { tenant_id, entity_kind: 'HumanRoot', custody: 'engine', name } as const
          return (await makeIdentity(await homeOf(work, trx), root, keep)).did
        }
        await keep(values.root)
        return values.root
      })
      const next = root_did
        ? `Next: svc-engine admin key issue ${tenant_id}`
        : `It has no charter member yet; add one with: svc-engine admin member add ${tenant_id} <did>`
      return { rows: [{ tenant_id, tier, ...(root_did && { root_did }) }], note: next }
    },
  },
  move: moving,
  list: {
    usage: 'tenant list [--after ID]',
    summary: 'organizations by id, 200 at a time',
    takes: ['after'],
    async run({ store, values }) {
      const rows = await listTenants(store.engine, values.after)
      return { rows, columns: ['tenant_id', 'tier', 'name', 'created_at'], ...moreAfter(rows, 'tenant_id') }
    },
  },
  show: {
    usage: 'tenant show <id>',
    summary: 'one organization: tier, keys, charter, and the head of its audit log',
    takes: [],
    async run({ store, names }) {
      const [db, tenant_id] = [store.engine, names[0]!]
      await requireTenant(db, tenant_id)
      const [listing, live_keys, charter_members, head, [signing], audit_log_public] = await Promise.all([
        findTenant(db, tenant_id),
        countLiveKeys(db, tenant_id),
        countMembers(db, tenant_id),
        headOf(db, tenant_id),
        publicKeys(db, tenant_id),
        isLogPublic(queryOf(db), tenant_id),
      ])
      const audit_log = {
        audit_records: head.seq,
        audit_head: head.seq > 0 ? head.hash : null,
        audit_key_id: signing?.key_id ?? null,
        audit_public_key: signing?.public_key ?? null,
        audit_log_public,
      }
      return { rows: [{ ...listing, live_keys, charter_members, ...audit_log }] }
    },
  },
}

function existsAlready(tenant_id: string): ConfigError {
  return new ConfigError(`The tenant ${tenant_id} already exists; tenant show ${tenant_id} describes it.`)
}

function readWishes(tenant_id: string, values: Values): { name: string; tier: Tier } {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(tenant_id))
    throw new ConfigError('A tenant id has only lower-case letters, digits and dashes.')
  const { tier = 'sandbox', name = tenant_id } = values
  if (!Object.hasOwn(tiers, tier))
    throw new ConfigError(`--tier is ${tier}; it may be ${Object.keys(tiers).join(', ')}.`)
  if (name.length === 0 || name.length > name_chars_max)
    throw new ConfigError(`--name must have 1 to ${name_chars_max} characters.`)
  return { name, tier: tier as Tier }
}

const page_rows = 200

/** A full page may not be the last one. */
export function moreAfter<Row extends object>(rows: readonly Row[], name: keyof Row): { note?: string } {
  const last = rows.length >= page_rows ? rows.at(-1) : undefined
  return last ? { note: `There may be more: --after ${String(last[name])}` } : {}
}
