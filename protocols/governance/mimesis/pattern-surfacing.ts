// Finds recurring decisions in an organization's own chain up to one head, and stores them.

import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import type { Static } from 'typebox'
import {
  CasesByOperation,
  coveringOf,
  type GeneralRule,
  generalRule,
  isCaseSeen,
  keepPatterns,
  type Measured,
  type Mining,
  type MiningBounds,
  MiningBudget,
  mineDecisions,
  mineInTurns,
  type PatternSupport,
  type Ranked,
  recordRef,
  requireOwn,
  type Scan,
  type Seen,
  scanChain,
  type Withheld,
} from '../precedents/api.ts'
import { suggestCedar } from './pattern-cedar.ts'
import {
  boundsOf,
  examples_max,
  type PatternView,
  proposals_told_max,
  type SurfaceInput,
  type SurfaceOutput,
  scanScopeOf,
} from './pattern-input.ts'
import { type StatedProposal, statesFrom } from './proposal-fate.ts'
import { mineSequences } from './sequence-lists.ts'

const records_max = 50_000
const decision_steps_max = 60_000_000
const sequence_steps_max = 20_000_000
const ids_told_max = 32

export async function surfacePatterns(
  input: SurfaceInput,
  context: OperationContext<'audit_log' | 'charter' | 'policies'>,
): Promise<Static<typeof SurfaceOutput>> {
  requireOwn(context)
  const scan = await scanChain(context, input.window_days, scanScopeOf(input.scope), records_max)
  const { ranked, whole } = await mineInTurns(mine(scan, boundsOf(input)), context.signal)
  const patterns = ranked.map((one) => measured(one, context.tenant_id))
  await keep(input, scan, patterns, context)
  const rules = await mineInTurns(rulesOf(patterns, scan, boundsOf(input)), context.signal)
  const covering = await coveringOf(patterns, scan, context)
  const ids = patterns.map(({ support }) => support.pattern_id)
  const proposals = await statesFrom(context, ids, proposals_told_max)
  return {
    patterns: patterns.map(({ support }) =>
      viewOf(support, rules.get(support.pattern_id), covering, proposals),
    ),
    records_scanned: scan.seen.length,
    head: scan.head,
    truncated: [...(scan.is_cut ? ['records' as const] : []), ...(whole ? [] : ['sequences' as const])],
  }
}

function* mine({ seen }: Scan, bounds: MiningBounds): Mining<{ ranked: readonly Ranked[]; whole: boolean }> {
  const cases = seen.filter(isCaseSeen)
  const decisions = yield* mineDecisions(cases, bounds, new MiningBudget(decision_steps_max))
  if (!decisions) throw tooMany(bounds.recurrences_min)
  const { best, whole } = yield* mineSequences(seen, bounds, new MiningBudget(sequence_steps_max))
  best.take(decisions)
  return { ranked: best.ranked(), whole }
}

function tooMany(recurrences_min: number) {
  return refuse(
    'policy_denied',
    `Too many patterns recur ${recurrences_min} times in this window; raise min_recurrences, narrow the scope, or shorten window_days.`,
    { reason: 'too many candidates', denying_policy: 'MIMESIS mining limit' },
  )
}

/** Examples are the newest, so that the result does not depend on the search order. */
function measured(one: Ranked, tenant_id: string): Measured {
  const { pattern_id, pattern, recurrences, consistency_bps, lift } = one
  const { held, broken } = one.examples()
  const newest = (events: readonly Seen[]) =>
    events
      .toSorted((a, b) => b.seq - a.seq)
      .slice(0, examples_max)
      .map((record) => recordRef(tenant_id, record))
  const times = held.map(({ at_ms }) => at_ms)
  const support: PatternSupport = {
    pattern_id,
    pattern,
    recurrences,
    consistency_bps,
    lift,
    first_seen: new Date(times.reduce((a, b) => Math.min(a, b))).toISOString(),
    last_seen: new Date(times.reduce((a, b) => Math.max(a, b))).toISOString(),
    exemplars: newest(held),
    counterexamples: newest(broken),
  }
  return { support, held }
}

async function keep(
  input: SurfaceInput,
  { head, seen }: Scan,
  patterns: readonly Measured[],
  context: OperationContext,
): Promise<void> {
  const { tenant_id, now } = context
  const { window_days } = input
  const surfacing = contentHash({ head, ...input })
  const support = patterns.map((one) => one.support)
  await keepPatterns(context.db, { tenant_id, surfacing, window_days, head, at: now }, support)
  context.audit('PatternSurfaced', {
    surfacing,
    head,
    window_days,
    min_recurrences: input.min_recurrences,
    records_scanned: seen.length,
    patterns: support.length,
    pattern_ids: support.slice(0, ids_told_max).map(({ pattern_id }) => pattern_id),
  })
}

type Ground = GeneralRule | { readonly withheld: Withheld }

/** One pattern at a turn: each looks at all cases of its operation. */
function* rulesOf(
  patterns: readonly Measured[],
  { seen }: Scan,
  { consistency_bps_min }: MiningBounds,
): Mining<ReadonlyMap<string, Ground>> {
  const cases = new CasesByOperation(seen.filter(isCaseSeen))
  const rules = new Map<string, Ground>()
  for (const { support } of patterns) {
    const { pattern_id, pattern } = support
    if (pattern.kind !== 'decision' || pattern.outcome !== 'refused') continue
    rules.set(pattern_id, generalRule(pattern.features, cases.like(pattern.features), consistency_bps_min))
    yield
  }
  return rules
}

function viewOf(
  { pattern, ...support }: PatternSupport,
  ground: Ground | undefined,
  covering: ReadonlyMap<string, string>,
  proposals: readonly StatedProposal[],
): Static<typeof PatternView> {
  const { pattern_id } = support
  return {
    ...support,
    exemplars: [...support.exemplars],
    counterexamples: [...support.counterexamples],
    ...(pattern.kind === 'sequence' ? { ...pattern, sequence: [...pattern.sequence] } : pattern),
    covered_by_policy: covering.get(pattern_id),
    ...ruleView(ground),
    proposals: proposals
      .filter(({ proposal }) => proposal.pattern_id === pattern_id)
      .map(({ proposal, state }) => ({ proposal_id: proposal.proposal_id, state })),
  }
}

function ruleView(ground: Ground | undefined) {
  if (!ground) return {}
  if ('withheld' in ground) return { no_rule: ground.withheld }
  return { suggested_cedar: suggestCedar(ground.features), confirmed_bps: ground.confirmed_bps }
}
