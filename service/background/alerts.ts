// Alert rules: looks each second which are due, and reads their values with the rights of their organization.
import { countExpiringKeys } from '@svc/adapters/access/own-keys'
import { queueMailWith } from '@svc/adapters/smtp/mail-queue'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Database } from '@svc/contract/database'
import { quanta_per_micro_usd } from '@svc/contract/money/money'
import type { EngineHealth } from '@svc/contract/needs/measurement'
import type { Clock, Keystore, Log } from '@svc/engine/ports'
import { brokenRecords } from '@svc/protocols/awareness/max/api'
import { quantileOf, readTotals, resolutionFor } from '@svc/protocols/awareness/metrics/api'
import { burnNow } from '@svc/protocols/awareness/moment/api'
import {
  type Condition,
  evaluateRules,
  forgetOldAlerts,
  percentiles,
} from '@svc/protocols/awareness/motif/api'
import { spentSince } from '@svc/protocols/economic/usage/api'
import { countExpiringTreaties } from '@svc/protocols/governance/moat/api'
import type { Config } from '../settings/config.ts'
import { every } from './tick.ts'

const look_every_ms = 1_000
const forget_every_ms = 600_000
const minute_ms = 60_000
const hour_ms = 3_600_000
const micro_usd_per_usd = 1_000_000

interface Parts {
  readonly store: Pick<PostgresStore, 'transaction' | 'engine'>
  readonly custody: Pick<Keystore, 'vault'>
  readonly health: Pick<EngineHealth, 'settled'>
  readonly clock: Clock
  readonly log: Log
}

export function openAlerts(
  { smtp }: Pick<Config, 'smtp'>,
  { store, custody, health, clock, log }: Parts,
  closing: (() => Promise<unknown>)[],
): void {
  const db = store.engine
  const vaultOf = (tenant_id: string) => custody.vault(tenant_id)
  const queueMail = queueMailWith(vaultOf, smtp !== undefined)
  let round: Promise<unknown> = Promise.resolve()
  const look = () => {
    const evaluated = evaluateRules({
      db,
      transaction: (tenant_id) => store.transaction(tenant_id),
      async read(own_db, tenant_id, condition, now) {
        await health.settled(tenant_id)
        return readValue(own_db, tenant_id, condition, now)
      },
      vaultOf,
      queueMail,
      newId: () => clock.uuid(),
      clock,
      warn: (error, { tenant_id, name }) =>
        log.warn({ err: error, tenant_id, rule: name }, 'an alert rule could not be read; trying again'),
    })
    round = evaluated.catch(() => {})
    return evaluated
  }
  const timers = [
    every(look_every_ms, look, log),
    every(forget_every_ms, () => forgetOldAlerts(db, new Date(clock.now_ms())), log),
  ]
  closing.push(async () => {
    for (const timer of timers) clearInterval(timer)
    await round
  })
}

/** In a transaction of the organization, so that row-level security bounds what is read. */
async function readValue(db: Database, tenant_id: string, condition: Condition, now: Date): Promise<number> {
  const window_ms = condition.window_minutes * minute_ms
  const [since, until] = [new Date(now.getTime() - window_ms), new Date(now.getTime() + window_ms)]
  switch (condition.watches) {
    case 'refusals':
      return countCalls(db, tenant_id, condition, now, (code) =>
        condition.code === undefined ? code !== 'ok' : code === condition.code,
      )
    case 'breakers':
      return countCalls(db, tenant_id, condition, now, (code) => code === 'circuit_open')
    case 'latency':
      return latencyMs(db, tenant_id, condition, now)
    case 'slo': {
      const { target = 1, window_minutes } = condition
      return burnNow(db, tenant_id, { ...condition, target }, window_minutes, now.getTime())
    }
    case 'spend': {
      const { quanta } = await spentSince(
        db,
        tenant_id,
        new Date(Math.floor(since.getTime() / hour_ms) * hour_ms),
      )
      return Number(quanta / quanta_per_micro_usd) / micro_usd_per_usd
    }
    case 'log':
      return brokenRecords({ db, tenant_id }, { from: since.toISOString(), to: until.toISOString() })
    case 'keys':
      return countExpiringKeys(db, tenant_id, now, until)
    case 'treaties':
      return countExpiringTreaties(db, tenant_id, now, until)
  }
}

/** Of all calls in the window, as `svc_dispatch_…` counts them. */
function totalsOf(
  db: Database,
  tenant_id: string,
  { protocol, operation, window_minutes }: Condition,
  now: Date,
  {
    metric,
    labels = {},
    by,
  }: { metric: string; labels?: Readonly<Record<string, string>>; by: readonly string[] },
) {
  const from_ms = now.getTime() - window_minutes * minute_ms
  const resolution = resolutionFor(from_ms, now.getTime())
  // The point that is still being measured counts too.
  const range = { from_ms, to_ms: now.getTime() + resolution.seconds * 1000 }
  const narrowed = { ...labels, ...(protocol && { protocol }), ...(operation && { operation }) }
  return readTotals(db, { metric, labels: narrowed, tenant_id }, { range, resolution }, by)
}

async function countCalls(
  db: Database,
  tenant_id: string,
  condition: Condition,
  now: Date,
  counts: (code: string) => boolean,
): Promise<number> {
  const totals = await totalsOf(db, tenant_id, condition, now, { metric: 'svc_dispatch_total', by: ['code'] })
  return totals.reduce((sum, { labels: { code = '' }, value }) => sum + (counts(code) ? value : 0), 0)
}

/** 0 where nothing was called. */
async function latencyMs(db: Database, tenant_id: string, condition: Condition, now: Date): Promise<number> {
  const question = { metric: 'svc_dispatch_seconds', labels: { kept: 'yes' }, by: [] }
  const [all] = await totalsOf(db, tenant_id, condition, now, question)
  const share = percentiles[condition.percentile ?? 'p95']
  return 1000 * ((all && quantileOf(share, all.buckets ?? [], all.bounds ?? [])) ?? 0)
}
