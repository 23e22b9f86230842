// No amplification: a delegated, derived or granted capability never exceeds its source in name, time, limits and caveats.
import { type AgentCapability, type CapabilityLimits, covers, global_wildcard } from './capability.ts'

export interface AttenuatedCapability {
  readonly capability: AgentCapability
  /** True where bounds of the source had to be added. */
  readonly attenuated: boolean
}

/** The requested capability narrowed to the source that covers it; undefined where none does. */
export function attenuate(
  requested: AgentCapability,
  sources: readonly AgentCapability[],
): AttenuatedCapability | undefined {
  if (requested.name === global_wildcard) return undefined
  const fitting = sources.filter(
    (source) => covers(source.name, requested.name) && outlives(source, requested),
  )
  const fits = fitting.filter((source) => limitsWithin(requested.limits, source.limits))
  // Of several sources, the one that restricts least.
  const delegated = fits.map((source) => narrow(requested, source))
  return delegated.find(({ attenuated }) => !attenuated) ?? delegated[0]
}

/** Whether a capability lies unchanged within one of the sources. */
export function isWithin(capability: AgentCapability, sources: readonly AgentCapability[]): boolean {
  return sources.some((source) => covers(source.name, capability.name) && isNarrower(capability, source))
}

function isNarrower(capability: AgentCapability, source: AgentCapability): boolean {
  const { attenuated } = narrow(capability, source)
  return !attenuated && outlives(source, capability) && limitsWithin(capability.limits, source.limits)
}

/** A missing expiry is inherited, so only one after the source's is too late. */
function outlives(source: AgentCapability, requested: AgentCapability): boolean {
  if (source.expires_at === undefined || requested.expires_at === undefined) return true
  return Date.parse(requested.expires_at) <= Date.parse(source.expires_at)
}

const limit_names = ['max_per_call_bps', 'max_per_hour', 'max_tokens'] as const

/** An absent limit of the source means no limit; an absent requested limit is inherited. */
function limitsWithin(
  requested: CapabilityLimits | undefined,
  source: CapabilityLimits | undefined,
): boolean {
  return limit_names.every((name) => {
    const [limit, bound] = [requested?.[name], source?.[name]]
    return limit === undefined || bound === undefined || limit <= bound
  })
}

function narrow(requested: AgentCapability, source: AgentCapability): AttenuatedCapability {
  const missing = source.caveats.filter((caveat) => !requested.caveats.includes(caveat))
  const inherited = limit_names.filter(
    (name) => requested.limits?.[name] === undefined && source.limits?.[name] !== undefined,
  )
  const expires_at = requested.expires_at ?? source.expires_at
  const attenuated = missing.length > 0 || inherited.length > 0 || expires_at !== requested.expires_at
  const limits = combineLimits(requested.limits, source.limits, (limit, bound) => limit ?? bound)
  return { capability: build(requested, expires_at, limits, missing), attenuated }
}

/** What remains of a delegated capability after its source became narrower: the lesser of both in every respect. */
export function confine(delegated: AgentCapability, source: AgentCapability): AgentCapability | undefined {
  if (!covers(source.name, delegated.name)) return undefined
  const missing = source.caveats.filter((caveat) => !delegated.caveats.includes(caveat))
  const limits = combineLimits(delegated.limits, source.limits, (one, other) =>
    Math.min(one ?? Number.POSITIVE_INFINITY, other ?? Number.POSITIVE_INFINITY),
  )
  return build(delegated, earlier(delegated.expires_at, source.expires_at), limits, missing)
}

/** The earlier of two expiry times; absent means never. */
export function earlier(one: string | undefined, other: string): string
export function earlier(one: string | undefined, other: string | undefined): string | undefined
export function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const [one_ms, other_ms] = [Date.parse(one), Date.parse(other)]
  // An invalid time counts as expired, so a valid one must not replace it.
  return Number.isNaN(one_ms) || other_ms >= one_ms ? one : other
}

function combineLimits(
  requested: CapabilityLimits | undefined,
  source: CapabilityLimits | undefined,
  choose: (requested_limit: number | undefined, bound: number | undefined) => number | undefined,
): CapabilityLimits | undefined {
  const chosen = limit_names
    .map((name) => [name, choose(requested?.[name], source?.[name])] as const)
    .filter(([, limit]) => limit !== undefined && limit !== Number.POSITIVE_INFINITY)
  return chosen.length > 0 ? (Object.fromEntries(chosen) as CapabilityLimits) : undefined
}

function build(
  { name, caveats }: AgentCapability,
  expires_at: string | undefined,
  limits: CapabilityLimits | undefined,
  added_caveats: readonly string[],
): AgentCapability {
  return {
    name,
    ...(expires_at === undefined ? {} : { expires_at }),
    ...(limits === undefined ? {} : { limits }),
    caveats: [...caveats, ...added_caveats],
  }
}
