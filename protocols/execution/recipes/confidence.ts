// The confidence of a run: the minimum in sequence, the weighted geometric mean in parallel.
import { refuse } from '@svc/contract/refusal'
import type { Journal, StepRecord } from './journal.ts'
import { isGroup, isLoop, type Plan, type PlannedStep, sinksOf, stepsInside } from './plan.ts'
import { roundsOf } from './rounds.ts'

/** A skipped step scales its incoming score by this. */
const skip_factor = 0.95

/** A Protocol step's own score: the confidence its answer states, else 1. */
export function baseScore(data: unknown): number {
  if (typeof data !== 'object' || data === null) return 1
  for (const field of ['confidence', 'confidence_score']) {
    const confidence = Object.hasOwn(data, field) ? (data as Record<string, unknown>)[field] : undefined
    if (typeof confidence === 'number') return requireScore(confidence)
  }
  return 1
}

/** Each retry lowers it: base x (1 - retry_penalty)^retries. */
export function decayScore(base: number, retry_penalty: number, attempt: number): number {
  return requireScore(base) * (1 - retry_penalty) ** Math.max(0, attempt - 1)
}

/** exp(Σ w·ln s / Σ w); any 0 makes it 0. Clamped to the range of its parts against rounding. */
export function composeParallel(
  parts: readonly { readonly score: number; readonly weight: number }[],
): number {
  if (parts.length === 0) return 1
  const scores = parts.map(({ score }) => requireScore(score))
  const least = Math.min(...scores)
  if (least === 0) return 0
  let [logs, weights] = [0, 0]
  for (const { score, weight } of parts) {
    logs += weight * Math.log(score)
    weights += weight
  }
  return Math.min(Math.max(...scores), Math.max(least, Math.exp(logs / weights)))
}

/** The score of the run so far: steps that have not ended count as certain. */
export function scoreOf(plan: Plan, journal: Journal): number {
  return scoreList(plan, journal, stepsInside(plan, ''), 1, new Map())
}

/** The score of every step that counts; branches not taken have none. */
export function scoresOf(plan: Plan, journal: Journal): Map<string, number> {
  const scores = new Map<string, number>()
  scoreList(plan, journal, stepsInside(plan, ''), 1, scores)
  return scores
}

/** The parallel composition of a list's sinks; its roots get the list's incoming score. */
function scoreList(
  plan: Plan,
  journal: Journal,
  list: readonly PlannedStep[],
  inflow: number,
  scores: Map<string, number>,
): number {
  const steps = new Map(list.map((step) => [step.path, step]))
  const score = (step: PlannedStep): { score: number; weight: number } => {
    const cached = scores.get(step.path)
    if (cached !== undefined) return { score: cached, weight: step.weight }
    const parents = step.parents.map((path) => score(steps.get(path)!))
    const step_score = scoreStep(
      plan,
      journal,
      step,
      parents.length > 0 ? composeParallel(parents) : inflow,
      scores,
    )
    scores.set(step.path, step_score)
    return { score: step_score, weight: step.weight }
  }
  for (const step of list) score(step)
  return list.length === 0 ? inflow : composeParallel(sinksOf(list).map(score))
}

function scoreStep(
  plan: Plan,
  journal: Journal,
  step: PlannedStep,
  inflow: number,
  scores: Map<string, number>,
): number {
  const record = journal.get(step.path)
  if (!record) return inflow
  if (record.state === 'skipped' || (record.state === 'failed' && step.optional)) return skip_factor * inflow
  if (record.state === 'failed') return 0
  if (record.state !== 'succeeded') return inflow
  if (!isGroup(step)) return Math.min(inflow, ownScore(step, record))
  const inner = scoreList(plan, journal, insideTaken(plan, step, record), inflow, scores)
  return step.kind === 'SubRecipe' ? decayScore(inner, step.retry.retry_penalty, record.attempt) : inner
}

/** The steps inside an opened step: for a gate, the branch taken; for a loop, the rounds it has. */
export function insideTaken(plan: Plan, step: PlannedStep, record: StepRecord): readonly PlannedStep[] {
  const inside = stepsInside(plan, step.path)
  if (isLoop(step)) return inside.filter((one) => one.kind === 'Round' && one.index < roundsOf(record))
  if (step.kind !== 'Gate') return inside
  if (record.decision === undefined) throw new Error(`the gate ${step.path} was opened without a decision`)
  const branch = record.decision ? 'on_true' : 'on_false'
  return inside.filter((inner) => inner.branch === branch)
}

function ownScore(step: PlannedStep, { base_score = 1, attempt }: StepRecord): number {
  return step.kind === 'Protocol' || step.kind === 'Run'
    ? decayScore(base_score, step.retry.retry_penalty, attempt)
    : 1
}

function requireScore(score: number): number {
  if (score >= 0 && score <= 1) return score
  throw refuse(
    'invalid_payload',
    `A confidence lies between 0 and 1, ${score} does not; give it as a share.`,
    {
      reason: 'confidence',
    },
  )
}
