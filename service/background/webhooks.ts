// Delivery of events to webhooks: looks twice a second whether one of them is behind its audit log.
import { findPeople } from '@svc/adapters/accounts/people'
import { addressGuard } from '@svc/adapters/outbound/address-guard'
import { Deliverer } from '@svc/adapters/webhooks/deliverer'
import { unexpired } from '@svc/contract/authority/capability'
import type { Database } from '@svc/contract/database'
import type { Capabilities, Clock, Keystore, Log } from '@svc/engine/ports'
import { readsAll } from '@svc/protocols/awareness/max/api'
import type { Config } from '../settings/config.ts'
import { every } from './tick.ts'

const look_every_ms = 500

interface Parts {
  readonly db: Database
  readonly custody: Pick<Keystore, 'vault'>
  readonly capabilities: Capabilities
  readonly clock: Clock
  readonly log: Log
}

export function openWebhooks(
  { allowed_networks, tls }: Pick<Config, 'allowed_networks' | 'tls'>,
  parts: Parts,
  closing: (() => Promise<unknown>)[],
): void {
  const guard = addressGuard(allowed_networks)
  const mayRead = (tenant_id: string, did: string) => readsLog(parts, tenant_id, did)
  const deliverer = new Deliverer({ ...parts, guard, ca: tls.authorities, mayRead })
  const timer = every(look_every_ms, () => deliverer.look(), parts.log)
  closing.push(async () => {
    clearInterval(timer)
    await deliverer.close()
  })
}

/** As when it was set: without bounds. Throws where the identity cannot be resolved now. */
async function readsLog(
  { db, capabilities, clock }: Parts,
  tenant_id: string,
  did: string,
): Promise<boolean> {
  const people = await findPeople(db, tenant_id, [], [did])
  if (people.some(({ disabled }) => disabled)) return false
  const { identity, held } = await capabilities.authorityOf(did, tenant_id)
  return !identity.revoked && readsAll(unexpired(held, new Date(clock.now_ms()).toISOString()))
}
