// One operation calling another: same caller and correlation id, one level deeper, through all eight stages.

import { covers, type HeldCapability } from '@svc/contract/authority/capability'
import { refuse } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { Asked, Placed } from '../call.ts'
import type { Registry } from '../routing/routing.ts'
import { isPreRelease, parseVersion } from '../routing/semver.ts'

const call_depth_max = 8

interface Wanted {
  readonly protocol: string
  readonly version: string
  readonly operation: string
  readonly input: unknown
  /** Limits the nested call to these, whatever the caller holds. */
  readonly only?: readonly string[] | undefined
}

export function nestedCall(outer: Placed, inner: Wanted, signal: AbortSignal): Asked {
  const { asked, correlation_id, context } = outer
  const depth = (asked.within?.depth ?? 0) + 1
  if (depth > call_depth_max) {
    throw refuse(
      'policy_denied',
      `Operations may call each other ${call_depth_max} levels deep; this goes deeper.`,
      { reason: 'call depth exceeded' },
    )
  }
  const { protocol, version, operation, input, only } = inner
  const ceilings = [...(asked.within?.ceilings ?? []), ...(only ? [only] : [])]
  const plugins = [
    ...(asked.within?.plugins ?? []),
    ...(outer.endpoint.kind === 'wasm' ? [outer.endpoint.id] : []),
  ]
  const { tenant_id } = context
  return {
    request: { protocol, version, operation, input: asJson(input), tenant_id },
    credential: asked.credential,
    identity: asked.identity,
    origin: asked.origin,
    trace_context: context.trace_context,
    // Where the caller's is: read only if a caveat asks for it.
    get address() {
      return asked.address
    },
    signal,
    within: {
      correlation_id,
      depth,
      ...(ceilings.length ? { ceilings } : {}),
      ...(plugins.length ? { plugins } : {}),
      ...(outer.trace && { sampled: true }),
    },
  }
}

/** Nested calls name no version: they get our own major, or what exists of a protocol without one. */
export function versionWithin(registry: Registry, protocol: string): string {
  const versions = registry.versions(protocol)?.map(({ version }) => parseVersion(version)!)
  const has_first = versions?.some((version) => version.numbers[0] === 1 && !isPreRelease(version)) ?? true
  return has_first ? 'v1' : 'latest'
}

/** Lists of names that bound a call: of plugins on the way, and of its key. */
export function ceilingsOf({ within, credential }: Pick<Asked, 'within' | 'credential'>) {
  return [...(within?.ceilings ?? []), ...(credential.usable_for ? [credential.usable_for] : [])]
}

/** What plugins on the way may use of a grant: one that covers more than a list counts for what the list names. */
export function heldWithin(
  capabilities: readonly HeldCapability[],
  ceilings: readonly (readonly string[])[] = [],
): readonly HeldCapability[] {
  return ceilings.reduce(
    (left, names) =>
      left.flatMap((grant) => {
        if (names.some((name) => covers(name, grant.name))) return grant
        return names.filter((name) => covers(grant.name, name)).map((name) => ({ ...grant, name }))
      }),
    capabilities,
  )
}

/** Values pass between operations as JSON, as over the wire, and belong to the receiver alone. */
function asJson(input: unknown): unknown {
  return JSON.parse(canonicalJson(input))
}
