// Protocols that run outside the engine: their services, how calls are balanced, and which tenants get which version.
import {
  countRegistrations,
  enableRegistrations,
  keepRegistration,
  keepSettings,
  listRegistrations,
  lockRegistrations,
  type ProtocolSettings,
  type Registration,
  registrations_max,
  registrationsOf,
  removeRegistrations,
  settingsOf,
  type Wanted,
} from '@svc/adapters/external/registrations'
import type { Database } from '@svc/contract/database'
import { timeoutText } from '@svc/contract/foreign/external-protocol'
import type { Balance } from '@svc/engine/routing/routing'
import { treatyOfParty } from '@svc/protocols/governance/moat/api'
import { ConfigError } from '../settings/config-error.ts'
import { choose } from '../settings/reader.ts'
import { type Noun, requireTenant, type Work } from './command.ts'
import {
  canaryText,
  nativeVersions,
  readCanary,
  readName,
  readRegistration,
  requireVersion,
} from './protocol-words.ts'
import { recordChange } from './record.ts'
import type { Said } from './say.ts'
import { operatorTenant } from './target.ts'
import { moreAfter } from './tenants.ts'

const balances: readonly Balance[] = ['round-robin', 'least-request', 'tenant-hash']
const columns = ['id', 'name', 'version', 'endpoint', 'timeout', 'weight', 'enabled', 'answers', 'did']
const follows = 'All engines apply this within a second.'

export const protocol: Noun = {
  add: {
    usage:
      'protocol add <name> <version> <endpoint> --did DID | --treaty ID [--answers signed|unsigned] [--timeout 30s] [--weight N] [--operation O ...]',
    summary: 'registers an external service for this version; running it again updates the registration',
    takes: ['did', 'treaty', 'answers', 'timeout', 'weight', 'operation'],
    async run(work) {
      const { engine } = work.store
      const registration = await readRegistration(work.names, work.values, work.target, {
        registeredOf: (name) => registrationsOf(engine, name),
        treatyOf: (id) => treatyOfParty(engine, operatorTenant(work.target), id),
      })
      const stored = await changing(work, async (trx) => {
        const there = await registrationsOf(trx, registration.name)
        const name = there[0]?.name ?? registration.name
        await requireRoom(trx, registration, there)
        const made = await keepRegistration(trx, { ...registration, name })
        await record(work, trx, 'protocol add', wordsOf(made))
        return made
      })
      const off = stored.enabled
        ? ''
        : ` It is disabled; enable it with: svc-engine admin protocol enable ${stored.name} ${stored.version}`
      return { rows: [shown(stored)], note: `${placeOf(stored)}${trustIn(stored)}${off}` }
    },
  },
  list: {
    usage: 'protocol list [--after ID]',
    summary: 'every registered service, 200 at a time',
    takes: ['after'],
    async run({ store, values }) {
      if (values.after !== undefined && !/^\d{1,18}$/.test(values.after))
        throw new ConfigError(`--after is ${values.after}; it takes the id of the last one shown.`)
      const rows = await listRegistrations(store.engine, values.after)
      return { rows: rows.map(shown), columns, ...moreAfter(rows, 'id') }
    },
  },
  show: {
    usage: 'protocol show <name>',
    summary: 'where each version runs, how calls are balanced, and the canary',
    takes: [],
    run: ({ store, names }) => show(store.engine, readName(names[0]!)),
  },
  remove: {
    usage: 'protocol remove <name> <version> [--endpoint URL]',
    summary: 'removes its services; if the engine has this version built in, it runs that again',
    takes: ['endpoint'],
    run: (work) => changeChosen(work, 'protocol remove', removeRegistrations),
  },
  enable: {
    usage: 'protocol enable <name> <version> [--endpoint URL]',
    summary: 'enables its services again',
    takes: ['endpoint'],
    run: (work) =>
      changeChosen(work, 'protocol enable', (trx, chosen) => enableRegistrations(trx, chosen, true)),
  },
  disable: {
    usage: 'protocol disable <name> <version> [--endpoint URL]',
    summary: 'like remove, but can be undone with enable',
    takes: ['endpoint'],
    run: (work) =>
      changeChosen(work, 'protocol disable', (trx, chosen) => enableRegistrations(trx, chosen, false)),
  },
  balance: {
    usage: 'protocol balance <name> <way>',
    summary: `how calls are balanced over its services: ${balances.join(', ')}`,
    takes: [],
    async run(work) {
      const name = readName(work.names[0]!)
      const balance = choose('The way', work.names[1]!, balances)
      await changeSettings(work, name, 'protocol balance', async () => ({ balance }))
      return { rows: [{ name, balance }], note: follows }
    },
  },
  canary: {
    usage: 'protocol canary <name> <shares>',
    summary: 'share of tenants that get a version: v1.1.0=10%, several separated by commas, or off',
    takes: [],
    async run(work) {
      const name = readName(work.names[0]!)
      const { canary } = await changeSettings(work, name, 'protocol canary', async (there) => ({
        canary: readCanary(name, work.names[1]!, there),
      }))
      return {
        rows: [{ name, canary: canaryText(canary) }],
        note: `Each tenant keeps its version. ${follows}`,
      }
    },
  },
}

/** One serialized transaction, so that what was validated still holds when the change is made. */
async function changing<T>({ store, target }: Work, change: (trx: Database) => Promise<T>): Promise<T> {
  await requireTenant(store.engine, operatorTenant(target))
  return store.engine.transaction(async (trx) => {
    await lockRegistrations(trx)
    return change(trx)
  })
}

function record(work: Work, trx: Database, command: string, meta: Record<string, unknown>): Promise<void> {
  return recordChange(trx, work.operator, { tenant_id: operatorTenant(work.target), command, meta })
}

async function requireRoom(
  trx: Database,
  registration: Wanted,
  there: readonly Registration[],
): Promise<void> {
  const { name, version, endpoint, operations } = registration
  const others = there.filter((one) => one.version === version && one.endpoint !== endpoint)
  const differs = others.find((one) => one.operations.toSorted().join() !== operations.toSorted().join())
  if (differs) {
    throw new ConfigError(
      `${differs.endpoint} serves ${name} ${version} with ${differs.operations.join(', ')}; ` +
        'all services of a version must have the same operations, so list these or register a separate version.',
    )
  }
  if (there.some((one) => one.version === version && one.endpoint === endpoint)) return
  if ((await countRegistrations(trx)) >= registrations_max)
    throw new ConfigError(`There are ${registrations_max} registrations already; remove one first.`)
}

async function changeChosen(
  work: Work,
  command: string,
  change: (
    trx: Database,
    chosen: { name: string; version: string; endpoint: string | undefined },
  ) => Promise<Registration[]>,
): Promise<Said> {
  const [name, version] = [readName(work.names[0]!), work.names[1]!]
  requireVersion(version)
  const endpoint = work.values.endpoint?.replace(/\/$/, '')
  const changed = await changing(work, async (trx) => {
    const rows = await change(trx, { name, version, endpoint })
    if (rows.length === 0) {
      const at = endpoint === undefined ? '' : ` at ${endpoint}`
      throw new ConfigError(`${name} ${version} is not registered${at}; protocol show ${name} shows what is.`)
    }
    for (const row of rows) await record(work, trx, command, wordsOf(row))
    return rows
  })
  const left = (await registrationsOf(work.store.engine, name)).some(
    (one) => one.version === version && one.enabled,
  )
  const removed = command === 'protocol remove' ? { removed: true } : {}
  const rows = changed.map((row) => ({ ...shown(row), ...removed }))
  return { rows, note: left ? follows : await afterwards(work.store.engine, name, version) }
}

/** What happens to a version without external services. */
async function afterwards(db: Database, name: string, version: string): Promise<string> {
  const { canary } = await settingsOf(db, name)
  const native = nativeVersions(name).some((own_version) => own_version.version === version)
  const fate = native ? 'runs in the engines again' : 'is unavailable until it is registered or enabled again'
  const named = canary.some((weight) => weight.version === version)
  const hint =
    named && !native ? ` The canary still names it: svc-engine admin protocol canary ${name} off` : ''
  return `${name} ${version} ${fate}. ${follows}${hint}`
}

async function changeSettings(
  work: Work,
  name: string,
  command: string,
  change: (there: readonly string[]) => Promise<Partial<ProtocolSettings>>,
): Promise<ProtocolSettings> {
  return changing(work, async (trx) => {
    const there = await versionsThere(trx, name)
    if (there.length === 0)
      throw new ConfigError(`There is no protocol ${name}; protocol add registers an external one.`)
    const settings = { ...(await settingsOf(trx, name)), ...(await change(there)) }
    await keepSettings(trx, settings)
    const { balance, canary } = settings
    await record(work, trx, command, { name, balance, canary: canaryText(canary) })
    return settings
  })
}

async function versionsThere(db: Database, name: string): Promise<readonly string[]> {
  const registered = await registrationsOf(db, name)
  return [...new Set([...nativeVersions(name), ...registered].map(({ version }) => version))]
}

async function show(db: Database, name: string): Promise<Said> {
  const registered = await registrationsOf(db, name)
  const { balance, canary } = await settingsOf(db, name)
  const versions = await versionsThere(db, name)
  if (versions.length === 0)
    throw new ConfigError(`There is no protocol ${name}; protocol add registers an external one.`)
  const rows = versions.map((version) => {
    const services = registered.filter((one) => one.version === version)
    const outside = services.filter(({ enabled }) => enabled).map(({ endpoint }) => endpoint)
    const native = nativeVersions(name).some((own_version) => own_version.version === version)
    return {
      name: registered[0]?.name ?? name,
      version,
      runs: outside.length > 0 ? outside : native ? ['in the engines'] : ['nowhere'],
      disabled: services.filter(({ enabled }) => !enabled).map(({ endpoint }) => endpoint),
      operations: services[0]?.operations ?? Object.keys(nativeVersions(name)[0]?.operations ?? {}),
      balance,
      canary: canaryText(canary.filter((weight) => weight.version === version)),
    }
  })
  return { rows }
}

function shown({ timeout_ms, ...row }: Registration) {
  return { ...row, timeout: timeoutText(timeout_ms) }
}

/** The part of a registration that is recorded in the audit log. */
function wordsOf({ operations, id: _, created_at: __, ...words }: Registration) {
  return { ...words, operations: operations.length }
}

/** Accepting unsigned answers is a risk; the operator is warned each time. */
function trustIn({ answers }: Registration): string {
  if (answers === 'signed') return ''
  return ' Its answers are accepted without a signature: anyone who controls this address controls the answers. The directory and every record show this.'
}

function placeOf({ name, version }: Registration): string {
  const native = nativeVersions(name).some((own_version) => own_version.version === version)
  return native ? `It replaces the built-in ${name} ${version}. ${follows}` : follows
}
