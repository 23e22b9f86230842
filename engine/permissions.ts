// What a caller may call, decided by the gate itself, for clients to show in advance.
import { isOnce } from '@svc/contract/authority/caveat'
import { type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import type { Books } from '@svc/contract/money/books'
import { refuse } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import type { Admitted, Allowance, Authorised, Call, Credential } from './call.ts'
import type { Ports } from './ports.ts'
import type { Registered, RegisteredOperation } from './routing/routing.ts'
import { isPreRelease, parseVersion } from './routing/semver.ts'
import { shownOperation, shownOperations } from './routing/shown-versions.ts'
import { moduleCache, resolveVersion } from './stages/1-resolve-version.ts'
import { enrichContext } from './stages/2-enrich-context.ts'
import { gateCapability } from './stages/4-gate-capability.ts'
import { toPerson } from './to-person.ts'
import { untimed } from './tracing.ts'

export interface Permission {
  readonly protocol: string
  readonly operation: string
  /** What was judged, and what a client should call: see shown-versions.ts. */
  readonly version: string
  readonly capability: string
  readonly effect: 'read' | 'write'
  /** `depends`: held, but a caveat or a policy depends on the call's input or budget; or open to a caller that asks about itself. */
  readonly may: 'yes' | 'no' | 'depends'
  readonly reason?: string
  /** The sentence the call itself would be refused with. */
  readonly why_not?: string
}

export interface Permissions {
  readonly identity: ResolvedAgentIdentity
  readonly operations: readonly Permission[]
}

const untaken: Allowance = { allowed: true, limit: 0, remaining: 0, reset_s: 0, retry_after_ms: 0 }
const undecided = 'caveat not satisfied'
const needs_approval = 'approval required'

/** Records nothing and takes nothing from a bucket: nothing was requested yet. */
export async function permissionsOf(
  ports: Ports,
  credential: Credential,
  resolved?: ResolvedAgentIdentity,
): Promise<Permissions> {
  const who = resolved ? { identity: resolved } : await resolveCaller(ports, credential.did)
  const books = await ports.treasury.of(credential.tenant_id)
  const operations: Permission[] = []
  for (const id of ports.registry.ids()) {
    for (const shown of shownOperations(ports.registry, id, credential.tenant_id))
      operations.push(await permissionFor(ports, { credential, ...who, books, ...shown }))
  }
  return { identity: who.identity, operations }
}

/** Throws the refusal the gate would give a call of this operation; for long-lived streams that check repeatedly. */
export async function requirePermission(
  ports: Ports,
  credential: Credential,
  protocol: string,
  operation: string,
  resolved?: ResolvedAgentIdentity,
): Promise<void> {
  const { did, tenant_id } = credential
  const shown = shownOperation(ports.registry, protocol, operation, tenant_id)
  if (!shown) {
    throw refuse('unknown_operation', `${protocol} ${operation} is not served here.`, {
      reason: 'no such operation',
    })
  }
  const who = resolved ? { identity: resolved } : await resolveCaller(ports, did)
  const books = await ports.treasury.of(tenant_id)
  const call = await passGate(ports, { credential, ...who, books, ...shown })
  // Nothing is used up here, so a right to a single call grants nothing.
  const single = call.grant.caveats.find(isOnce)
  if (single !== undefined)
    throw refuse(
      'capability_denied',
      `You hold ${shown.operation.capability} only under the caveat ${single}, which allows one call and no stream; ask for a wider grant.`,
      { reason: 'caveat not satisfied', caveat: single },
    )
  // A stream is not a single call, so there is nothing that somebody could consent to.
  if (!call.demands) return
  throw refuse('approval_required', `${call.operation.capability} needs approval; make a single call.`, {
    reason: needs_approval,
  })
}

async function passGate(ports: Ports, question: Question): Promise<Authorised> {
  try {
    return await gateCapability(callOf(ports, question), ports)
  } catch (thrown) {
    const { capability } = question.operation
    throw toPerson(asRefusal(thrown), { ...question, capability }, ports)
  }
}

export async function resolveCaller({ identity }: Ports, did: string): Promise<Who> {
  const resolution = await identity.resolve(did)
  if (resolution.outcome === 'Unavailable')
    return { identity: unresolved(did), unknown_of_caller: resolution.unknown }
  return { identity: resolution.outcome === 'Failed' ? unresolved(did) : resolution.identity }
}

export interface Who extends Pick<Call, 'unknown_of_caller'> {
  readonly identity: ResolvedAgentIdentity
}

interface Question extends Who {
  readonly credential: Credential
  /** The caller's own where absent. */
  readonly target_tenant?: string
  readonly books: Books
  readonly registered: Registered
  readonly operation: RegisteredOperation
}

async function permissionFor(ports: Ports, question: Question): Promise<Permission> {
  const { registered, operation } = question
  const { name, capability, facts } = operation
  const { version } = registered
  const request = {
    protocol: registered.facts.id,
    operation: name,
    version,
    capability,
    effect: facts.effect,
  }
  try {
    const { demands } = await judgeAtGate(callOf(ports, question), ports)
    return demands ? { ...request, may: 'depends', reason: needs_approval } : { ...request, may: 'yes' }
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    // An internal error or an unavailable dependency is not an answer about the caller.
    if (refusal.code === 'internal' || refusal.code === 'unavailable') throw thrown
    const { reason, reads_input } = refusal.details
    const for_self = refusal.code === 'capability_denied' && facts.open_to === 'self'
    return {
      ...request,
      may: reason === undecided || for_self || reads_input === true ? 'depends' : 'no',
      why_not: toPerson(refusal, { ...question, capability }, ports).message,
      ...(reason === undefined ? {} : { reason }),
    }
  }
}

/** Stage 4, and before it the part of stage 1 that decides about the caller. */
export async function judgeAtGate(call: Admitted, ports: Ports): Promise<Authorised> {
  // Without the right to a pre-release it is refused before the gate.
  if (isPreRelease(parseVersion(call.registered.version)!)) await resolveVersion(call, ports, moduleCache())
  return await gateCapability(call, ports)
}

/** The call as it would arrive at the gate, without input. */
export function callOf(ports: Ports, question: Question, now_ms = ports.clock.now_ms()): Admitted {
  const { credential, identity, unknown_of_caller, books, registered, operation } = question
  const tenant_id = question.target_tenant ?? credential.tenant_id
  const { id: protocol } = registered.facts
  const request = { protocol, version: registered.version, operation: operation.name, input: {}, tenant_id }
  const enriched = enrichContext({
    asked: { request, credential, origin: 'internal' },
    record_id: ports.clock.uuid(),
    correlation_id: ports.clock.uuid(),
    timestamp: new Date(now_ms).toISOString(),
    now_ms,
    started_ms: ports.clock.monotonic_ms(),
    stage: 2,
    ended_ms: untimed(),
    caller: identity,
    ...(unknown_of_caller && { unknown_of_caller }),
    registered,
    operation,
  })
  return Object.assign(enriched, { allowance: untaken, books })
}
