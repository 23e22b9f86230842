// Who spent is looked at within a second: an organization learns that its runway gets short before it ends.

import type { Database } from '@svc/contract/operation-context'
import { runway_purse } from '@svc/contract/purse'
import { runwayLimit } from '@svc/engine/budget'
import type { Clock, Ports, Purses } from '@svc/engine/ports'
import { noteRunway } from '@svc/protocols/economic/runway-store'

const tenants_waiting_max = 10_000
const tenants_a_round_max = 200

export interface RunwayWatch {
  readonly purses: Purses
  /** Looks at those who spent since the last time. */
  note(): Promise<void>
}

type Parts = Pick<Ports, 'treasury' | 'clock'> & Pick<Ports['tenants'], 'tierOf'> & { readonly db: Database }

export function watchRunways(purses: Purses, { treasury, tierOf, clock, db }: Parts): RunwayWatch {
  const spent = new Set<string>()
  return {
    purses: {
      reserve: (tenant_id, takes, take) => purses.reserve(tenant_id, takes, take),
      state: (tenant_id, purse) => purses.state(tenant_id, purse),
      calls: (tenant_id, purse) => purses.calls(tenant_id, purse),
      settle(tenant_id, takes, quanta) {
        if (spent.size < tenants_waiting_max) spent.add(tenant_id)
        purses.settle(tenant_id, takes, quanta)
      },
    },
    async note() {
      for (const tenant_id of [...spent].slice(0, tenants_a_round_max)) {
        spent.delete(tenant_id)
        const tier = await tierOf(tenant_id)
        if (!tier) continue
        const limit = runwayLimit(await treasury.of(tenant_id), tier)
        const { spent_micro_usd } = await purses.state(tenant_id, runway_purse)
        await noteRunway(db, tenant_id, limit - spent_micro_usd, timestampOf(clock))
      }
    },
  }
}

function timestampOf(clock: Clock): string {
  return new Date(clock.now_ms()).toISOString()
}
