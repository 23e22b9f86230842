// Probes the registry's endpoints: the registry says which are due, the guarded prober sends the requests.
import { probeDue } from '@svc/adapters/registry-health/prober'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Clock, Log } from '@svc/engine/ports'
import { type DueProbe, noteProbe, takeDueProbes } from '@svc/protocols/awareness/mars/api'

export interface RegistryProbes {
  readonly store: PostgresStore
  readonly clock: Clock
  /** Development only: the tenant whose endpoints on this machine are probed too. */
  readonly loopback_tenant?: string | undefined
  readonly log: Log
}

/** Probes the endpoints that are due; returns how many. */
export function probeRegistered({ store, clock, loopback_tenant, log }: RegistryProbes): Promise<number> {
  return probeDue<DueProbe>(
    {
      take: (now, chance, taken_max) => takeDueProbes(store.engine, now, chance, taken_max),
      note: (due, result, at) => noteProbe(store.engine, due, result, at),
    },
    { clock, loopback_tenant, log },
  )
}
