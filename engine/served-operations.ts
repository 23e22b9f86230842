// What this engine serves, as its protocols may ask for it: of each operation the version that is shown (shown-versions.ts).
import type { ServedOperation } from '@svc/contract/operation-context'
import type { ServedPlace } from '@svc/contract/served-place'
import type { Breaker, Registered, RegisteredOperation, Registry } from './routing.ts'
import { shownOperation, shownOperations } from './shown-versions.ts'

export function findServed(
  registry: Registry,
  protocol: string,
  operation: string,
): ServedOperation | undefined {
  const found = shownOperation(registry, protocol, operation, '')
  return found && served(found.registered, found.operation)
}

export function allServed(registry: Registry): readonly ServedOperation[] {
  return registry
    .ids()
    .flatMap((id) => shownOperations(registry, id, ''))
    .map(({ registered, operation }) => served(registered, operation))
}

/** Of every version, for a canary has places of its own. */
export function allPlaces(registry: Registry, breaker: Breaker): readonly ServedPlace[] {
  return registry.ids().flatMap((protocol) =>
    (registry.versions(protocol) ?? []).flatMap(({ version, endpoints }) =>
      endpoints.map(({ id: endpoint, kind, healthy }) => {
        return { protocol, version, endpoint, kind, healthy, breaker: breaker.state(protocol, endpoint) }
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
