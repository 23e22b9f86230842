// What concerns the whole engine: external protocols, witnesses that are asked, and logs that are cosigned here.
import {
  listRegistrations,
  type Registration,
  registrationsOf,
  settingsOf,
} from '@svc/adapters/external/registrations'
import { queryOf } from '@svc/audit/query/query'
import { type LogKey, listAsked, listLogs } from '@svc/audit/witness/witness-store'
import type { Database } from '@svc/contract/database'
import { timeoutMs, timeoutText } from '@svc/contract/foreign/external-protocol'
import { readWitnessKey } from '@svc/sdk/verify/witnesses'
import { ConfigError } from '../settings/config-error.ts'
import type { Configuration, ProtocolConfig } from './config-schema.ts'
import { option, type Plan, removeLater, settle } from './plan.ts'
import type { View } from './plan-tenant.ts'

/** The words of protocols load the whole catalogue, which is slow, so they are imported only when needed. */
export async function planProtocols(plan: Plan, view: View, { protocols }: Configuration): Promise<void> {
  if (!protocols) return
  for (const protocol of protocols) await planProtocol(plan, view, protocol)
  if (!view.prune) return
  const declared = new Map(protocols.map((protocol) => [protocol.name.toUpperCase(), protocol]))
  for (const registration of await everyRegistration(view.db)) {
    const protocol = declared.get(registration.name.toUpperCase())
    const is_declared = protocol?.services?.some((service) => isSame(registration, service))
    // A protocol without a list of services says nothing about them.
    if (is_declared || (protocol && !protocol.services)) continue
    const { name, version, endpoint } = registration
    const args = ['protocol', 'remove', name, version, ...option('endpoint', endpoint)]
    removeLater(plan, wordsOf(registration), args)
  }
}

async function planProtocol(plan: Plan, { db }: View, protocol: ProtocolConfig): Promise<void> {
  const { canaryText, nativeVersions, readCanary, readName } = await import('../admin/protocol-words.ts')
  const name = readName(protocol.name)
  const registered = await registrationsOf(db, name)
  const services = protocol.services ?? []
  for (const service of services) planService(plan, name, registered, service)
  const { balance, canary } = protocol
  const settings = await settingsOf(db, name)
  if (balance !== undefined)
    settle(plan, `protocol ${name}: balance`, { balance: settings.balance }, { balance }, () => [
      ...['protocol', 'balance', name, balance],
    ])
  if (canary === undefined) return
  const versions = [...nativeVersions(name), ...registered, ...services].map(({ version }) => version)
  const text = canaryText(readCanary(name, canary, versions))
  const before = { canary: canaryText(settings.canary) }
  settle(plan, `protocol ${name}: canary`, before, { canary: text }, () => ['protocol', 'canary', name, text])
}

type Service = NonNullable<ProtocolConfig['services']>[number]

function planService(plan: Plan, name: string, registered: readonly Registration[], service: Service): void {
  const {
    version,
    did,
    treaty,
    answers = 'signed',
    timeout = '30s',
    weight = 1,
    operations,
    enabled = true,
  } = service
  const endpoint = addressOf(service.endpoint)
  const what = wordsOf({ name, version, endpoint })
  if ((did === undefined) === (treaty === undefined))
    throw new ConfigError(`${what}: write either did, which signs its answers, or treaty, which names it.`)
  const timeout_ms = timeoutMs(timeout)
  if (timeout_ms === undefined)
    throw new ConfigError(`${what}: timeout is ${timeout}; write 500ms, 30s or 2m, at most 10m.`)
  const stored = registered.find((registration) => isSame(registration, service))
  const after = { did, treaty, answers, timeout: timeoutText(timeout_ms), weight: String(weight), operations }
  const before = stored && {
    did: stored.did,
    treaty: stored.treaty_id ?? 'none',
    answers: stored.answers,
    timeout: timeoutText(stored.timeout_ms),
    weight: String(stored.weight),
    operations: stored.operations,
  }
  settle(plan, what, before, treaty === undefined ? { ...after, treaty: stored && 'none' } : after, () => [
    ...['protocol', 'add', name, version, endpoint],
    ...[...option('did', did), ...option('treaty', treaty), ...option('answers', answers)],
    ...[
      ...option('timeout', timeout),
      ...option('weight', String(weight)),
      ...option('operation', operations),
    ],
  ])
  if (enabled === (stored?.enabled ?? true)) return
  const [was, will] = enabled ? ['no', 'yes'] : ['yes', 'no']
  settle(plan, what, { enabled: was }, { enabled: will }, () => [
    ...['protocol', enabled ? 'enable' : 'disable', name, version, ...option('endpoint', endpoint)],
  ])
}

function isSame({ version, endpoint }: Registration, service: Service): boolean {
  return version === service.version && endpoint === addressOf(service.endpoint)
}

/** As it is stored; what is no address is refused by the command. */
function addressOf(endpoint: string): string {
  return (URL.parse(endpoint)?.href ?? endpoint).replace(/\/$/, '')
}

function wordsOf({ name, version, endpoint }: Pick<Registration, 'name' | 'version' | 'endpoint'>): string {
  return `protocol ${name} ${version} at ${endpoint}`
}

async function everyRegistration(db: Database): Promise<Registration[]> {
  const all: Registration[] = []
  for (
    let page = await listRegistrations(db);
    page.length > 0;
    page = await listRegistrations(db, page.at(-1)!.id)
  )
    all.push(...page)
  return all
}

export async function planWitnesses(plan: Plan, view: View, { witnesses }: Configuration): Promise<void> {
  if (!witnesses) return
  const feeds = await listAsked(queryOf(view.db))
  const names = new Set<string>()
  for (const { key, url, tenants } of witnesses) {
    const { name, key_id } = await readWitnessKey(key).catch((error: Error) => {
      throw new ConfigError(`witnesses: ${error.message}`)
    })
    names.add(name)
    const stored = feeds.find((witness) => witness.witness_name === name && witness.key_id === key_id)
    const before = stored && { url: stored.url, tenants: stored.tenants ?? ['all'] }
    const after = { url: URL.parse(url)?.href ?? url, tenants: tenants ?? ['all'] }
    settle(plan, `witness ${name}`, before, after, () => [
      'witness',
      'ask',
      url,
      key,
      ...option('tenant', tenants),
    ])
  }
  if (!view.prune) return
  for (const name of new Set(feeds.map(({ witness_name }) => witness_name)))
    if (!names.has(name)) removeLater(plan, `witness ${name}`, ['witness', 'dismiss', name])
}

const log_pages_max = 500

export async function planTrustedLogs(
  plan: Plan,
  view: View,
  { trusted_logs }: Configuration,
): Promise<void> {
  if (!trusted_logs) return
  const stored = await trustedLogs(view.db)
  const declared = new Map<string, readonly string[]>()
  for (const { origin, public_key } of trusted_logs) {
    // base64 has no dash, which the command line would read as an option.
    const key = Buffer.from(public_key, 'base64url')
    const is_stored = stored.get(origin)?.some(({ public_key }) => public_key === key.toString('base64url'))
    const before = is_stored ? {} : undefined
    declared.set(origin, [...(declared.get(origin) ?? []), key.toString('base64url')])
    const what = `log ${origin} by ${key.toString('base64url')}`
    settle(plan, what, before, {}, () => ['witness', 'trust', origin, key.toString('base64')])
  }
  if (!view.prune) return
  for (const [origin, keys] of stored) {
    const trusted = withFollowers(declared.get(origin) ?? [], keys)
    for (const { public_key: key } of keys) {
      if (trusted.has(key)) continue
      const args = ['witness', 'distrust', origin, Buffer.from(key, 'base64url').toString('base64')]
      removeLater(plan, `log ${origin} by ${key}`, args)
    }
  }
}

/** A key that has followed a declared one by a rotation is trusted with it. */
function withFollowers(declared: readonly string[], keys: readonly LogKey[]): ReadonlySet<string> {
  const trusted = new Set(declared)
  // In the order in which they begin.
  for (const { public_key, from_seq } of keys) {
    const before = keys.find(({ until_seq }) => until_seq === from_seq - 1)
    if (before && trusted.has(before.public_key)) trusted.add(public_key)
  }
  return trusted
}

async function trustedLogs(db: Database): Promise<Map<string, readonly LogKey[]>> {
  const logs = new Map<string, readonly LogKey[]>()
  let after = ''
  for (let page = 0; page < log_pages_max; page++) {
    // The name of the witness chooses sizes and times only, which no plan shows.
    const rows = await listLogs(queryOf(db), '', after)
    for (const { origin, keys } of rows) logs.set(origin, keys)
    const last = rows.at(-1)
    if (!last) return logs
    after = last.origin
  }
  throw new ConfigError('There are too many trusted logs to compare; leave out the section trusted_logs.')
}
