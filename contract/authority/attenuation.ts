// No amplification: what is lent, derived or granted is never more than what its giver holds, in name, time, limits and caveats.
import { type AgentCapability, type CapabilityLimits, covers, global_wildcard } from './capability.ts'

export interface AttenuatedCapability {
  readonly capability: AgentCapability
  /** True where the giver's own bounds had to be added. */
  readonly attenuated: boolean
}

/** The capability as it may be handed on under one of those held, narrowed to that one; undefined where none covers it. */
export function attenuate(
  requested: AgentCapability,
  sources: readonly AgentCapability[],
): AttenuatedCapability | undefined {
  if (requested.name === global_wildcard) return undefined
  const fitting = sources.filter(
    (source) => covers(source.name, requested.name) && outlives(source, requested),
  )
  const fits = fitting.filter((source) => limitsWithin(requested.limits, source.limits))
  // Where several would do, the one that adds least.
  const delegated = fits.map((source) => narrow(requested, source))
  return delegated.find(({ attenuated }) => !attenuated) ?? delegated[0]
}

/** Whether a capability is, as it stands, within one of those held. */
export function isWithin(capability: AgentCapability, sources: readonly AgentCapability[]): boolean {
  return sources.some((source) => covers(source.name, capability.name) && isNarrower(capability, source))
}

function isNarrower(capability: AgentCapability, source: AgentCapability): boolean {
  const { attenuated } = narrow(capability, source)
  return !attenuated && outlives(source, capability) && limitsWithin(capability.limits, source.limits)
}

/** A missing end is inherited, so only an end past the source's is too late. */
function outlives(source: AgentCapability, requested: AgentCapability): boolean {
  if (source.expires_at === undefined || requested.expires_at === undefined) return true
  return Date.parse(requested.expires_at) <= Date.parse(source.expires_at)
}

const limit_names = ['max_per_call_bps', 'max_per_hour', 'max_tokens'] as const

/** An absent limit of the source is no limit; an absent limit of the wanted one is inherited. */
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

/** What is left of something lent where its source has since become narrower: the lesser of both in everything. */
export function confine(delegated: AgentCapability, source: AgentCapability): AgentCapability | undefined {
  if (!covers(source.name, delegated.name)) return undefined
  const missing = source.caveats.filter((caveat) => !delegated.caveats.includes(caveat))
  const limits = combineLimits(delegated.limits, source.limits, (one, other) =>
    Math.min(one ?? Number.POSITIVE_INFINITY, other ?? Number.POSITIVE_INFINITY),
  )
  return build(delegated, earlier(delegated.expires_at, source.expires_at), limits, missing)
}

/** The earlier of two ends; an absent one is no end. */
export function earlier(one: string | undefined, other: string): string
export function earlier(one: string | undefined, other: string | undefined): string | undefined
export function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const [one_ms, other_ms] = [Date.parse(one), Date.parse(other)]
  // What is no moment counts as over, so it must not be replaced by one that is.
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
