// Serves calls of other engines: which protocols, and which engines are trusted.
import { contextClaims } from '@svc/adapters/access/gateway-contexts'
import type { TenantTiers } from '@svc/adapters/access/tenant-tiers'
import { within } from '@svc/adapters/clock/within'
import type { ExternalClient } from '@svc/adapters/endpoint/external-client'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Protocol } from '@svc/contract/protocol'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import type { Ports } from '@svc/engine/ports'
import type { Serving } from '@svc/engine/routing/record-served'
import { openRegistry } from '@svc/engine/routing/registry'
import type { EngineTrust } from '@svc/gateway/invoke/engine-trust'
import type { Config } from '../settings/config.ts'
import type { RemoteServices } from './remote-services.ts'

const body_ms_max = 10_000

interface Parts {
  readonly protocols: readonly Protocol[]
  readonly remote: RemoteServices
  readonly aegis: ExternalClient | undefined
  readonly tiers: TenantTiers
}

/** A separate registry: for other engines this one runs its protocols itself, even if its own calls go elsewhere. */
export function openServing(config: Config, { protocols, remote, aegis, tiers }: Parts): Serving {
  const registry = openRegistry()
  for (const protocol of protocols) registry.register(protocol, remote.endpointsOf(protocol, aegis))
  return { registry, operator_tenant_id: config.tenant_id, tierOf: tiers.tierOf }
}

export function trustEngines(config: Config, { clock, log }: Ports, store: PostgresStore): EngineTrust {
  const claim = contextClaims(store.engine, clock, log)
  return {
    dids: new Set([config.agent_did, ...config.trusted_engines]),
    signer: config.agent_key,
    claim: (engine_did, id, until_ms) => claim(claimId(engine_did, id), until_ms),
    inTime: (arriving) => within(body_ms_max, arriving),
  }
}

/** A UUID for the table of used contexts; hashing prevents collisions with ids of gateways and other engines. */
function claimId(engine_did: string, id: string): string {
  const hex = sha256Hex(`invoke\n${engine_did}\n${id}`)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}
