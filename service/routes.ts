// What this engine routes to: the catalogue's protocols in this process, and those registered as services outside.
import type { ExternalClient } from '@svc/adapters/endpoint/external-client'
import type { Protocol } from '@svc/contract/protocol'
import { type OpenRegistry, openRegistry } from '@svc/engine/registry'
import type { FarServices } from './far-services.ts'

interface Parts {
  readonly protocols: readonly Protocol[]
  readonly far: FarServices
  readonly aegis: ExternalClient | undefined
}

export interface Routes {
  readonly registry: OpenRegistry
}

export function openRoutes({ protocols, far, aegis }: Parts): Routes {
  const registry = openRegistry()
  for (const protocol of protocols) registry.register(protocol, far.endpointsOf(protocol, aegis))
  return { registry }
}
