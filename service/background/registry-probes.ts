// The registry's endpoints, asked after by this engine: turns from the registry, questions through the guarded prober.
import { probeDue } from '@svc/adapters/registry-health/prober'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Clock, Log } from '@svc/engine/ports'
import { type DueProbe, noteProbe, takeDueProbes } from '@svc/protocols/awareness/mars/api'

export interface RegistryProbes {
  readonly store: PostgresStore
  readonly clock: Clock
  /** Development only: whose endpoints on this machine are asked too. */
  readonly loopback_tenant?: string | undefined
  readonly log: Log
}

/** Those that are due by the engine's clock; answers how many were asked. */
export function probeRegistered({ store, clock, loopback_tenant, log }: RegistryProbes): Promise<number> {
  return probeDue<DueProbe>(
    {
      take: (now, chance, taken_max) => takeDueProbes(store.engine, now, chance, taken_max),
      note: (due, result, at) => noteProbe(store.engine, due, result, at),
    },
    { clock, loopback_tenant, log },
  )
}
