// Validates what an operator types about protocols; each error says what to write instead.
import { lookup } from 'node:dns/promises'
import { system_clock } from '@svc/adapters/clock/system'
import {
  type CanaryWeight,
  type Registration,
  type Wanted,
  weight_max,
} from '@svc/adapters/external/registrations'
import {
  type AddressGuard,
  addressGuard,
  bareHost,
  loopback_networks,
  refusedBeforehand,
} from '@svc/adapters/outbound/address-guard'
import { catalogue } from '@svc/catalogue/catalogue'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { treatyStateAt } from '@svc/contract/authority/treaty-grants'
import { closest } from '@svc/contract/closest'
import { ExternalProtocolRegistration, timeoutMs } from '@svc/contract/foreign/external-protocol'
import { parseDid } from '@svc/contract/identity/did'
import type { Protocol } from '@svc/contract/protocol'
import { compareVersions, parseVersion } from '@svc/engine/routing/semver'
import { Compile } from 'typebox/compile'
import { isAdapter, versionsOf } from '../assembly/route-groups.ts'
import { ConfigError } from '../settings/config-error.ts'
import { node_variables } from '../settings/identity-settings.ts'
import { choose } from '../settings/reader.ts'
import type { Values } from './command.ts'
import { operatorTenant, type Target } from './target.ts'

const timeout_default = '30s'
const lookup_ms_max = 2_000
const bps_per_percent = 100

const shape = Compile(ExternalProtocolRegistration)

interface Lookups {
  registeredOf(name: string): Promise<readonly Registration[]>
  treatyOf(id: string): Promise<StandingTreaty | undefined>
}

/** Validates a registration against its schema, the catalogue and the networks that may be reached. */
export async function readRegistration(
  names: readonly string[],
  values: Values,
  target: Target,
  { registeredOf, treatyOf }: Lookups,
): Promise<Wanted> {
  const [typed = '', version = '', address = ''] = names
  const name = readName(typed)
  requireVersion(version)
  const endpoint = await readEndpoint(address, guardOf(target))
  const timeout_ms = timeoutMs(values.timeout ?? timeout_default)
  if (timeout_ms === undefined)
    throw new ConfigError(`--timeout is ${values.timeout}; write 500ms, 30s or 2m, at most 10m.`)
  const { did, treaty_id } = await readIdentity(values, target, treatyOf)
  const answers = choose('--answers', values.answers ?? 'signed', ['signed', 'unsigned'] as const)
  const there = (await registeredOf(name)).find((one) => one.version === version)
  const operations = readOperations(name, version, values.operation ?? there?.operations)
  const weight = readWeight(values.weight)
  const registration = { name, version, endpoint, timeout_ms, operations, did, answers, treaty_id, weight }
  const auth = treaty_id === null ? { kind: 'did-auth', did } : { kind: 'treaty', did, treaty_id }
  const timeout = values.timeout ?? timeout_default
  const [fault] = shape.Errors({ name, version, endpoint, timeout, operations, auth, answers })
  if (!fault) return registration
  throw new ConfigError(`This registration is invalid: ${fault.instancePath.slice(1)} ${fault.message}.`)
}

/** The service's DID: as given, or that of the treaty's other party. */
async function readIdentity(
  { did = '', treaty }: Values,
  target: Target,
  treatyOf: Lookups['treatyOf'],
): Promise<Pick<Registration, 'did' | 'treaty_id'>> {
  if (treaty === undefined) {
    if (parseDid(did)) return { did, treaty_id: null }
    throw new ConfigError(
      "Write --did with the DID that signs the service's answers (did:oas:…), or --treaty.",
    )
  }
  if (did !== '') throw new ConfigError('Write either --did or --treaty: the treaty already names the DID.')
  const standing_treaty = await treatyOf(treaty)
  const other = standing_treaty?.parties.find(({ tenant }) => tenant !== operatorTenant(target))
  if (!standing_treaty || !other)
    throw new ConfigError(
      `There is no treaty ${treaty} of ${operatorTenant(target)}; MOAT lists the treaties.`,
    )
  if (treatyStateAt(standing_treaty, system_clock.now_ms()) !== 'ACTIVE')
    throw new ConfigError(`The treaty ${treaty} is not in force; both sides sign it first.`)
  return { did: other.did, treaty_id: treaty }
}

/** In the catalogue's spelling, if the catalogue has it. */
export function readName(typed: string): string {
  const [own_protocol] = versionsOf(typed, catalogue)
  if (own_protocol && isAdapter(typed, catalogue)) {
    const variable = node_variables[own_protocol.id as keyof typeof node_variables]
    throw new ConfigError(`${own_protocol.id} is configured by its address; set ${variable} instead.`)
  }
  if (own_protocol) return own_protocol.id
  if (/^[A-Za-z]{1,32}$/.test(typed)) return typed
  throw new ConfigError(`${typed} cannot be a protocol's name; write 1 to 32 letters, such as WEATHER.`)
}

export function requireVersion(version: string): void {
  if (/^v/.test(version) && parseVersion(version)) return
  throw new ConfigError(`${version} is not a version; write all of it, such as v1.0.0 or v1.1.0-rc.1.`)
}

async function readEndpoint(text: string, guard: AddressGuard): Promise<string> {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || /[?#]/.test(text))
    throw new ConfigError('An endpoint is an address such as https://mim.example:8443, without a query.')
  const refused = refusedBeforehand(url, guard) ?? (await refusedName(url, guard))
  // The address is not repeated: it may contain a password.
  if (refused?.includes('user')) throw new ConfigError('An endpoint must not contain a user or a password.')
  if (refused === 'only https is asked')
    throw new ConfigError(
      `${url.origin} must use https; http is allowed only for networks in SVC_ALLOWED_NETWORKS.`,
    )
  if (refused !== undefined) {
    throw new ConfigError(
      `${url.origin} is not a public address; add its network to SVC_ALLOWED_NETWORKS, here and for every engine.`,
    )
  }
  return url.href.replace(/\/$/, '')
}

/** A host name is checked again at every connection; this only reports early what would never work. */
async function refusedName(url: URL, guard: AddressGuard): Promise<string | undefined> {
  const none: { address: string }[] = []
  const { promise: late, resolve } = Promise.withResolvers<typeof none>()
  const timer = setTimeout(() => resolve(none), lookup_ms_max)
  const addresses = await Promise.race([lookup(bareHost(url), { all: true }).catch(() => none), late])
  clearTimeout(timer)
  const secure = url.protocol === 'https:'
  // Whether http is allowed for a name cannot be decided before it resolves.
  if (addresses.length === 0) return secure ? undefined : 'only https is asked'
  return addresses
    .map(({ address }) => guard.refusal(address, secure))
    .find((refused) => refused !== undefined)
}

/** The networks the engines may reach, according to this command's own settings. */
function guardOf({ read, data_dir }: Target): AddressGuard {
  const own = data_dir === undefined ? [] : loopback_networks
  return addressGuard([...own, ...read('SVC_ALLOWED_NETWORKS')])
}

/** Without --operation, all operations of the version: a version moves as a whole. */
function readOperations(name: string, version: string, named: readonly string[] | undefined): string[] {
  const same = versionsOf(name, catalogue).find((protocol) => protocol.version === version)
  const operations = [...new Set((named ?? []).flatMap((text) => text.split(',')))]
  if (!same && operations.length === 0)
    throw new ConfigError(`${name} ${version} is not in the catalogue; list its operations with --operation.`)
  if (!same) return operations
  const own = Object.keys(same.operations)
  const strange = operations.find((operation) => !own.includes(operation))
  if (strange !== undefined)
    throw new ConfigError(
      `${name} ${version} has no operation ${strange}; register it as a separate version, such as v1.1.0.`,
    )
  if (operations.length > 0 && operations.length < own.length)
    throw new ConfigError(`${name} ${version} moves as a whole; omit --operation, or use another version.`)
  return own
}

function readWeight(text = '1'): number {
  const weight = Number(text)
  if (/^\d{1,4}$/.test(text) && weight >= 1 && weight <= weight_max) return weight
  throw new ConfigError(`--weight is ${text}; it is a whole number from 1 to ${weight_max}.`)
}

/** `off`, or shares of existing versions such as v1.1.0=10%,v1.2.0=2.5%. */
export function readCanary(name: string, text: string, there: readonly string[]): CanaryWeight[] {
  if (text === 'off') return []
  const weights = text.split(',').map((part) => {
    const [, version = '', percent = ''] = /^(v[0-9A-Za-z.-]+)=(\d{1,3}(?:\.\d{1,2})?)%$/.exec(part) ?? []
    if (version === '')
      throw new ConfigError(`${part} is not a share; write v1.1.0=10%, several with commas, or off.`)
    if (!there.includes(version)) {
      const hint = closest(version, there)
      const installed = `it has ${there.join(', ') || 'none'}`
      throw new ConfigError(`${name} has no ${version}; ${hint ? `did you mean ${hint}?` : `${installed}.`}`)
    }
    return { version, weight_bps: Math.round(Number(percent) * bps_per_percent) }
  })
  if (new Set(weights.map(({ version }) => version)).size < weights.length)
    throw new ConfigError('A version is named twice; give each one share.')
  const total = weights.reduce((sum, { weight_bps }) => sum + weight_bps, 0)
  if (total > 100 * bps_per_percent)
    throw new ConfigError(`These shares add up to ${total / bps_per_percent} %; the maximum is 100 %.`)
  return weights.toSorted((a, b) => compareVersions(parseVersion(a.version)!, parseVersion(b.version)!))
}

export function canaryText(canary: readonly CanaryWeight[]): string {
  const shares = canary.map(({ version, weight_bps }) => `${version}=${weight_bps / bps_per_percent}%`)
  return shares.join(',') || 'off'
}

/** The versions the engines run themselves. */
export function nativeVersions(name: string): readonly Protocol[] {
  return versionsOf(name, catalogue)
}
