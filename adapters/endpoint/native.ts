// A module in this process, always healthy.
import { asModule, type Protocol } from '@svc/contract/protocol'
import type { Endpoint } from '@svc/engine/routing/routing'

export function nativeEndpoint(protocol: Protocol): Endpoint {
  const module = asModule(protocol)
  return {
    id: 'native',
    kind: 'native',
    healthy: true,
    in_flight: 0,
    invoke: (operation, payload, context) => module.invoke(operation, payload, context),
    finish: (operation) => module.finish(operation),
  }
}
