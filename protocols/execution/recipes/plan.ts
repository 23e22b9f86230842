// The flat plan of a recipe: every step by its path, with sub-recipes expanded in place. List order does
// not matter where names and depends_on are given.
import type { GovernanceGate, RecipeStep } from '@svc/contract/recipe'
import type { ListOrder } from './list-order.ts'
import type { CompleteRetry } from './retry-delay.ts'

type GateStep = Extract<RecipeStep, { kind: 'Gate' }>
type EachStep = Extract<RecipeStep, { kind: 'ForEach' }>
type RepeatStep = Extract<RecipeStep, { kind: 'Repeat' }>
type ProtocolStep = Extract<RecipeStep, { kind: 'Protocol' }>

interface Planned {
  /** Names joined by `/`; an unnamed step gets its kind and position, such as `gate-2`. */
  readonly path: string
  readonly name: string
  /** Paths of steps in the same list that must end before this one starts. */
  readonly parents: readonly string[]
  /** The Gate, Parallel, SubRecipe, loop or round that contains it. */
  readonly within?: string
  readonly branch?: 'on_true' | 'on_false'
  /** The SubRecipe or round whose names and input its expressions see; empty at the top. */
  readonly namespace: string
  /** Its position in its own recipe, as a JSON Pointer. */
  readonly pointer: string
  readonly optional: boolean
  readonly weight: number
  readonly timeout_ms?: number
  readonly when?: string
  /** Checked before it starts. */
  readonly gates: readonly GovernanceGate[]
  readonly checkpoint: boolean
}

interface PlannedCall extends Planned {
  readonly protocol: string
  readonly operation: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly retry: CompleteRetry
  readonly on_unknown?: 'fail' | 'retry' | 'escalate'
  /** Over the answer; absent: what the operation says of its answers. */
  readonly success_when?: string
  readonly errors?: ProtocolStep['errors'] & {}
}

export interface PlannedProtocol extends PlannedCall {
  readonly kind: 'Protocol'
}

export interface PlannedGate extends Planned {
  readonly kind: 'Gate'
  readonly condition: string
  readonly await?: GateStep['await'] & {}
}

/** A timer. */
export interface PlannedWait extends Planned {
  readonly kind: 'Wait'
  readonly for_ms?: number
  readonly until?: unknown
}

/** A loop holds its rounds. Until it is opened, and its number of rounds is known, that is the first one. */
export interface PlannedEach extends Planned {
  readonly kind: 'ForEach'
  readonly items: EachStep['items']
  readonly concurrency: number
}

export interface PlannedRepeat extends Planned, Pick<RepeatStep, 'until' | 'while' | 'max'> {
  readonly kind: 'Repeat'
  readonly pause_ms: number
}

export interface PlannedRound extends Planned {
  readonly kind: 'Round'
  readonly index: number
}

/** A call that starts a run; the step waits for the run to end. */
export interface PlannedRun extends PlannedCall {
  readonly kind: 'Run'
}

/** Written by MAX.audit_log_entry; authorised, metered and recorded as that call. */
export interface PlannedAudit extends PlannedCall {
  readonly kind: 'Audit'
}

export interface PlannedSubRecipe extends Planned {
  readonly kind: 'SubRecipe'
  readonly recipe_id: string
  readonly params: Readonly<Record<string, unknown>>
  readonly retry: CompleteRetry
}

export interface PlannedParallel extends Planned {
  readonly kind: 'Parallel'
}

export interface PlannedFail extends Planned {
  readonly kind: 'Fail'
  readonly error: string
  readonly message: string
}

export type PlannedStep =
  | PlannedProtocol
  | PlannedGate
  | PlannedAudit
  | PlannedSubRecipe
  | PlannedParallel
  | PlannedFail
  | PlannedWait
  | PlannedEach
  | PlannedRepeat
  | PlannedRound
  | PlannedRun

export interface Plan {
  /** In path order. */
  readonly steps: ReadonlyMap<string, PlannedStep>
  /** The direct children of a step, in path order; the empty path is the top. */
  readonly inside: ReadonlyMap<string, readonly PlannedStep[]>
  /** The steps of each recipe by name, keyed by the path of its SubRecipe; empty at the top. */
  readonly names: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly order: ReadonlyMap<string, ListOrder>
}

export function stepAt(plan: Plan, path: string): PlannedStep {
  const step = plan.steps.get(path)
  if (!step) throw new Error(`the plan has no step ${path}`)
  return step
}

export function stepsInside(plan: Plan, path: string): readonly PlannedStep[] {
  return plan.inside.get(path) ?? []
}

export function isCall(step: PlannedStep): step is PlannedProtocol | PlannedAudit | PlannedRun {
  return step.kind === 'Protocol' || step.kind === 'Audit' || step.kind === 'Run'
}

const groups: ReadonlySet<string> = new Set(['Gate', 'Parallel', 'SubRecipe', 'ForEach', 'Repeat', 'Round'])

export function isGroup(step: PlannedStep): boolean {
  return groups.has(step.kind)
}

export function isLoop(step: PlannedStep): step is PlannedEach | PlannedRepeat {
  return step.kind === 'ForEach' || step.kind === 'Repeat'
}

/** The SubRecipe that a step is of; empty at the top. Rounds are part of the recipe around them. */
export function recipeOfStep(plan: Plan, { namespace }: PlannedStep): string {
  for (let at = namespace; at !== ''; ) {
    const holder = stepAt(plan, at)
    if (holder.kind !== 'Round') return at
    at = holder.namespace
  }
  return ''
}

/** The steps of a list that no other step of it depends on. */
export function sinksOf(steps: readonly PlannedStep[]): PlannedStep[] {
  const parents = new Set(steps.flatMap((step) => step.parents))
  return steps.filter(({ path }) => !parents.has(path))
}

/** Whether one step has always ended, or been opened around the other, before that can start. */
export function isBefore(plan: Plan, earlier: string, later: string): boolean {
  const [from, to] = [stepAt(plan, earlier), stepAt(plan, later)]
  if (from.within === to.within) return plan.order.get(to.within ?? '')!.isBefore(earlier, later)
  const around = new Map(holders(plan, earlier).map((step) => [step.within ?? '', step.path]))
  for (const { path, within } of holders(plan, later)) {
    if (path === earlier) return path !== later
    const other = around.get(within ?? '')
    if (other !== undefined && other !== path) return plan.order.get(within ?? '')!.isBefore(other, path)
  }
  return false
}

/** The step and its containers, from the inside out. */
function holders(plan: Plan, path: string): PlannedStep[] {
  const planned_steps: PlannedStep[] = []
  for (let at: string | undefined = path; at !== undefined; ) {
    const step = stepAt(plan, at)
    planned_steps.push(step)
    at = step.within
  }
  return planned_steps
}
