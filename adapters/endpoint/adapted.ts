// An adapter's endpoint: its handlers run here and call one remote service.
import type { PublisherTrust } from '@svc/contract/needs/remote'
import { asModule, type Protocol } from '@svc/contract/protocol'
import type { Endpoint } from '@svc/engine/routing/routing'
import type { ExternalClient } from './external-client.ts'

export function adaptedEndpoint(
  protocol: Protocol,
  client: ExternalClient,
  publishers?: PublisherTrust,
): Endpoint {
  const module = asModule(protocol)
  return {
    id: client.url,
    kind: 'adapter',
    // Health is the breaker's matter: probes open and close it.
    healthy: true,
    in_flight: 0,
    invoke: (operation, payload, context) => module.invoke(operation, payload, context),
    finish: (operation) => module.finish(operation),
    remoteFor: (context, signal) => ({
      invoke: (operation, payload) => client.invoke(operation, payload, context, signal),
      publishers,
    }),
  }
}
