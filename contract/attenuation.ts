// No amplification: what is lent, derived or granted is never more than what its giver holds, in name, time, limits and caveats.
import { type AgentCapability, type CapabilityLimits, covers, global_wildcard } from './capability.ts'

export interface Lent {
  readonly capability: AgentCapability
  /** True where the giver's own bounds had to be added. */
  readonly attenuated: boolean
}

/** The capability as it may be handed on under one of those held, narrowed to that one; undefined where none covers it. */
export function attenuate(wanted: AgentCapability, held: readonly AgentCapability[]): Lent | undefined {
  if (wanted.name === global_wildcard) return undefined
  const fitting = held.filter((source) => covers(source.name, wanted.name) && outlives(source, wanted))
  const fits = fitting.filter((source) => limitsWithin(wanted.limits, source.limits))
  // Where several would do, the one that adds least.
  const lent = fits.map((source) => narrow(wanted, source))
  return lent.find(({ attenuated }) => !attenuated) ?? lent[0]
}

/** Whether a capability is, as it stands, within one of those held. */
export function isWithin(capability: AgentCapability, held: readonly AgentCapability[]): boolean {
  return held.some((source) => covers(source.name, capability.name) && isNarrower(capability, source))
}

function isNarrower(capability: AgentCapability, source: AgentCapability): boolean {
  const { attenuated } = narrow(capability, source)
  return !attenuated && outlives(source, capability) && limitsWithin(capability.limits, source.limits)
}

/** A missing end is inherited, so only an end past the source's is too late. */
function outlives(source: AgentCapability, wanted: AgentCapability): boolean {
  if (source.expires_at === undefined || wanted.expires_at === undefined) return true
  return Date.parse(wanted.expires_at) <= Date.parse(source.expires_at)
}

const limit_names = ['max_per_call_bps', 'max_per_hour', 'max_tokens'] as const

/** An absent limit of the source is no limit; an absent limit of the wanted one is inherited. */
function limitsWithin(wanted: CapabilityLimits | undefined, source: CapabilityLimits | undefined): boolean {
  return limit_names.every((name) => {
    const [asked, bound] = [wanted?.[name], source?.[name]]
    return asked === undefined || bound === undefined || asked <= bound
  })
}

function narrow(wanted: AgentCapability, source: AgentCapability): Lent {
  const missing = source.caveats.filter((caveat) => !wanted.caveats.includes(caveat))
  const inherited = limit_names.filter(
    (name) => wanted.limits?.[name] === undefined && source.limits?.[name] !== undefined,
  )
  const expires_at = wanted.expires_at ?? source.expires_at
  const limits = inherited.length > 0 ? { ...source.limits, ...wanted.limits } : wanted.limits
  const capability: AgentCapability = {
    name: wanted.name,
    ...(expires_at === undefined ? {} : { expires_at }),
    ...(limits === undefined ? {} : { limits }),
    caveats: [...wanted.caveats, ...missing],
  }
  const attenuated = missing.length > 0 || inherited.length > 0 || expires_at !== wanted.expires_at
  return { capability, attenuated }
}
