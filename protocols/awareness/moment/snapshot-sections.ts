// The sections of a snapshot. A section without history says so instead of guessing.

import { tiers } from '@svc/contract/authority/tier'
import { runway_counter } from '@svc/contract/money/budget-counter'
import { usdText } from '@svc/contract/money/money'
import { isKept } from '@svc/contract/needs/measurement'
import type { OperationContext } from '@svc/contract/operation-context'
import { countRuns } from '../../execution/moon/api.ts'
import { countDevices } from '../../execution/mote/api.ts'
import { quantileOf, readTotals, resolutionFor, type Totals } from '../metrics/api.ts'
import { countMail } from '../mim/api.ts'
import type { ChainMoment } from './snapshot-chain.ts'

export const section_names = [
  'dispatch',
  'latency',
  'breakers',
  'audit',
  'runway',
  'workflows',
  'mailboxes',
  'devices',
] as const
export type SectionName = (typeof section_names)[number]

export interface SnapshotQuestion {
  readonly context: OperationContext<'budgets' | 'engine' | 'served' | 'tenants' | 'health'>
  readonly at: string
  /** Undefined for all visible tenants. */
  readonly tenant_id: string | undefined
  readonly chain: ChainMoment
  readonly is_past: boolean
}

type Values = Readonly<Record<string, unknown>>

interface Section {
  readonly meaning: string
  /** Whether it is available for a past time. */
  readonly has_past: boolean
  gather(question: SnapshotQuestion): Promise<Values> | Values
}

export const sections: Readonly<Record<SectionName, Section>> = {
  dispatch: {
    meaning: 'Calls of the five minutes before, by protocol, and how many were refused or failed.',
    has_past: true,
    gather: gatherCalls,
  },
  latency: {
    meaning: 'Mean, p50, p95 and p99 in milliseconds of the five minutes before, by protocol.',
    has_past: true,
    gather: gatherLatency,
  },
  breakers: {
    meaning: 'Circuit breakers: how many are closed, and which endpoints are failing.',
    has_past: false,
    gather: gatherBreakers,
  },
  audit: {
    meaning: 'Records and newest hash of the audit log; for now also the state of its writer.',
    has_past: true,
    gather: gatherAudit,
  },
  runway: {
    meaning: 'What the tenant has spent, reserved and left, and how many holds are on it.',
    has_past: false,
    gather: gatherRunway,
  },
  workflows: {
    meaning: 'Workflow runs by state: open ones, and those that ended in the last day.',
    has_past: false,
    gather: async ({ context }) => ({ ...(await countRuns(context.db, context.tenant_id, context.now)) }),
  },
  mailboxes: {
    meaning: 'Number of mailboxes, their unfinished messages, dead letters and bytes.',
    has_past: false,
    gather: async ({ context }) => ({ ...(await countMail(context.db, context.tenant_id)) }),
  },
  devices: {
    meaning: 'Number of devices, and of those heard from lately.',
    has_past: false,
    gather: async ({ context }) => ({ ...(await countDevices(context.db, context.tenant_id, context.now)) }),
  },
}

const looked_back_ms = 300_000

/** The five minutes before the given time; for the distant past its hour, the finest that is retained. */
function stretchBefore({ at, context }: SnapshotQuestion) {
  const at_ms = Date.parse(at)
  const resolution = resolutionFor(at_ms - looked_back_ms, Date.parse(context.now))
  const span_ms = resolution.seconds * 1000
  const to_ms = Math.ceil((at_ms + 1) / span_ms) * span_ms
  const range = { from_ms: to_ms - Math.max(looked_back_ms, span_ms), to_ms }
  const from = new Date(range.from_ms).toISOString()
  return { windows: { range, resolution }, from, seconds: (to_ms - range.from_ms) / 1000 }
}

async function gatherCalls(question: SnapshotQuestion): Promise<Values> {
  const { context, tenant_id, is_past } = question
  const { windows, from, seconds } = stretchBefore(question)
  const metric_question = { metric: 'svc_dispatch_total', labels: {}, tenant_id }
  const totals = await readTotals(context.db, metric_question, windows, ['protocol', 'outcome', 'code'])
  const by_protocol = Map.groupBy(totals, ({ labels }) => labels.protocol ?? 'unknown')
  const sumOf = (rows: readonly Totals[]) => rows.reduce((sum, { value }) => sum + value, 0)
  const protocols = [...by_protocol].map(([protocol, rows]) => ({
    protocol,
    calls: sumOf(rows),
    refused: sumOf(rows.filter(({ labels }) => labels.outcome === 'refused')),
    failed: sumOf(rows.filter(({ labels }) => !isKept(labels.code ?? ''))),
  }))
  // Only the operator sees the load of the whole engine.
  const shows_load = !is_past && context.tenant_id === context.engine.operator_tenant_id
  return {
    from,
    calls: sumOf(totals),
    calls_per_s: sumOf(totals) / seconds,
    protocols,
    ...(shows_load ? { in_flight: context.health.state().in_flight } : {}),
  }
}

async function gatherLatency(question: SnapshotQuestion): Promise<Values> {
  const { context, tenant_id } = question
  const { windows, from } = stretchBefore(question)
  const metric_question = { metric: 'svc_dispatch_seconds', labels: {}, tenant_id }
  const totals = await readTotals(context.db, metric_question, windows, ['protocol'])
  const protocols = totals.map(({ labels, count, value, buckets, bounds }) => {
    const at = (quantile: number) => 1000 * (quantileOf(quantile, buckets ?? [], bounds ?? []) ?? 0)
    const mean_ms = count > 0 ? (1000 * value) / count : 0
    return { protocol: labels.protocol ?? 'unknown', calls: count, mean_ms, p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) } // biome-ignore format: kept on one line
  })
  return { from, protocols }
}

/** Only the operator sees the addresses of external services. */
function gatherBreakers({ context }: SnapshotQuestion): Values {
  const is_operator = context.tenant_id === context.engine.operator_tenant_id
  const all = context.served.places()
  const troubled = all.filter(({ breaker, healthy }) => breaker !== 'CLOSED' || !healthy)
  return {
    places: all.length,
    closed: all.filter(({ breaker }) => breaker === 'CLOSED').length,
    troubled: troubled.map(({ protocol, version, kind, breaker, healthy, endpoint }) => ({
      protocol,
      version,
      kind,
      breaker,
      healthy,
      ...(is_operator ? { endpoint } : {}),
    })),
  }
}

function gatherAudit({ context, chain, is_past }: SnapshotQuestion): Values {
  const now = is_past ? {} : { state: context.health.state().audit.state }
  return { records: chain.tree_size, chain_head: chain.chain_head, ...now }
}

async function gatherRunway({ context }: SnapshotQuestion): Promise<Values> {
  const { paid_in_micro_usd, credit_line_micro_usd, level, holds, standing } = await context.budgets.rules()
  const { spent_micro_usd, reserved_micro_usd } = await context.budgets.counter(runway_counter)
  const tier = (await context.tenants.tierOf(context.tenant_id)) ?? 'sandbox'
  const credit = credit_line_micro_usd ?? tiers[tier].credit_line_micro_usd
  const left = paid_in_micro_usd + credit - spent_micro_usd - reserved_micro_usd
  return {
    level,
    standing,
    holds: holds.length,
    spent_usd: usdText(spent_micro_usd),
    reserved_usd: usdText(reserved_micro_usd),
    left_usd: usdText(left),
  }
}
