// Static checks of a charter.
import { usdOf, usdText } from '@svc/contract/money/money'
import type { Fault } from '../planning/api.ts'
import type { Charter, Objective, Warning } from './charter-input.ts'

/** What makes a charter hard to verify or to meet; none of it is forbidden. */
export function warnOf({ objectives }: Charter, now_ms: number): Warning[] {
  const warnings: Warning[] = []
  for (const { id, metric, deadline } of objectives) {
    if (!metric)
      warnings.push({
        kind: 'unmeasurable_objective',
        objective_id: id,
        message: `${id} has no metric: nobody can tell when it is reached.`,
      })
    if (deadline !== undefined && Date.parse(deadline) <= now_ms)
      warnings.push({
        kind: 'deadline_conflict',
        objective_id: id,
        message: `${id} was due at ${deadline}, which has passed.`,
      })
  }
  for (const [place, one] of objectives.entries())
    for (const other of objectives.slice(place + 1)) warnings.push(...conflictsOf(one, other))
  if (objectives.every(({ weight }) => weight === 0))
    warnings.push({ kind: 'unweighed', message: 'No objective has any weight.' })
  return warnings.slice(0, 200)
}

/** Two targets for one metric that no value meets; with different deadlines they would need a sequence. */
function conflictsOf(one: Objective, other: Objective): Warning[] {
  if (!one.metric || !other.metric || one.metric.source !== other.metric.source) return []
  if (canBothHold(one.metric, other.metric)) return []
  const is_timed =
    one.deadline !== undefined && other.deadline !== undefined && one.deadline !== other.deadline
  return [
    {
      kind: is_timed ? 'deadline_conflict' : 'target_conflict',
      objective_id: other.id,
      message: `${one.id} and ${other.id} want of ${one.metric.source} what no value is at one time.`,
    },
  ]
}

type Metric = NonNullable<Objective['metric']>

function canBothHold(one: Metric, other: Metric): boolean {
  const low = Math.max(floorOf(one), floorOf(other))
  const high = Math.min(ceilingOf(one), ceilingOf(other))
  if (low < high) return true
  return low === high && [one, other].every((metric) => isMetBy(metric, low))
}

function floorOf({ comparator, target }: Metric): number {
  return comparator.startsWith('<') ? Number.NEGATIVE_INFINITY : target
}

function ceilingOf({ comparator, target }: Metric): number {
  return comparator.startsWith('>') ? Number.POSITIVE_INFINITY : target
}

function isMetBy({ comparator, target }: Metric, value: number): boolean {
  return comparator === '<' ? value < target : comparator === '>' ? value > target : true
}

/** Faults that a schema cannot detect. */
export function faultsOf({ objectives, constraints = [], resources }: Charter): Fault[] {
  const agents = resources?.agents ?? []
  const usd = resources?.budget?.usd
  return [
    ...repeated(
      objectives.map(({ id }) => id),
      '/objectives',
      'id',
    ),
    ...repeated(
      constraints.map(({ id }) => id),
      '/constraints',
      'id',
    ),
    ...repeated(
      agents.map(({ did }) => did),
      '/resources/agents',
      'did',
    ),
    ...constraints.flatMap(({ expr, text }, place) =>
      (expr === undefined) === (text === undefined)
        ? [{ pointer: `/constraints/${place}`, message: 'has either an expr or a text' }]
        : [],
    ),
    ...(usd !== undefined && usdOf(usd) === undefined
      ? [{ pointer: '/resources/budget/usd', message: 'has more than six decimal places' }]
      : []),
  ]
}

/** As a plain number of dollars. */
export function dollarsOf(usd: string | number): number {
  return Number(usdText(usdOf(usd) ?? 0n))
}

function repeated(values: readonly string[], list: string, field: string): Fault[] {
  return values.flatMap((value, place) =>
    values.indexOf(value) < place
      ? [{ pointer: `${list}/${place}/${field}`, message: `${value} stands there twice` }]
      : [],
  )
}
