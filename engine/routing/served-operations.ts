// What this engine serves, for its protocols: of each operation the shown version (shown-versions.ts).
import type { ServedOperation } from '@svc/contract/needs/served-operations'
import type { ServedPlace } from '@svc/contract/served-place'
import {
  type Breaker,
  circuitOf,
  type Registered,
  type RegisteredOperation,
  type Registry,
} from './routing.ts'
import { shownOperation, shownOperations } from './shown-versions.ts'

export function findServed(
  registry: Registry,
  protocol: string,
  operation: string,
): ServedOperation | undefined {
  const shown_operation = shownOperation(registry, protocol, operation, '')
  return shown_operation && served(shown_operation.registered, shown_operation.operation)
}

export function allServed(registry: Registry): readonly ServedOperation[] {
  return registry
    .ids()
    .flatMap((id) => shownOperations(registry, id, ''))
    .map(({ registered, operation }) => served(registered, operation))
}

/** Of every version, since a canary has its own endpoints; with the circuits of this tenant. */
export function allPlaces(registry: Registry, breaker: Breaker, tenant_id: string): readonly ServedPlace[] {
  return registry.ids().flatMap((protocol) =>
    (registry.versions(protocol) ?? []).flatMap(({ version, endpoints }) =>
      endpoints.map((endpoint) => {
        const { id, kind, healthy } = endpoint
        const state = breaker.state(protocol, circuitOf(endpoint, tenant_id))
        return { protocol, version, endpoint: id, kind, healthy, breaker: state }
      }),
    ),
  )
}

function served(
  { facts: { id, category }, version, endpoints }: Registered,
  { name, facts, capability }: RegisteredOperation,
) {
  const is_external = endpoints.some(({ kind }) => kind === 'external')
  return { protocol: id, version, category, operation: name, capability, facts, is_external }
}
