// What the dispatch endpoint uses, and the record of requests that never became a call.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { parseDid } from '@svc/contract/identity/did'
import type { Refusal } from '@svc/contract/refusal'
import type { Engine } from '@svc/engine/dispatch'
import type { AuditLogPort, Clock, KeyRing, Log, RefusalSums } from '@svc/engine/ports'
import type { PublicAgents } from '../a2a/card.ts'
import type { EngineTrust } from '../invoke/engine-trust.ts'
import type { LogTiles } from '../log/log-tiles.ts'
import { addressOf } from '../oauth/address.ts'
import type { Logins } from '../oauth/logins.ts'
import type { WitnessHandler } from '../witness/witness-handler.ts'
import type { GatewayTrust } from './accept-context.ts'
import type { AdmissionControl } from './admission-control.ts'
import { suppliedCorrelationId } from './headers.ts'
import type { Proofs } from './proofs.ts'
import { holderOf } from './refused-holder.ts'

/** What is needed to refuse and record it: an engine's endpoint has it, and so has a gateway that has only a log. */
export interface RefusalRecorder {
  readonly engine: Pick<Engine, 'draining'>
  readonly audit_log: Pick<AuditLogPort, 'written' | 'head'>
  /** Takes the record of every refusal. */
  readonly sums: RefusalSums
  readonly clock: Clock
  readonly log: Log
  /** The engine's own tenant and DID: refusals of unknown callers are recorded in its audit log. */
  readonly own: { readonly tenant_id: string; readonly did: string }
  /** Development only: a tenant whose people look at the engine as its operator's do. */
  readonly developers_tenant_id?: string | undefined
  /** The surface in its records; HTTP by default. */
  readonly origin?: 'mcp' | 'a2a'
  /** Number of our own proxies in front, for X-Forwarded-For. */
  readonly proxy_hops?: number
  /** Where people can sign in, a 401 says where. */
  readonly logins?: Pick<Logins, 'challenge'>
}

export interface DispatchEndpoint extends RefusalRecorder {
  readonly engine: Engine
  readonly audit_log: AuditLogPort
  readonly keys: KeyRing
  /** Gateways that may vouch for callers; none where absent. */
  readonly gateways?: GatewayTrust
  /** Engines served at POST /invoke; without it there is no such route. */
  readonly engines?: EngineTrust
  /** People who signed in; without it only API keys are accepted. */
  readonly logins?: Logins
  /** Agents that prove their key; without it none can. */
  readonly proofs?: Proofs
  /** Limits concurrent calls; without it there is no limit. */
  readonly admission?: AdmissionControl
  /** Cosigns the checkpoints of other logs; without it there are no such routes. */
  readonly witness?: WitnessHandler
  /** Serves logs as tiles; without it there are no such routes. */
  readonly log_tiles?: LogTiles
  /** Agents whose cards everybody may read; without it there are no routes of A2A. */
  readonly public_agents?: PublicAgents
}

/** The start of a path: the part our routes have in common, too short for a key or a code. */
const path_form = /^(\/[\w.-]{1,16}(?=[/?]|$)){1,2}/

/** A refusal may pass several handlers; each can tell that it is recorded, and under which correlation id. */
const recorded = new WeakMap<Refusal, string>()

export function correlationOf(refusal: Refusal): string | undefined {
  return recorded.get(refusal)
}

/**
 * Recorded in the log of the tenant whose credential was shown, else in the operator's. Returns the correlation id of its record. A
 * supplied id counts for a known caller only: a stranger cannot add to a trace in the operator's log.
 */
export function recordRefusedRequest(
  dispatch_endpoint: RefusalRecorder,
  refusal: Refusal,
  from: IncomingMessage | Socket | undefined,
  credential = holderOf(refusal),
  supplied_correlation_id = correlationIn(from),
): string {
  const { code, details, row } = refusal
  const address =
    credential || !from ? undefined : addressOf(requestOf(from), dispatch_endpoint.proxy_hops ?? 0)
  const entry: AuditEntry = {
    id: dispatch_endpoint.clock.uuid(),
    event_type: row.event,
    correlation_id: (credential && supplied_correlation_id) ?? dispatch_endpoint.clock.uuid(),
    timestamp: new Date(dispatch_endpoint.clock.now_ms()).toISOString(),
    tenant_id: credential?.tenant_id ?? dispatch_endpoint.own.tenant_id,
    caller_did: credential?.did ?? 'unauthenticated',
    outcome: row.outcome,
    latency_ms: 0,
    meta: {
      code,
      credential: credential?.key_id,
      origin: dispatch_endpoint.origin ?? 'http',
      reason: details.reason ?? code,
      requested_capability: details.requested_capability,
      source: address,
      supplied: suppliedBy(from),
    },
  }
  const source = { kind: credential ? 'known' : 'unknown', id: credential?.key_id ?? address ?? '' } as const
  const { correlation_id } = dispatch_endpoint.sums.take(entry, source)
  if (code === 'internal')
    dispatch_endpoint.log.error({ err: refusal.cause, correlation_id }, 'the dispatch endpoint failed')
  recorded.set(refusal, correlation_id)
  return correlation_id
}

/** Malformed bytes still have an address. */
function requestOf(from: IncomingMessage | Socket): Pick<IncomingMessage, 'headers' | 'socket'> {
  return 'headers' in from ? from : { headers: {}, socket: from }
}

function correlationIn(from: IncomingMessage | Socket | undefined): string | undefined {
  return from && 'headers' in from ? suppliedCorrelationId(from.headers['x-correlation-id']) : undefined
}

/** Caller text, in the field of the record reserved for it. The rest of a path, or a query, may be secret. */
function suppliedBy(from: IncomingMessage | Socket | undefined): Record<string, unknown> | undefined {
  if (!from || !('headers' in from)) return undefined
  const { 'x-agent-did': claimed } = from.headers
  const claimed_did = typeof claimed === 'string' && parseDid(claimed) ? claimed : undefined
  const path = path_form.exec(from.url ?? '')?.[0]
  return { claimed_did, method: from.method, path }
}

/** Answers wait for the journal, but a failing journal must not delay a refusal. */
export async function journalled(dispatch_endpoint: RefusalRecorder): Promise<void> {
  await dispatch_endpoint.audit_log
    .written()
    .catch((error) => dispatch_endpoint.log.error({ err: error }, 'a refusal could not be journalled'))
}

const refused = new WeakSet<object>()

/** Marks a request or connection as refused and recorded: further bytes are ignored. */
export function markRefused(thing: object): void {
  refused.add(thing)
}

export function isRefused(thing: object): boolean {
  return refused.has(thing)
}
