// Routing: which versions exist, where each can be invoked, which endpoints are healthy, and which is next.

import type { InvokeContext } from '@svc/contract/invoke-context'
import type { Multipliers } from '@svc/contract/money/charge'
import type { Compute } from '@svc/contract/needs/computation'
import type { Need } from '@svc/contract/needs/needs'
import type { Remote } from '@svc/contract/needs/remote'
import type { OperationContext } from '@svc/contract/operation-context'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration, ModuleResponse, Operation } from '@svc/contract/protocol'

export interface Registry {
  /** All versions of a protocol, by its canonical id in any letter case. */
  versions(protocol: string): readonly Registered[] | undefined
  ids(): readonly string[]
  /** Basis points of tenants per version while a canary runs; empty otherwise. */
  canary(protocol: string): readonly { version: string; weight_bps: number }[]
  /** Changes whenever any of the above does, for caches. */
  revision(): number
  /** Called after every change; returns a function to unsubscribe. Must not throw. */
  watch(changed: () => void): () => void
}

export interface Breaker {
  /** Undefined lets the call through; otherwise why not, and when to retry. */
  blocked(
    protocol: string,
    endpoint: string,
    in_flight: number,
  ): { last_failure: string; retry_after_ms: number; state: string } | undefined
  /** Only checks; `blocked` may count the calls it lets through. */
  state(protocol: string, endpoint: string): 'CLOSED' | 'OPEN' | 'HALF_OPEN'
  /** `begun_ms` is when the call began, by the monotonic clock: a call from before a circuit closed says nothing about now. */
  succeeded(protocol: string, endpoint: string, begun_ms?: number): void
  failed(protocol: string, endpoint: string, why: string, begun_ms?: number): void
}

/** A place where a module can be invoked: in this process, over HTTP, or in a sandbox. */
export interface Endpoint {
  readonly id: string
  /** `adapter`: its handlers run here and call an outside service; `external`: all of it runs there. */
  readonly kind: 'native' | 'adapter' | 'external' | 'wasm'
  readonly healthy: boolean
  /** Of a plugin: the organization whose key signed it. */
  readonly owner_tenant_id?: string
  /** Its share of the calls beside other endpoints; 1 where absent. */
  readonly weight?: number
  /** Calls running there, counted by stage 7: breaker and balancer judge load by it. */
  in_flight: number
  invoke(
    operation: string,
    payload: unknown,
    context: OperationContext<Need>,
  ): ModuleResponse | Promise<ModuleResponse>
  /** Completes a stored answer, where the place of a record is part of it. */
  finish?(operation: string): Operation['finish']
  /** The outside service of an adapter's handlers, for one call. */
  remoteFor?(context: InvokeContext, signal: AbortSignal): Remote
}

/** The circuit of an endpoint for a tenant. A plugin's failures depend on its caller's input, so its circuit opens for that tenant only. */
export function circuitOf({ id, kind }: Pick<Endpoint, 'id' | 'kind'>, tenant_id: string): string {
  return kind === 'wasm' ? `${id}#${tenant_id}` : id
}

/** The endpoint of a circuit. */
export function endpointOf(circuit: string): string {
  return circuit.startsWith('plugin:') ? circuit.split('#', 1)[0]! : circuit
}

/** How calls are spread over the endpoints of a protocol. */
export type Balance = 'round-robin' | 'least-request' | 'tenant-hash'

export interface Balancer {
  /** One of several healthy endpoints of this protocol version, by its balancing method. */
  choose(registered: Registered, tenant_id: string, healthy: readonly Endpoint[]): Endpoint | undefined
}

/** A protocol version the engine can route to. */
export interface Registered {
  readonly facts: Declaration
  readonly version: string
  readonly operations: ReadonlyMap<string, RegisteredOperation>
  readonly endpoints: readonly Endpoint[]
  readonly balance: Balance
}

export interface RegisteredOperation {
  readonly name: string
  readonly facts: OperationFacts
  readonly capability: string
  readonly multipliers: Multipliers
  /** The names that grant it, in the order stage 4 tries them. */
  readonly granted_by: readonly string[]
  readonly inputFaults: FaultsOf
  /** Used where the schema is untrusted; otherwise only in tests and development. */
  readonly outputFaults: FaultsOf
}

/** Empty where a value matches the schema, otherwise faults with a JSON Pointer each. `text` is the value as JSON, where available. */
export type FaultsOf = (
  value: unknown,
  compute: Compute,
  text?: string,
) => readonly Fault[] | Promise<readonly Fault[]>

export interface Fault {
  readonly pointer: string
  readonly message: string
}
