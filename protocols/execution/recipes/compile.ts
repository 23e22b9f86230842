// Checks a whole recipe before any of it runs: names, order, operations, expressions and types.
import { capabilityFor } from '@svc/contract/authority/capability'
import type { GovernanceGate, Recipe, RecipeStep } from '@svc/contract/recipe'
import { collectInto, judgeCall, type Known } from './call-typing.ts'
import { criticalPathMs } from './critical-path.ts'
import { judgeErrorTypes } from './error-types.ts'
import { expandRecipe } from './expansion.ts'
import { checkExpression, type Judging, out_of_room, shapePayload } from './payload-typing.ts'
import {
  isCall,
  type Plan,
  type PlannedEach,
  type PlannedProtocol,
  type PlannedRepeat,
  type PlannedStep,
  recipeOfStep,
  stepAt,
} from './plan.ts'
import type { Problem } from './problem.ts'
import { judgeRepetition } from './repetition-step.ts'
import { roundPath } from './rounds.ts'
import { type Defaults, planAlone } from './step-part.ts'
import { fits } from './typing.ts'

const values_max = 200_000
const computed_max = 5000
/** Beyond this, type checks are left to the run. */
const comparisons_max = 300_000

export interface CompileOptions {
  /** JSON Schema of the run's input. */
  readonly input?: unknown
  readonly defaults?: Defaults
  /** Compensations: they see the whole run. */
  readonly compensation?: Readonly<Record<string, RecipeStep>>
  /** The run's output, computed from all steps. */
  readonly output?: string
  readonly durations_ms?: ReadonlyMap<string, number>
  /** What a gate may ask; `at` is where its manifest says so, below the gate. */
  readonly questions?: (gate: GovernanceGate) => readonly GateQuestion[]
}

export interface GateQuestion {
  readonly protocol: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  readonly at: 'question' | 'escalation'
}

export interface Compiled {
  readonly plan: Plan
  /** What only the run can decide. Without warnings, no reference fails at run time with a wrong type. */
  readonly warnings: readonly Problem[]
  readonly required_capabilities: readonly string[]
  readonly critical_path_ms: number
}

export function compileRecipe(
  recipe: Recipe,
  served: Known,
  recipes: (id: string) => Recipe | undefined,
  options: CompileOptions = {},
): Compiled | { problems: readonly Problem[] } {
  const { plan, problems: broken } = expandRecipe(recipe, recipes, options.defaults)
  if (broken.length > 0) return { problems: broken }
  const problems: Problem[] = []
  const warnings: Problem[] = []
  // Path order: a sub-recipe's params are its inner input, so they are typed before its steps.
  const inputs = new Map<string, unknown>([['', options.input ?? true]])
  const whole = {
    plan,
    outputs: (one: PlannedStep) =>
      (one.kind === 'Protocol' ? served(one.protocol, one.operation)?.output : undefined) ?? true,
    room: { values: values_max, computed: computed_max, comparisons: comparisons_max },
    problem: collectInto(problems),
    warn: collectInto(warnings),
  }
  const undoing = planUndoing(options, plan)
  judgeErrorTypes([...plan.steps.values(), ...undoing], whole.problem)
  for (const step of plan.steps.values()) judgeRepetition(step, whole.problem)
  for (const step of [...plan.steps.values(), ...undoing]) {
    try {
      const judging = { ...whole, step, input: inputs.get(step.namespace) }
      judgeStep(judging, served, inputs)
      judgeGates(
        judging,
        served,
        options.questions,
        recipeOfStep(plan, step) === '' ? recipe : recipes(subAt(plan, step)),
      )
    } catch (error) {
      if (error !== out_of_room) throw error
      return { problems: [...problems, tooLarge(step.pointer)] }
    }
  }
  if (options.output !== undefined)
    checkExpression({ ...whole, step: undefined, input: inputs.get('') }, options.output, '/output')
  if (problems.length > 0) return { problems }
  return {
    plan,
    warnings,
    required_capabilities: capabilitiesOf([...plan.steps.values(), ...undoing], served, options.questions),
    critical_path_ms: criticalPathMs(plan, options.durations_ms),
  }
}

type JudgingStep = Judging & { readonly step: PlannedStep }

/** Ordinary calls outside the graph: no step waits for them, and all steps have ended before them. */
function planUndoing({ compensation = {}, defaults }: CompileOptions, plan: Plan): PlannedProtocol[] {
  return Object.entries(compensation).flatMap(([name, step]) => {
    if (step.kind !== 'Protocol') return []
    const undone = [...plan.steps.values()].find((one) => one.name === name && recipeOfStep(plan, one) === '')
    // What undoes a step of a loop sees its round.
    const namespace = undone?.namespace ?? ''
    return [{ ...planAlone(step, `/compensation/${name}`, defaults), namespace }]
  })
}

function tooLarge(pointer: string): Problem {
  const message =
    `With its sub-recipes a recipe holds at most ${values_max} values in its payloads, ` +
    `and ${computed_max} references and expressions; pass on less.`
  return { pointer, reason: 'too_large', message }
}

function judgeStep(judging: JudgingStep, served: Known, inputs: Map<string, unknown>): void {
  const { step } = judging
  if (step.when !== undefined) checkExpression(judging, step.when, `${step.pointer}/when`, 'condition')
  switch (step.kind) {
    case 'Protocol':
      judgeOutcome(judging, step)
      judgeCall(judging, step, served)
      return
    case 'Gate':
      checkExpression(judging, step.condition, `${step.pointer}/condition`, 'condition')
      return
    case 'SubRecipe':
      inputs.set(step.path, shapePayload(judging, step.params, `${step.pointer}/params`).schema)
      return
    case 'Audit':
      shapePayload(judging, step.payload.meta, `${step.pointer}/metadata`)
      return
    case 'Run':
      shapePayload(judging, step.payload.input, `${step.pointer}/input`)
      return
    case 'Wait':
      if (step.until !== undefined) shapePayload(judging, step.until, `${step.pointer}/until`)
      return
    case 'ForEach':
      judgeItems(judging, step)
      return
    case 'Repeat':
      judgeCondition(judging, step)
      return
    case 'Round':
      // It has the input of the recipe around it.
      inputs.set(step.path, judging.input)
      return
  }
}

function judgeItems(judging: JudgingStep, { items, pointer }: PlannedEach): void {
  const { schema } = shapePayload(judging, items, `${pointer}/items`)
  const verdict = fits(schema, { type: 'array' }, judging.room)
  if (verdict === 'no')
    judging.problem(`${pointer}/items`, 'type_error', 'The items of a ForEach are a list.')
}

/** It is asked after a round, so it sees what the round has done. */
function judgeCondition(judging: JudgingStep, loop: PlannedRepeat): void {
  const round = { ...loop, namespace: roundPath(loop.path, 0), path: `${loop.path}@round` }
  for (const field of ['until', 'while'] as const) {
    const text = loop[field]
    if (text !== undefined)
      checkExpression({ ...judging, step: round }, text, `${loop.pointer}/${field}`, 'condition')
  }
}

/** Steps multiply in sub-recipes, so these expressions have the limit that those of payloads have. */
function judgeOutcome(judging: Judging, { pointer, success_when, errors = [] }: PlannedProtocol): void {
  if (success_when !== undefined) checkExpression(judging, success_when, `${pointer}/success_when`, 'outcome')
  judging.room.computed -= errors.length + 1
  if (judging.room.computed < 0) throw out_of_room
  for (const [at, { when }] of errors.entries())
    checkExpression(judging, when, `${pointer}/errors/${at}/when`, 'outcome')
}

function subAt(plan: Plan, inner: PlannedStep): string {
  const path = recipeOfStep(plan, inner)
  const step = stepAt(plan, path)
  if (step.kind !== 'SubRecipe') throw new Error(`${path} is no sub-recipe`)
  return step.recipe_id
}

/** What a gate asks is a call like any other, and one that cannot be made would never let its step pass. */
function judgeGates(
  judging: JudgingStep,
  served: Known,
  questions: CompileOptions['questions'],
  recipe: Recipe | undefined,
): void {
  const { gates } = judging.step
  const sub = recipeOfStep(judging.plan, judging.step)
  const around = sub === '' ? '' : `${stepAt(judging.plan, sub).pointer}/recipe_id`
  for (const gate of gates)
    for (const { protocol, operation, input, at: part } of questions?.(gate) ?? []) {
      const pointer = `${around}/governance_gates/${recipe?.governance_gates.indexOf(gate)}`
      const place = { pointer, payload_at: `/${part}` }
      judgeCall(judging, { protocol, operation, payload: input, ...place }, served)
    }
}

function capabilitiesOf(
  steps: readonly PlannedStep[],
  served: Known,
  questions: CompileOptions['questions'],
): string[] {
  const gate_calls = steps.flatMap(({ gates }) => gates.flatMap((gate) => questions?.(gate) ?? []))
  const needed = [...steps.filter(isCall), ...gate_calls].map(
    ({ protocol, operation }) =>
      served(protocol, operation)?.capability ?? capabilityFor(protocol, operation),
  )
  return [...new Set(needed)].sort()
}
