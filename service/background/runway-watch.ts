// Checks the runway of organizations that spent within a second, to warn them before it ends.

import type { Database } from '@svc/contract/database'
import { runway_counter } from '@svc/contract/money/budget-counter'
import { runwayLimit } from '@svc/engine/limits/budget'
import type { BudgetCounters } from '@svc/engine/limits/budget-counters'
import type { Ports } from '@svc/engine/ports'
import { noteRunway } from '@svc/protocols/economic/meal/api'
import { tickOf } from './tick.ts'

const tenants_waiting_max = 10_000
const tenants_a_round_max = 200

export interface RunwayWatch {
  readonly budget_counters: BudgetCounters
  /** Checks the organizations that spent since the last time. */
  note(): Promise<void>
}

type Parts = Pick<Ports, 'treasury' | 'clock'> & Pick<Ports['tenants'], 'tierOf'> & { readonly db: Database }

export function watchRunways(
  budget_counters: BudgetCounters,
  { treasury, tierOf, clock, db }: Parts,
): RunwayWatch {
  const spent = new Set<string>()
  const spent_at_look = new Map<string, bigint>()
  const look = async (tenant_id: string) => {
    const tier = await tierOf(tenant_id)
    if (!tier) return
    const limit_micro_usd = runwayLimit(await treasury.of(tenant_id), tier)
    const { spent_micro_usd } = await budget_counters.state(tenant_id, runway_counter)
    const since = spent_micro_usd - (spent_at_look.get(tenant_id) ?? spent_micro_usd)
    const room_micro_usd = limit_micro_usd - spent_micro_usd
    const runway = { limit_micro_usd, room_micro_usd, spent_micro_usd: since }
    await noteRunway(db, tenant_id, runway, tickOf(clock))
    spent_at_look.delete(tenant_id)
    if (spent_at_look.size >= tenants_waiting_max) spent_at_look.delete(spent_at_look.keys().next().value!)
    spent_at_look.set(tenant_id, spent_micro_usd)
  }
  return {
    budget_counters: {
      reserve: (tenant_id, takes, take) => budget_counters.reserve(tenant_id, takes, take),
      state: (tenant_id, budget_counter) => budget_counters.state(tenant_id, budget_counter),
      calls: (tenant_id, budget_counter) => budget_counters.calls(tenant_id, budget_counter),
      settle(tenant_id, takes, quanta) {
        if (spent.size < tenants_waiting_max) spent.add(tenant_id)
        budget_counters.settle(tenant_id, takes, quanta)
      },
    },
    async note() {
      for (const tenant_id of [...spent].slice(0, tenants_a_round_max)) {
        spent.delete(tenant_id)
        // Retried later: an organization that stops spending must still be warned.
        await look(tenant_id).catch((error) => {
          spent.add(tenant_id)
          throw error
        })
      }
    },
  }
}
