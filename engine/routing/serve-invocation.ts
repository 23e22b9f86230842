// The engine's side of POST /invoke: another engine admitted its caller and decided; here the work is done.

import type { HeldCapability } from '@svc/contract/authority/capability'
import { type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { empty_books } from '@svc/contract/money/books'
import { type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { asRefusal } from '@svc/database/as-refusal'
import { beginCall, refuseWhileDraining, requireHome } from '../begin-call.ts'
import type { Allowance, Asked, Authorised, Call, Done, Versioned } from '../call.ts'
import { finishAnswer } from '../idempotency/finish-answer.ts'
import { worstOf } from '../limits/budget.ts'
import type { Ports } from '../ports.ts'
import { chooseVersion } from '../stages/1-resolve-version.ts'
import { breakCircuit } from '../stages/5-break-circuit.ts'
import { chooseEndpoint } from '../stages/6-choose-endpoint.ts'
import { invokeModule, type UnderWay } from '../stages/7-invoke-module.ts'
import { concludeTimes, ended, passed, written } from '../tracing.ts'
import { type Invocation, recordServed, type Serving } from './record-served.ts'
import type { Endpoint, Registered, Registry } from './routing.ts'
import { parseVersion } from './semver.ts'

export type Served =
  | { readonly kind: 'served'; readonly output_text: string; readonly metadata: Record<string, unknown> }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** No bucket was used: the calling engine has counted this call. */
const counted_elsewhere: Allowance = { allowed: true, limit: 0, remaining: 0, reset_s: 0, retry_after_ms: 0 }

export async function serveInvocation(
  invocation: Invocation,
  serving: Serving,
  ports: Ports,
  under_way: UnderWay,
  draining: boolean,
): Promise<Served> {
  const begun_ms = ports.clock.monotonic_ms()
  let call: Call | undefined
  let served: Served
  try {
    if (draining) throw refuseWhileDraining()
    await requireHome([invocation.context.tenant_id], ports)
    call = beginCall(await askedFor(invocation, serving, ports), ports)
    const invoked = await invokeModule(placeHere(call, invocation, serving, ports), ports, under_way)
    const done = await finishAnswer(invoked, ports)
    passed(call, 7, ports)
    recordServed(invocation, serving, ports, begun_ms, done)
    served = { kind: 'served', output_text: done.output_text, metadata: metadataOf(done) }
  } catch (thrown) {
    const refusal = namingKey(asRefusal(thrown), invocation)
    if (call) ended(call, ports)
    recordServed(invocation, serving, ports, begun_ms, call, refusal)
    served = { kind: 'refused', refusal }
  }
  // As with a dispatch: the answer is sent, and the last stage ends, when its record is in the journal.
  await (call ? written(call, 'svc.invoke', ports) : ports.audit_log.written())
  if (call) conclude(call, served.kind === 'refused' ? served.refusal : undefined, ports)
  return served
}

function conclude(call: Call, refusal: Refusal | undefined, ports: Ports): void {
  const { tenant_id } = call.asked.credential
  const outcome = refusal?.row.outcome ?? 'success'
  const audit_head = ports.audit_log.head(tenant_id)
  concludeTimes(call, { root: 'svc.invoke', outcome, code: refusal?.code, audit_head }, ports)
}

/** The caller as the calling engine vouches for it: nested calls are judged by this engine, as that caller. */
async function askedFor(invocation: Invocation, serving: Serving, ports: Ports): Promise<Asked> {
  const { context, held, idempotency_key, protocol, operation, payload: input, version } = invocation
  const { tenant_id, agent_did: did, correlation_id } = context
  const { depth, ceilings } = invocation
  const tier = await serving.tierOf(tenant_id)
  if (!tier) throw unknownTenant(tenant_id, protocol)
  await ports.audit_log.ready(tenant_id)
  return {
    request: {
      protocol,
      version: version ?? 'latest',
      operation,
      input,
      tenant_id,
      idempotency_key: idempotency_key === undefined ? undefined : storedKey(invocation, idempotency_key),
    },
    identity: await believe(context, ports),
    // The identity's declared capabilities are in the identity.
    credential: {
      key_id: 'invoke',
      did,
      tenant_id,
      tier,
      capabilities: held.filter(({ source }) => source !== 'declared'),
    },
    origin: 'invoke',
    trace_context: invocation.trace_context,
    body_bytes: invocation.payload_bytes,
    signal: invocation.signal,
    within: { correlation_id, depth, ...(ceilings?.length ? { ceilings } : {}) },
  }
}

/** The development identity is accepted only where this engine would have given it itself, whoever signs it. */
async function believe(
  { agent_did, resolved_identity }: InvokeContext,
  ports: Ports,
): Promise<ResolvedAgentIdentity> {
  if (!resolved_identity) return unresolved(agent_did)
  if (resolved_identity.did === agent_did) {
    if (resolved_identity.auth_method !== 'local-admin') return resolved_identity
    const own = await ports.identity.resolve(agent_did)
    if (own.outcome === 'Unavailable') throw unavailable('identity', own.reason)
    if (own.outcome !== 'Failed' && own.identity.auth_method === 'local-admin') return resolved_identity
  }
  throw refuse(
    'unauthenticated',
    'The calling engine vouches for an identity this caller cannot have here; resolve it with an identity node.',
    { reason: 'identity mismatch' },
  )
}

/** Stages 1, 5 and 6 over what runs here; the calling engine ran 0 and 2 to 4. */
function placeHere(call: Call, invocation: Invocation, serving: Serving, ports: Ports) {
  call.stage = 1
  const registered = findHere(invocation, serving.registry, ports)
  const versioned: Versioned = Object.assign(call, {
    caller: call.asked.identity!,
    registered,
    operation: findOperation(invocation, registered),
  })
  requireAuditLog(versioned, ports)
  passed(call, 1, ports)
  const authorised: Authorised = Object.assign(versioned, {
    context: contextOf(call, invocation),
    allowance: counted_elsewhere,
    books: empty_books,
    grant: grantOf(versioned, invocation),
  })
  // Charged at the calling engine: nothing is reserved here, but tokens and time have the same limits.
  const worst = worstOf(authorised, authorised.grant.limits?.max_tokens)
  const guarded = Object.assign(breakCircuit(authorised, ports), { worst, reserved: worst })
  passed(call, 5, ports)
  const placed = chooseEndpoint(guarded, ports)
  passed(call, 6, ports)
  return placed
}

/** Spans of its nested calls are children of this call. */
function contextOf({ trace }: Call, { context }: Invocation): InvokeContext {
  return trace ? { ...context, trace_context: trace.context } : context
}

/** Stage 3 of the calling engine knows its own audit log, not this one. */
function requireAuditLog({ operation }: Versioned, { audit_log }: Ports): void {
  if (operation.facts.effect === 'read' || audit_log.state() !== 'overflow') return
  throw refuse(
    'rate_limited',
    'The audit buffer of the engine asked is full, so nothing that changes state is done there; try again shortly.',
    { reason: 'audit buffer overflow', retry_after_ms: 1000 },
  )
}

function grantOf({ operation }: Versioned, { held }: Invocation): HeldCapability {
  const { capability, granted_by } = operation
  const named = held.find(({ name }) => granted_by.includes(name))
  // Its caveats were judged by the calling engine, which alone knows what was used before.
  return named ? { ...named, caveats: [] } : { name: capability, caveats: [], source: 'key' }
}

/** An endpoint elsewhere is never chosen: two engines that name each other would pass a call back and forth. */
function findHere(invocation: Invocation, registry: Registry, ports: Ports): Registered {
  const { protocol, version: requested, context } = invocation
  const versions = registry.versions(protocol) ?? []
  const here = versions.filter(({ endpoints }) => endpoints.length === 0 || endpoints.some(runsHere))
  if (here.length === 0)
    throw versions.length || ports.registry.versions(protocol) ? elsewhere(protocol) : unknown(protocol)
  const registered = chooseVersion(here, requested ?? 'latest', {
    // The calling engine chose an exact version, and knows who may use an unstable one.
    may_pre_release: requested !== undefined && parseVersion(requested) !== undefined,
    canary: [],
    tenant_id: context.tenant_id,
  })
  if (!registered) throw unknownVersion(invocation, here)
  const { endpoints } = registered
  return endpoints.every(runsHere) ? registered : { ...registered, endpoints: endpoints.filter(runsHere) }
}

function runsHere({ kind }: Endpoint): boolean {
  return kind !== 'external'
}

function findOperation({ operation: name, protocol }: Invocation, { operations, version }: Registered) {
  const operation = operations.get(name)
  if (operation) return operation
  throw refuse('unknown_operation', `${protocol} ${version} has no operation ${name} on the engine asked.`, {
    reason: 'unknown operation',
  })
}

/** The calling engine bills the tokens; the module's own metadata goes to its record. */
function metadataOf({ module_metadata, used, replayed, registered }: Done): Record<string, unknown> {
  const { tokens_in, tokens_out } = used
  return { ...module_metadata, usage: { tokens_in, tokens_out }, version: registered.version, replayed }
}

/** No caller's key contains an arrow, so our rows never collide, even where both engines share a database. */
function storedKey({ engine_did }: Invocation, key: string): string {
  return `→${sha256Hex(`${engine_did}\n${key}`)}`
}

/** The caller that chose the key is told about it. */
function namingKey(refusal: Refusal, invocation: Invocation): Refusal {
  const { idempotency_key: key } = invocation
  const { code, message, details, cause } = refusal
  if (key === undefined || !code.startsWith('idempotency_')) return refusal
  return refuse(code, message.replaceAll(storedKey(invocation, key), key), details, cause)
}

function unknownTenant(tenant_id: string, protocol: string): Refusal {
  return refuse(
    'policy_denied',
    `The engine that serves ${protocol} does not know tenant ${tenant_id}; its operator must create it there.`,
    { reason: 'unknown tenant' },
  )
}

function unknown(protocol: string): Refusal {
  return refuse('unknown_protocol', `Protocol ${protocol} is not served by the engine asked.`, {
    reason: 'unknown protocol',
  })
}

function elsewhere(protocol: string): Refusal {
  return refuse(
    'no_endpoint_available',
    `The engine asked has ${protocol} registered elsewhere itself and hands no call on; register where it runs.`,
    { reason: 'forwarded twice' },
  )
}

function unknownVersion({ protocol, version }: Invocation, here: readonly Registered[]): Refusal {
  const installed = here.map((registered) => registered.version).join(', ')
  return refuse(
    'unknown_version',
    `The engine asked serves ${protocol} ${installed}, not ${version ?? 'a stable version'}.`,
    { reason: 'unknown version', installed },
  )
}
