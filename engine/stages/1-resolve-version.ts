// Stage 1: which module answers? Exact version, else the best of the major, else the highest stable one.
import { hash } from 'node:crypto'
import { covers } from '@svc/contract/authority/capability'
import { closest } from '@svc/contract/closest'
import { type Dependency, type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import type { Identified, Versioned } from '../call.ts'
import { firstSatisfied, isExpired } from '../grant-caveats.ts'
import { type Recent, recent } from '../limits/recent.ts'
import type { Ports } from '../ports.ts'
import type { Registered } from '../routing/routing.ts'
import { compareVersions, isPreRelease, parseMajor, parseVersion } from '../routing/semver.ts'

const module_cache_capacity = 1024
const bucket_count = 10_000

/** The router's module cache: resolving is pure, so an entry is valid until the registry changes. */
export interface ModuleCache {
  revision: number
  readonly modules: Recent<Registered>
}

export function moduleCache(): ModuleCache {
  return { revision: -1, modules: recent(module_cache_capacity) }
}

/** Waits only where a pre-release is installed, and the caller's capabilities decide whether it counts. */
export function resolveVersion(
  call: Identified,
  ports: Ports,
  cache: ModuleCache,
): Versioned | Promise<Versioned> {
  call.stage = 1
  const versions = ports.registry.versions(call.asked.request.protocol)
  if (!versions?.length) throw unknownProtocol(call.asked.request.protocol, ports)
  if (versions.every(({ version }) => !isPreRelease(parseVersion(version)!))) {
    return learn(call, chooseCached(call, ports, cache, versions, false), versions)
  }
  return holdsPreRelease(call, ports, versions[0]!.facts.id).then(({ may_pre_release, unknown }) => {
    const registered = chooseCached(call, ports, cache, versions, may_pre_release)
    // The only match may be a pre-release, which an unavailable dependency might allow.
    if (!registered && unknown) throw unavailable(unknown)
    return learn(call, registered, versions)
  })
}

function learn(
  call: Identified,
  registered: Registered | undefined,
  versions: readonly Registered[],
): Versioned {
  if (!registered) throw unknownVersion(call, versions)
  return Object.assign(call, {
    registered,
    operation: findOperation(call.asked.request.operation, registered),
  })
}

/** A caller that lacks only the right to pre-releases is told its name; for all others the version does not exist. */
function unknownVersion({ asked }: Identified, versions: readonly Registered[]): Refusal {
  const { version, tenant_id } = asked.request
  const { id } = versions[0]!.facts
  const installed = versions.map((registered) => registered.version).join(', ')
  if (chooseVersion(versions, version, { may_pre_release: true, canary: [], tenant_id })) {
    const requested_capability = preReleaseCapability(id)
    const sentence =
      `${id} ${version} is only there as a pre-release, which needs the capability ${requested_capability}. ` +
      'Ask an administrator of your tenant for it, or use a stable version.'
    return refuse('unknown_version', sentence, { reason: 'pre-release', requested_capability, installed })
  }
  const majors = new Set(versions.map((registered) => `v${parseVersion(registered.version)!.numbers[0]}`))
  return refuse(
    'unknown_version',
    `${id} ${version} is not installed; installed: ${installed}. ` +
      `Ask for ${[...majors].join(' or ')} to get the best of that major.`,
    { reason: 'unknown version', installed },
  )
}

function preReleaseCapability(id: string): string {
  return `svc.${id.toLowerCase()}.pre-release`
}

function unknownProtocol(protocol: string, ports: Ports): Refusal {
  const hint = closest(protocol, ports.registry.ids())
  const next = hint ? `Did you mean ${hint}?` : 'GET /v1/protocols lists what exists.'
  return refuse('unknown_protocol', `Protocol ${protocol} is not registered here. ${next}`, {
    reason: 'unknown protocol',
  })
}

function findOperation(name: string, registered: Registered) {
  const operation = registered.operations.get(name)
  if (operation) return operation
  const names = [...registered.operations.keys()]
  const hint = closest(name, names)
  throw refuse(
    'unknown_operation',
    `${registered.facts.id} ${registered.version} has no operation ${name}. ` +
      (hint ? `Did you mean ${hint}?` : `It has: ${names.join(', ')}.`),
    { reason: 'unknown operation' },
  )
}

function chooseCached(
  call: Identified,
  ports: Ports,
  cache: ModuleCache,
  versions: readonly Registered[],
  may_pre_release: boolean,
): Registered | undefined {
  if (cache.revision !== ports.registry.revision()) {
    cache.modules.clear()
    cache.revision = ports.registry.revision()
  }
  const { version, tenant_id } = call.asked.request
  const { id } = versions[0]!.facts
  // With one version the tenant cannot change the choice, so it is not part of the key. The right comes first: no version text can imitate
  // it.
  const right = may_pre_release ? 'pre-release' : 'stable'
  const key = versions.length === 1 ? `${right}|${id}|${version}` : `${right}|${id}|${version}|${tenant_id}`
  const cached = cache.modules.get(key)
  if (cached) return cached
  const chosen = chooseVersion(versions, version, {
    may_pre_release,
    canary: ports.registry.canary(id),
    tenant_id,
  })
  if (chosen) cache.modules.set(key, chosen)
  return chosen
}

async function holdsPreRelease(
  call: Identified,
  ports: Ports,
  id: string,
): Promise<{ may_pre_release: boolean; unknown?: Dependency | undefined }> {
  const name = preReleaseCapability(id)
  const { held, unknown } = await ports.capabilities.effective(
    call.caller,
    call.asked.credential,
    call.asked.request.tenant_id,
  )
  const usable = held.filter((grant) => covers(grant.name, name) && !isExpired(grant, call.now_ms))
  if (await firstSatisfied(usable, call, ports)) return { may_pre_release: true }
  return { may_pre_release: false, unknown: call.unknown_of_caller ? 'identity' : unknown }
}

interface Choice {
  readonly may_pre_release: boolean
  readonly canary: readonly { version: string; weight_bps: number }[]
  readonly tenant_id: string
}

/** Pure: the version that answers, or undefined where none may. */
export function chooseVersion(
  versions: readonly Registered[],
  requested: string,
  choice: Choice,
): Registered | undefined {
  const usable = versions
    .map((registered) => ({ registered, version: parseVersion(registered.version)! }))
    .filter(({ version }) => choice.may_pre_release || !isPreRelease(version))
    .sort((a, b) => compareVersions(b.version, a.version))
  const exact = parseVersion(requested)
  if (exact) return usable.find(({ version }) => compareVersions(version, exact) === 0)?.registered
  const major = parseMajor(requested)
  // A specific version in neither form names nothing installable.
  if (major === undefined && requested !== 'latest') return undefined
  const eligible = usable.filter(({ version }) => major === undefined || version.numbers[0] === major)
  const by_canary = canaryVersion(eligible[0]?.registered.facts.id ?? '', choice)
  const find = (fits: (version: string) => boolean) =>
    eligible.find(({ registered }) => fits(registered.version))
  // Tenants outside the weights stay on a version without weight.
  const named = choice.canary.map(({ version }) => version)
  const chosen = find((version) => version === by_canary) ?? find((version) => !named.includes(version))
  return (chosen ?? eligible[0])?.registered
}

/** A tenant always falls into the same bucket, so it sees one version while the weights are unchanged. */
function canaryVersion(protocol: string, { canary, tenant_id }: Choice): string | undefined {
  if (!canary.length) return undefined
  let bucket = tenantBucket(tenant_id, protocol)
  for (const { version, weight_bps } of canary) {
    if (bucket < weight_bps) return version
    bucket -= weight_bps
  }
  return undefined
}

export function tenantBucket(tenant_id: string, protocol: string): number {
  return Number.parseInt(hash('sha256', `${tenant_id},${protocol}`, 'hex').slice(0, 8), 16) % bucket_count
}
