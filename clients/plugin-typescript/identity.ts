// The caller's identity, with the same checks as in the engine's own protocols.

export interface CallerCapability {
  readonly name: string
  readonly expires_at?: string
  readonly limits?: Readonly<Record<string, number>>
  readonly caveats: readonly string[]
}

/** A resolved caller. */
export interface CallerIdentity {
  readonly did: string
  /** `Agent`, `HumanRoot`, `Service` and so on, or `Unknown(…)`. */
  readonly entity_kind: string
  readonly name?: string
  /** The accountable human. */
  readonly human_root_did?: string
  readonly lineage_depth: number
  /** Whether its lineage was verified, signature by signature. */
  readonly lineage_verified: boolean
  readonly creator_did?: string
  readonly conformance_level: 'L0' | 'L1' | 'L2'
  /** Its declared capabilities. */
  readonly capabilities: readonly CallerCapability[]
  readonly service_endpoints: readonly {
    readonly kind: string
    readonly url: string
    readonly protocols: readonly string[]
  }[]
  readonly revoked: boolean
  readonly auth_method: string
  readonly extended: Readonly<Record<string, unknown>>
}

const root_kinds = ['HumanRoot', 'MultiHumanRoot', 'EntityNameRecord']
const derived_kinds = ['Agent', 'AgentInstance', 'Tool', 'Skill', 'Workflow', 'Model', 'Dataset', 'Service']

export function isHumanRoot({ entity_kind }: CallerIdentity): boolean {
  return entity_kind === 'HumanRoot'
}

export function isAutonomousOrg({ entity_kind }: CallerIdentity): boolean {
  return entity_kind === 'EntityNameRecord' || entity_kind === 'MultiHumanRoot'
}

export function hasVerifiedLineage({ lineage_verified, revoked }: CallerIdentity): boolean {
  return lineage_verified && !revoked
}

/** The accountable root: the human root if known, or itself if it is a root. */
export function effectiveRootDid({ did, entity_kind, human_root_did }: CallerIdentity): string | undefined {
  return human_root_did ?? (root_kinds.includes(entity_kind) ? did : undefined)
}

/** Whether the declared capabilities cover a name. The engine checks expiry and caveats before the call. */
export function hasCapability({ capabilities }: CallerIdentity, name: string): boolean {
  return capabilities.some((caller_capability) => covers(caller_capability.name, name))
}

/** The fallback when resolution fails: only a DID. */
export function unresolved(did: string): CallerIdentity {
  return {
    did,
    entity_kind: kindOfDid(did),
    lineage_depth: 0,
    lineage_verified: false,
    conformance_level: 'L0',
    capabilities: [],
    service_endpoints: [],
    revoked: false,
    auth_method: 'unresolved',
    extended: {},
  }
}

const global_wildcard = 'svc.*.*'
/** The only name outside the scheme; no wildcard covers it. */
const recipe_llm_compile = 'recipe-llm-compile'
const name_form = /^svc\.([a-z]+)\.([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*|pre-release|\*)$/

/** Exact name, the protocol's wildcard, the global wildcard; nothing in between. */
export function covers(capability: string, required: string): boolean {
  if (required === global_wildcard || required === recipe_llm_compile) return capability === required
  const protocol = name_form.exec(required)?.[1]
  return protocol !== undefined && [required, `svc.${protocol}.*`, global_wildcard].includes(capability)
}

const did_form = /^did:oas:[a-z0-9-]{1,63}:([a-z][a-z-]{0,62}):[0-9a-f]{64}$/

function kindOfDid(did: string): string {
  const segment = did_form.exec(did)?.[1] ?? 'none'
  const words = segment.split('-').map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  const kind = words.join('')
  return [...root_kinds, ...derived_kinds].includes(kind) ? kind : `Unknown(${segment})`
}
