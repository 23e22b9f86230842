// svc-engine admin: what an operator does by hand. Works on the database directly, so it runs while the engine does.
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { issueKey, listKeys, revokeKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { embeddedUrl } from '@svc/adapters/store/embedded-postgres'
import { openStore, type PostgresStore } from '@svc/adapters/store/postgres'
import { exportChain } from '@svc/audit/export'
import { headOf } from '@svc/audit/records'
import { isCapabilityName } from '@svc/contract/capability'
import { parseDid } from '@svc/contract/did'
import { tiers } from '@svc/engine/limits'
import type { Tier } from '@svc/engine/ports'
import { ConfigError, type Environment } from './config.ts'
import { openLog } from './log.ts'

const help = `svc-engine admin: works on SVC_DB_URL, or on the embedded database of --data-dir (.svc)

  tenant create <id> [--name N] [--tier sandbox|charter|institution|sovereign]
  key issue <tenant> [--did DID] [--capability C ...] [--label L] [--expires-at T]
  key list <tenant>
  key revoke <tenant> <key-id>
  export <tenant>                      the audit book as JSON lines, for svc-engine verify
`

const options = {
  'data-dir': { type: 'string' },
  name: { type: 'string' },
  tier: { type: 'string' },
  did: { type: 'string' },
  capability: { type: 'string', multiple: true },
  label: { type: 'string' },
  'expires-at': { type: 'string' },
  help: { type: 'boolean' },
} as const

type Values = ReturnType<
  typeof parseArgs<{ args: string[]; options: typeof options; allowPositionals: true }>
>['values']

interface Work {
  readonly store: PostgresStore
  readonly values: Values
  readonly names: readonly string[]
}

const commands: Readonly<Record<string, (work: Work) => Promise<void>>> = {
  async 'tenant create'({ store, values, names }) {
    const [tenant_id] = need(names, 'tenant create <id>', 1)
    if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(tenant_id!))
      throw new ConfigError('A tenant id is lower-case letters, digits and dashes.')
    const tier = values.tier ?? 'sandbox'
    if (!Object.hasOwn(tiers, tier))
      throw new ConfigError(`--tier is ${tier}; it may be ${Object.keys(tiers).join(', ')}.`)
    await ensureTenant(store.engine, tenant_id!, values.name ?? tenant_id!, tier as Tier)
    print({ tenant_id, tier })
  },
  async 'key issue'({ store, values, names }) {
    const [tenant_id] = need(names, 'key issue <tenant>', 1)
    const unknown = (values.capability ?? []).filter((name) => !isCapabilityName(name))
    if (unknown.length)
      throw new ConfigError(`${unknown[0]} is not a capability; write svc.<protocol>.<operation>.`)
    if (values.did && parseDid(values.did)?.namespace !== tenant_id) {
      throw new ConfigError(`--did must be a DID of ${tenant_id}: did:oas:${tenant_id}:<kind>:<64 hex>.`)
    }
    const identity = values.did ? { did: values.did } : newIdentity(tenant_id!, 'agent')
    const capabilities = (values.capability ?? []).map((name) => ({ name, caveats: [] }))
    const wanted = {
      tenant_id: tenant_id!,
      did: identity.did,
      mode: 'live',
      capabilities,
      label: values.label,
      expires_at: values['expires-at'],
    } as const
    const key = await issueKey(store.engine, wanted).catch((error) => {
      throw error.code === '23503'
        ? new ConfigError(
            `There is no tenant ${tenant_id}; make it with: svc-engine admin tenant create ${tenant_id}`,
          )
        : error
    })
    print({ ...identity, ...key })
  },
  async 'key list'({ store, names }) {
    const [tenant_id] = need(names, 'key list <tenant>', 1)
    for (const key of await listKeys(store.engine, tenant_id!)) print(key)
  },
  async 'key revoke'({ store, names }) {
    const [tenant_id, key_id] = need(names, 'key revoke <tenant> <key-id>', 2)
    if (!(await revokeKey(store.engine, tenant_id!, key_id!))) {
      throw new ConfigError(`${tenant_id} has no live key ${key_id}; key list shows them.`)
    }
    print({ key_id, revoked: true })
  },
  async export({ store, names }) {
    const [tenant_id] = need(names, 'export <tenant>', 1)
    if ((await headOf(store.engine, tenant_id!)).seq === 0) {
      throw new ConfigError(
        `The book of ${tenant_id} holds no record yet; check the tenant id, or make a call first.`,
      )
    }
    for await (const line of exportChain(store.engine, tenant_id!)) {
      if (!process.stdout.write(`${line}\n`))
        await new Promise((resolve) => process.stdout.once('drain', resolve))
    }
  },
}

export async function admin(args: string[], env: Environment): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [first = '', second = ''] = positionals
  const name = [`${first} ${second}`, first].find((candidate) => Object.hasOwn(commands, candidate))
  if (values.help || name === undefined) {
    console.log(help)
    return values.help ? 0 : 1
  }
  const url = env.SVC_DB_URL ?? (await embeddedUrl(join(resolve(values['data-dir'] ?? '.svc'), 'postgres')))
  if (!url)
    throw new ConfigError('No database: set SVC_DB_URL, or start svc-engine up and name its --data-dir.')
  const store = await openStore({ url, log: openLog('warn') })
  try {
    await commands[name]!({ store, values, names: positionals.slice(name.split(' ').length) })
    return 0
  } finally {
    await store.close()
  }
}

function need(names: readonly string[], usage: string, count: number): readonly string[] {
  if (names.length === count) return names
  throw new ConfigError(`Use: svc-engine admin ${usage}`)
}

function print(line: object): void {
  console.log(JSON.stringify(line))
}
