// Opens the books that calls are checked against, and their periodic work.

import { standingOf } from '@svc/adapters/access/standing'
import type { TenantTiers } from '@svc/adapters/access/tenant-tiers'
import { rolesOf } from '@svc/adapters/accounts/role-store'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import { type BooksCache, booksCache } from '@svc/adapters/treasury/books-cache'
import type { AuditLog } from '@svc/audit/audit-log'
import type { Database } from '@svc/contract/database'
import type { Books } from '@svc/contract/money/books'
import type { BudgetCounters } from '@svc/engine/limits/budget-counters'
import type { Clock, Log } from '@svc/engine/ports'
import { sweepContracts } from '@svc/protocols/economic/made/api'
import { sweepHolds, sweepLots } from '@svc/protocols/economic/mana/api'
import { sweepOrders } from '@svc/protocols/economic/market/api'
import { countLowRunways, readBooks, rollUp } from '@svc/protocols/economic/meal/api'
import { hasPolicies } from '@svc/protocols/governance/policies/api'
import type { Config } from '../settings/config.ts'
import { watchRunways } from './runway-watch.ts'
import { every, tickOf } from './tick.ts'

const note_every_ms = 1_000
const sweep_every_ms = 1_000
const roll_up_look_ms = 10_000
const count_low_every_ms = 30_000
const hour_ms = 3_600_000

interface Parts {
  readonly store: PostgresStore
  readonly audit_log: AuditLog
  readonly meters: Prometheus
  readonly log: Log
  readonly clock: Clock
  readonly tiers: TenantTiers
  readonly budget_counters: BudgetCounters
}

/** Scheduled work in bounded batches; it does nothing if another engine was faster. */
const sweeps = [sweepContracts, sweepOrders, sweepLots, sweepHolds]

type Closing = (() => Promise<unknown>)[]

export function openTreasury(
  config: Config,
  parts: Parts,
  closing: Closing,
): { readonly books: BooksCache; readonly budget_counters: BudgetCounters } {
  const { store, clock, log, tiers } = parts
  const db = store.engine
  const books = booksCache((tenant_id) => readTenant(db, tenant_id), clock)
  const watch = watchRunways(parts.budget_counters, { treasury: books, tierOf: tiers.tierOf, clock, db })
  let low = 0
  parts.meters.gauge('svc_runway_low_tenants', 'Organizations whose runway is low or used up.', () => low)
  const countLow = async () => {
    low = await countLowRunways(db)
  }
  const timers = [
    every(count_low_every_ms, countLow, log),
    every(note_every_ms, watch.note, log),
    every(
      roll_up_look_ms,
      hourly(clock, () => rollUp(db, config.tenant_id, tickOf(clock))),
      log,
    ),
    ...sweeps.map((sweep) => every(sweep_every_ms, () => sweep(db, tickOf(clock)), log)),
  ]
  closing.push(async () => {
    for (const timer of timers) clearInterval(timer)
  })
  return { books, budget_counters: watch.budget_counters }
}

/** Every call is checked against money, roles and policies, so all are read and invalidated together. */
async function readTenant(db: Database, tenant_id: string): Promise<Books> {
  const [money, standing, roles, has_policies] = await Promise.all([
    readBooks(db, tenant_id),
    standingOf(db, tenant_id),
    rolesOf(db, tenant_id),
    hasPolicies(db, tenant_id),
  ])
  return { ...money, standing, roles, has_policies }
}

/** Runs once after each full hour; a failure is retried at the next check. */
function hourly(clock: Clock, work: () => Promise<unknown>): () => Promise<void> {
  let done_hour = Math.floor(clock.now_ms() / hour_ms)
  return async () => {
    const hour = Math.floor(clock.now_ms() / hour_ms)
    if (hour === done_hour) return
    await work()
    done_hour = hour
  }
}
