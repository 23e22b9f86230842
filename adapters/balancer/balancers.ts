import type { Clock } from '@svc/engine/ports'
import type { Balance, Balancer } from '@svc/engine/routing/routing'
import { leastRequest } from './least-request.ts'
import { roundRobin } from './round-robin.ts'
import { tenant_hash } from './tenant-hash.ts'

/** Each protocol version is balanced as its registration says. */
export function balancers(clock: Pick<Clock, 'random'>): Balancer {
  const by_name: Readonly<Record<Balance, Balancer>> = {
    'round-robin': roundRobin(),
    'least-request': leastRequest(clock),
    'tenant-hash': tenant_hash,
  }
  return {
    choose: (registered, tenant_id, healthy) =>
      by_name[registered.balance].choose(registered, tenant_id, healthy),
  }
}
