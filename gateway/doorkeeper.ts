// What the door works with, and the record of what never became a call.
import { parseDid } from '@svc/contract/did'
import type { Refusal } from '@svc/contract/refusal'
import type { Engine } from '@svc/engine/dispatch'
import type { AuditBook, Clock, Credential, KeyRing, Log } from '@svc/engine/ports'
import type { GatewayTrust } from './accept-context.ts'
import type { EngineTrust } from './invoke.ts'
import type { Logins } from './oauth/logins.ts'
import type { Room } from './room.ts'
import type { WitnessDesk } from './witness-routes.ts'

/** What it takes to refuse and to have it recorded: an engine's door has it, and so has a gateway that has only a log. */
export interface Doorkeeper {
  readonly engine: Pick<Engine, 'draining'>
  readonly book: Pick<AuditBook, 'record' | 'written' | 'head'>
  readonly clock: Clock
  readonly log: Log
  /** The engine's own tenant and DID: refusals of callers nobody knows are kept in its book. */
  readonly own: { readonly tenant_id: string; readonly did: string }
  /** The surface it stands before, as its records say; HTTP unless told. */
  readonly origin?: 'mcp'
  /** Where people can sign in, a 401 says where. */
  readonly logins?: Pick<Logins, 'challenge'>
}

export interface Door extends Doorkeeper {
  readonly engine: Engine
  readonly book: AuditBook
  readonly keys: KeyRing
  /** Which gateways may vouch for callers; none where there is no such list. */
  readonly gateways?: GatewayTrust
  /** Which engines are served at POST /invoke; the route is not there without it. */
  readonly engines?: EngineTrust
  /** People who signed in; without it only API keys open the door. */
  readonly logins?: Logins
  /** How much is let in at once; without it there is no bound. */
  readonly room?: Room
  /** Cosigns the checkpoints of other logs; the routes are not there without it. */
  readonly witness?: WitnessDesk
}

/** A refusal may pass several hands on its way out; each can tell that it is recorded, and under which correlation id. */
const recorded = new WeakMap<Refusal, string>()

export function correlationOf(refusal: Refusal): string | undefined {
  return recorded.get(refusal)
}

/**
 * Kept in the caller's own audit log where the caller is known, else in the engine's. Returns the correlation id.
 * A supplied id counts for a known caller only: a stranger adds nothing to a trace in the engine's own log.
 */
export function recordAtDoor(
  door: Doorkeeper,
  refusal: Refusal,
  credential: Credential | undefined,
  claimed_did: string | undefined,
  supplied_correlation_id?: string,
): string {
  const correlation_id = (credential && supplied_correlation_id) ?? door.clock.uuid()
  if (refusal.code === 'internal') door.log.error({ err: refusal.cause, correlation_id }, 'the door failed')
  const claim = claimed_did !== undefined && parseDid(claimed_did) ? claimed_did : undefined
  door.book.record({
    id: door.clock.uuid(),
    event_type: refusal.row.event,
    correlation_id,
    timestamp: new Date(door.clock.now_ms()).toISOString(),
    tenant_id: credential?.tenant_id ?? door.own.tenant_id,
    caller_did: credential?.did ?? 'unauthenticated',
    outcome: refusal.row.outcome,
    latency_ms: 0,
    meta: {
      code: refusal.code,
      reason: refusal.details.reason ?? refusal.code,
      origin: door.origin ?? 'http',
      claimed_did: claim,
    },
  })
  recorded.set(refusal, correlation_id)
  return correlation_id
}

/** Answers wait for the journal, but one that cannot be written must not keep a caller waiting for its refusal. */
export async function journalled(door: Doorkeeper): Promise<void> {
  await door.book
    .written()
    .catch((error) => door.log.error({ err: error }, 'a refusal could not be journalled'))
}

const refused = new WeakSet<object>()

/** Marks a request or a connection that has been refused and recorded: what still comes of it is more of the same. */
export function markRefused(thing: object): void {
  refused.add(thing)
}

export function isRefused(thing: object): boolean {
  return refused.has(thing)
}
