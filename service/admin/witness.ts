import { operatorTenant } from '@svc/adapters/access/operator-tenant'
import { queryOf } from '@svc/audit/query/query'
import { publicKeys } from '@svc/audit/query/records'
import { checkpointOrigin } from '@svc/audit/tree/checkpoint'
import { verifierKeyOf } from '@svc/audit/witness/cosign'
import { witnessKey } from '@svc/audit/witness/witness-key'
import {
  asked_max,
  askWitness,
  dismissWitness,
  distrustLog,
  listAsked,
  listLogs,
  trustLog,
} from '@svc/audit/witness/witness-store'
import type { Database } from '@svc/contract/database'
import { readWitnessKey } from '@svc/sdk/verify/witnesses'
import { ConfigError } from '../settings/config-error.ts'
import { type Noun, requireTenant, type Work } from './command.ts'
import { recordChange } from './record.ts'
import { rootKeysOf } from './target.ts'
import { moreAfter } from './tenants.ts'

const origin_form = /^[^\s+\p{Cc}]{1,200}$/u
const tenants_max = 1_000

export const witness: Noun = {
  key: {
    usage: 'witness key',
    summary: 'the key this engine cosigns with; logs that ask it and verifiers need this key',
    takes: [],
    async run({ store, target }) {
      const key = await witnessKey(queryOf(store.engine), await rootKeysOf(target, store.engine))
      return { rows: [{ witness: key.name, key: verifierKeyOf(key) }] }
    },
  },
  trust: {
    usage: 'witness trust <origin> <public-key>',
    summary: 'cosigns the checkpoints of this log; a log may have more than one trusted key',
    takes: [],
    async run(work) {
      const [origin, public_key] = readLog(work.names)
      await changing(work, 'witness trust', { origin, public_key }, async (db) => {
        if (await trustLog(queryOf(db), origin, public_key)) return
        throw new ConfigError(
          `Another key of ${origin} has followed this one; to trust it again, distrust it first.`,
        )
      })
      return {
        rows: [{ origin, public_key }],
        note: 'Its engine sends checkpoints to <this engine>/v1/witness.',
      }
    },
  },
  origin: {
    usage: 'witness origin <tenant>',
    summary: 'what a witness needs to trust this chain: its origin and current audit key',
    takes: [],
    async run({ store, names }) {
      const tenant_id = names[0]!
      await requireTenant(store.engine, tenant_id)
      const [key] = await publicKeys(store.engine, tenant_id)
      if (!key) throw new ConfigError(`The audit log of ${tenant_id} has no records yet; make a call first.`)
      const public_key = Buffer.from(key.public_key, 'base64url').toString('base64')
      const origin = checkpointOrigin(tenant_id)
      const note = `On the witness, run: svc-engine admin witness trust ${origin} ${public_key}`
      return { rows: [{ origin, public_key, key_id: key.key_id }], note }
    },
  },
  distrust: {
    usage: 'witness distrust <origin> <public-key>',
    summary: 'stops cosigning what this key signs; earlier cosignatures remain',
    takes: [],
    async run(work) {
      const [origin, public_key] = readLog(work.names)
      await changing(work, 'witness distrust', { origin, public_key }, async (db) => {
        if (await distrustLog(queryOf(db), origin, public_key)) return
        throw new ConfigError(
          `This key of ${origin} is not trusted; svc-engine admin witness logs lists those that are.`,
        )
      })
      return { rows: [{ origin, public_key }] }
    },
  },
  logs: {
    usage: 'witness logs [--after ORIGIN]',
    summary: 'the logs that are cosigned here, their sizes, and whether one contradicted itself',
    takes: ['after'],
    async run({ store, target, values }) {
      const query = queryOf(store.engine)
      const { name } = await witnessKey(query, await rootKeysOf(target, store.engine))
      const logs = await listLogs(query, name, values.after)
      const rows = logs.map(({ keys, ...log }) => ({
        ...log,
        public_keys: keys.filter(({ until_seq }) => until_seq === null).map(({ public_key }) => public_key),
        earlier_keys: keys.filter(({ until_seq }) => until_seq !== null).map(({ public_key }) => public_key),
      }))
      const columns = ['origin', 'size', 'cosigned_at', 'is_contradicted', 'public_keys', 'earlier_keys']
      return { rows, columns, ...moreAfter(rows, 'origin') }
    },
  },
  ask: {
    usage: 'witness ask <url> <name+id+key> [--tenant T ...]',
    summary: 'has a witness cosign the checkpoints of this engine, or of these tenants only',
    takes: ['tenant'],
    async run(work) {
      const [address, verifier_key] = work.names as [string, string]
      const url = readUrl(address)
      const { name: witness_name } = await readKey(verifier_key)
      const tenants = work.values.tenant ?? null
      if (tenants && tenants.length > tenants_max)
        throw new ConfigError(`At most ${tenants_max} tenants can be named.`)
      for (const tenant_id of tenants ?? []) await requireTenant(work.store.engine, tenant_id)
      await changing(work, 'witness ask', { witness_name, url, tenants }, async (db) => {
        await askWitness(queryOf(db), verifier_key, url, tenants)
        if ((await listAsked(queryOf(db))).length > asked_max)
          throw new ConfigError(`At most ${asked_max} witnesses can be asked; dismiss one first.`)
      })
      const note = 'It must trust each chain; svc-engine admin witness origin <tenant> shows how.'
      return { rows: [{ witness: witness_name, url, tenants }], note }
    },
  },
  dismiss: {
    usage: 'witness dismiss <witness>',
    summary: 'stops asking a witness; its cosignatures stay in the audit logs',
    takes: [],
    async run(work) {
      const witness_name = work.names[0]!
      await changing(work, 'witness dismiss', { witness_name }, async (db) => {
        if (await dismissWitness(queryOf(db), witness_name)) return
        throw new ConfigError(
          `No witness ${witness_name} is asked; svc-engine admin witness list shows them.`,
        )
      })
      return { rows: [{ witness: witness_name }] }
    },
  },
  list: {
    usage: 'witness list',
    summary: 'the witnesses that are asked to cosign the checkpoints of this engine',
    takes: [],
    async run({ store }) {
      const feeds = await listAsked(queryOf(store.engine))
      const rows = feeds.map(({ witness_name, url, tenants, verifier_key }) => {
        return { witness: witness_name, url, tenants: tenants ?? 'all', key: verifier_key }
      })
      return { rows, columns: ['witness', 'url', 'tenants', 'key'] }
    },
  },
}

/** Makes the change and records it in the operator's audit log. */
async function changing(
  { store, operator }: Work,
  command: string,
  meta: Record<string, unknown>,
  change: (db: Database) => Promise<void>,
): Promise<void> {
  await store.engine.transaction(async (trx) => {
    await change(trx)
    const tenant_id = await operatorTenant(trx)
    if (tenant_id === undefined)
      throw new ConfigError('No engine has run on this database yet; start it once.')
    await recordChange(trx, operator, { tenant_id, command, meta })
  })
}

/** Accepts base64 too: base64url may begin with a dash, which the command line would read as an option. */
function readLog(names: readonly string[]): [origin: string, public_key: string] {
  const [origin = '', public_key = ''] = names
  if (!origin_form.test(origin))
    throw new ConfigError(`${origin} is not the origin of a log; an svc engine's is svc/<tenant>.`)
  const key = Buffer.from(public_key, 'base64url')
  const is_exact = [key.toString('base64url'), key.toString('base64')].includes(public_key)
  if (is_exact && key.length === 32) return [origin, key.toString('base64url')]
  throw new ConfigError(
    "The public key is 32 bytes in base64; svc-engine admin witness origin prints it on the log's engine.",
  )
}

async function readKey(text: string): Promise<{ readonly name: string }> {
  return await readWitnessKey(text).catch((error: Error) => {
    throw new ConfigError(error.message)
  })
}

/** The URL prefix before /add-checkpoint. */
function readUrl(text: string): string {
  const url = URL.parse(text)
  const is_plain = url?.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (is_plain && (url.protocol === 'https:' || url.protocol === 'http:')) return url.href
  throw new ConfigError(
    `${text} is not the address of a witness; an svc engine's is https://<host>/v1/witness.`,
  )
}
