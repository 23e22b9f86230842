import { microUsdOf, UsdText, usdText } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, OneOf, Outcome, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { departmentNames, envelopesOf } from '../../economic/mana/api.ts'
import {
  type HistoryFilter,
  type HistoryRow,
  history_groups,
  history_resolutions,
  latency_bounds_ms,
  ranks,
  readHistory,
} from '../history/api.ts'
import { AllTenants, quantileOf, type Range, rangeOf, tenantSeen } from '../metrics/api.ts'
import { maySeeSpend, requireSpendRight, spend_capability } from './spend-right.ts'

const windows_max = 1_500
const points_max = 15_000
const groups_max = 50
const top_default = 10
/** Steps offered where none is named: the shortest with at most this many windows. */
const windows_default = 120
const steps_ms = [60_000, 300_000, 900_000, 3_600_000, 21_600_000, 86_400_000] as const

export const HistoryInput = Closed({
  from: described(Timestamp, 'Calls from this time on.'),
  to: described(Timestamp, 'Calls before this time.'),
  step_ms: Type.Optional(
    Type.Integer({
      minimum: 60_000,
      maximum: 31 * 86_400_000,
      multipleOf: 60_000,
      description: 'Length of a window, in whole minutes. By default one that gives up to 120 windows.',
    }),
  ),
  by: Type.Optional(
    described(
      OneOf(...history_groups),
      'Also sums by this. tenant needs all_tenants; absent means no groups.',
    ),
  ),
  top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: groups_max,
      default: top_default,
      description: 'How many groups to show: the largest.',
    }),
  ),
  rank: Type.Optional(described(OneOf(...ranks), 'What makes a group large. Default calls.')),
  protocol: Type.Optional(Text(64, { description: 'Only calls of this protocol, as it is listed.' })),
  operation: Type.Optional(Text(128, { description: 'Only calls of this operation, without its protocol.' })),
  agent_did: Type.Optional(described(Did, 'Only calls of this agent or person.')),
  department: Type.Optional(Text(64, { description: 'Only calls paid by an envelope of this department.' })),
  outcome: Type.Optional(described(Outcome, 'Only calls that ended so.')),
  code: Type.Optional(Text(64, { description: 'Only calls with this refusal code; ok for successes.' })),
  reason: Type.Optional(Text(200, { description: 'Only refusals and failures with this reason.' })),
  all_tenants: Type.Optional(AllTenants),
})

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Latency = (share: string) =>
  Type.Union([Type.Number(), Type.Null()], {
    description: `Milliseconds within which ${share} of the calls ended that were not refused; null without any.`,
  })
const figures = {
  calls: Count('All calls, nested ones included; dry runs are none.'),
  refused: Count('Calls that a rule refused.'),
  failed: Count('Calls that failed.'),
  spend_usd: Type.Union([UsdText, Type.Null()], {
    description: `What they cost in US dollars, with usage that services reported; null without ${spend_capability}.`,
  }),
  p50_ms: Latency('half'),
  p95_ms: Latency('95 %'),
  p99_ms: Latency('99 %'),
}
const Figures = Closed(figures)
const Points = described(
  ListOf(Closed({ at: described(Timestamp, 'Beginning of the window.'), ...figures }), 0, windows_max),
  'Windows in order of time; those without calls are left out.',
)

export const HistoryOutput = Closed({
  from: described(Timestamp, 'Beginning of what is summed: from, at a full step of the stored resolution.'),
  to: described(Timestamp, 'End of what is summed, itself not included.'),
  step_ms: Type.Integer({ description: 'Length of a window: as requested, or the finest still stored.' }),
  resolution_ms: Type.Integer({ description: 'Resolution of the stored sums.' }),
  partial: Type.Boolean({ description: 'The range begins before what is stored, or ends in the future.' }),
  total: described(Figures, 'All windows together.'),
  before: Type.Union([Figures, Type.Null()], {
    description: 'The period of the same length before it; null where that is no longer stored.',
  }),
  points: Points,
  groups: described(
    ListOf(
      Closed({
        name: Type.String({
          description:
            'The protocol, PROTOCOL.operation, DID, department and so on. Empty: calls without one, or with more names at a time than are kept apart.',
        }),
        total: described(Figures, 'All windows of the group together.'),
        before: Type.Union([Figures, Type.Null()], { description: 'The same in the period before it.' }),
        points: Points,
      }),
      0,
      groups_max,
    ),
    'Largest groups first; empty without by. What is missing to the total belongs to smaller ones.',
  ),
})

type Input = Static<typeof HistoryInput>
type FiguresOf = Static<typeof Figures>

export async function readCallHistory(
  input: Input,
  context: OperationContext<'authority' | 'engine'>,
): Promise<Static<typeof HistoryOutput>> {
  requireOwnGroups(input)
  const { by, top = top_default, rank = 'calls' } = input
  if (rank === 'spend') await requireSpendRight(context)
  const with_spend = await maySeeSpend(context)
  const tenant_id = await tenantSeen(input, context)
  const now_ms = Date.parse(context.now)
  const windows = windowsOf(input, rangeOf(input.from, input.to), now_ms)
  const { from_ms, to_ms, step_ms, resolution, has_before } = windows
  const rows = await readHistory(context.db, {
    tenant_id,
    filter: await filterOf(input, context),
    before_ms: has_before ? 2 * from_ms - to_ms : from_ms,
    from_ms,
    to_ms,
    step_ms,
    resolution: resolution.seconds,
    by,
    top,
    rank,
  })
  const series = (of: readonly HistoryRow[]) => ({
    total: figuresOf(
      of.filter(({ slot }) => slot >= 0),
      with_spend,
    ),
    before: has_before
      ? figuresOf(
          of.filter(({ slot }) => slot < 0),
          with_spend,
        )
      : null,
    points: pointsOf(of, { from_ms, step_ms }, with_spend),
  })
  const groups = await groupsOf(rows, input, context)
  return {
    from: new Date(from_ms).toISOString(),
    to: new Date(to_ms).toISOString(),
    step_ms,
    resolution_ms: resolution.seconds * 1000,
    partial: from_ms < now_ms - history_resolutions.at(-1)!.kept_ms || to_ms > now_ms + step_ms,
    ...series(rows),
    groups: [...groups]
      .map(([name, of]) => ({ name, ...series(of) }))
      .sort((a, b) => rankOf(b.total, rank) - rankOf(a.total, rank) || (a.name < b.name ? -1 : 1)),
  }
}

/** Envelopes belong to one organization, and tenants are told apart only by the operator. */
function requireOwnGroups({ by, department, all_tenants = false }: Input): void {
  const pointer = by === 'tenant' && !all_tenants ? '/by' : undefined
  const own = all_tenants && (by === 'department' || department !== undefined) ? '/all_tenants' : undefined
  if (!pointer && !own) return
  const sentence = pointer
    ? 'Only with all_tenants are there several tenants to sum by; set it, or choose another group.'
    : 'Departments belong to one organization; ask for them without all_tenants.'
  throw refuse('invalid_payload', sentence, {
    reason: 'wrong_group',
    faults: [{ pointer: (pointer ?? own)!, message: 'does not fit the other fields' }],
  })
}

interface HistoryWindows extends Range {
  readonly step_ms: number
  readonly resolution: (typeof history_resolutions)[number]
  readonly has_before: boolean
}

/** The coarsest stored sums that fit the step, of those that reach back far enough. */
function windowsOf({ step_ms, by, top = top_default }: Input, range: Range, now_ms: number): HistoryWindows {
  const length_ms = range.to_ms - range.from_ms
  const asked_ms =
    step_ms ??
    steps_ms.find((step) => length_ms / step <= windows_default) ??
    Math.ceil(length_ms / windows_default / 86_400_000) * 86_400_000
  const reaching = (from_ms: number) =>
    history_resolutions.filter(({ kept_ms }) => from_ms >= now_ms - kept_ms)
  const compared = reaching(range.from_ms - length_ms)
  const usable = compared.length > 0 ? compared : reaching(range.from_ms)
  const fits = ({ seconds }: { seconds: number }) =>
    asked_ms % (seconds * 1000) === 0 && range.from_ms % (seconds * 1000) === 0
  const resolution = usable.findLast(fits) ?? usable[0] ?? history_resolutions.at(-1)!
  const unit_ms = resolution.seconds * 1000
  const step = Math.ceil(asked_ms / unit_ms) * unit_ms
  const from_ms = Math.floor(range.from_ms / unit_ms) * unit_ms
  const to_ms = Math.ceil(range.to_ms / unit_ms) * unit_ms
  requireFewPoints(Math.ceil((to_ms - from_ms) / step), by ? top : 0)
  return { from_ms, to_ms, step_ms: step, resolution, has_before: compared.length > 0 }
}

function requireFewPoints(windows: number, groups: number): void {
  if (windows <= windows_max && windows * (groups + 1) <= points_max) return
  throw refuse(
    'invalid_payload',
    `That would be ${windows} windows for each of ${groups + 1} series; ${windows_max} windows and ${points_max} points are the most. Take a longer step_ms, or a smaller top.`,
    { reason: 'too_large', faults: [{ pointer: '/step_ms', message: 'is too short for the range' }] },
  )
}

async function filterOf(input: Input, { db, tenant_id }: OperationContext): Promise<HistoryFilter> {
  const { protocol, operation, agent_did: caller_did, outcome, code, reason, department } = input
  const envelope_ids = department === undefined ? undefined : await envelopesOf(db, tenant_id, department)
  return { protocol, operation, caller_did, outcome, code, reason, envelope_ids }
}

/** A department may have had several envelopes; its calls are one group. */
async function groupsOf(
  rows: readonly HistoryRow[],
  { by }: Input,
  { db, tenant_id }: OperationContext,
): Promise<Map<string, HistoryRow[]>> {
  const named = rows.filter((row): row is HistoryRow & { name: string } => row.name !== null)
  const ids = [...new Set(named.map(({ name }) => name))].filter((id) => id !== '')
  const names = by === 'department' ? await departmentNames(db, tenant_id, ids) : new Map<string, string>()
  return Map.groupBy(named, ({ name }) => names.get(name) ?? name)
}

function pointsOf(
  rows: readonly HistoryRow[],
  { from_ms, step_ms }: Pick<HistoryWindows, 'from_ms' | 'step_ms'>,
  with_spend: boolean,
): Static<typeof Points> {
  const by_slot = Map.groupBy(
    rows.filter(({ slot }) => slot >= 0),
    ({ slot }) => slot,
  )
  return [...by_slot].map(([slot, of]) => ({
    at: new Date(from_ms + slot * step_ms).toISOString(),
    ...figuresOf(of, with_spend),
  }))
}

function figuresOf(rows: readonly HistoryRow[], with_spend: boolean): FiguresOf {
  const sumOf = (name: 'calls' | 'refused' | 'failed') =>
    rows.reduce((sum, row) => sum + Number(row[name]), 0)
  const buckets = latency_bounds_ms.map(() => 0).concat(0)
  for (const row of rows) for (const [place, count] of row.buckets.entries()) buckets[place]! += Number(count)
  const at = (share: number) => {
    const ms = quantileOf(share, buckets, latency_bounds_ms)
    return ms === undefined ? null : Math.round(ms * 1000) / 1000
  }
  return {
    calls: sumOf('calls'),
    refused: sumOf('refused'),
    failed: sumOf('failed'),
    spend_usd: with_spend
      ? usdText(microUsdOf(rows.reduce((sum, { quanta }) => sum + BigInt(quanta), 0n)))
      : null,
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    p99_ms: at(0.99),
  }
}

function rankOf(total: FiguresOf, rank: (typeof ranks)[number]): number {
  return rank === 'spend' ? Number(total.spend_usd) : total[rank]
}
