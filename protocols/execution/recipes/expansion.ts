// Expands a recipe's nested lists to the flat plan, with sub-recipes in place.
import type { GovernanceGate, Recipe, RecipeStep } from '@svc/contract/recipe'
import { type ListOrder, orderList } from './list-order.ts'
import type { Plan, PlannedStep } from './plan.ts'
import type { Problem, ProblemReason } from './problem.ts'
import { recipeId } from './recipe-id.ts'
import { roundPath } from './rounds.ts'
import { type Defaults, ownPart } from './step-part.ts'

const sub_recipe_depth_max = 8

const nesting_max = 8
const steps_max = 500
const planned_steps_max = 2000
const problems_max = 100

interface Expanding {
  readonly recipes: (id: string) => Recipe | undefined
  readonly defaults: Defaults
  readonly steps: Map<string, PlannedStep>
  readonly names: Map<string, Map<string, string>>
  readonly problems: Problem[]
}

/** The recipe a list belongs to. */
interface Around {
  readonly namespace: string
  readonly recipe: Recipe
  readonly gates: ReadonlyMap<string, readonly GovernanceGate[]>
  readonly all_names: ReadonlySet<string>
  /** Names given in this recipe so far: rounds see those around them, so each has one meaning. */
  readonly names_used: Set<string>
  readonly sub_depth: number
}

/** The position of a list. */
interface Spot {
  readonly pointer: string
  readonly within?: string
  readonly branch?: 'on_true' | 'on_false'
  readonly chained: boolean
  readonly nesting: number
}

export function expandRecipe(
  recipe: Recipe,
  recipes: (id: string) => Recipe | undefined,
  defaults: Defaults = {},
): { plan: Plan; problems: readonly Problem[] } {
  const state: Expanding = { recipes, defaults, steps: new Map(), names: new Map(), problems: [] }
  expandInto(state, recipe, { namespace: '', pointer: '', sub_depth: 0 })
  const steps = new Map([...state.steps].sort(([a], [b]) => (a < b ? -1 : 1)))
  const inside = Map.groupBy(steps.values(), ({ within }) => within ?? '')
  const order = new Map([...inside].map(([holder, list]) => [holder, orderIn(list, state)]))
  // From the outside in, as paths are sorted: a round also sees the names of the round around it.
  for (const { kind, path, namespace } of steps.values())
    if (kind === 'Round')
      state.names.set(path, new Map([...state.names.get(namespace)!, ...state.names.get(path)!]))
  return { plan: { steps, inside, names: state.names, order }, problems: state.problems }
}

function namesIn(steps: readonly RecipeStep[]): string[] {
  return steps.flatMap((step) => {
    const inner =
      'steps' in step ? step.steps : step.kind === 'Gate' ? [...step.on_true, ...step.on_false] : []
    return [...(step.name ? [step.name] : []), ...namesIn(inner)]
  })
}

function expandInto(
  state: Expanding,
  recipe: Recipe,
  place: { namespace: string; pointer: string; sub_depth: number },
): void {
  const gates = Map.groupBy(recipe.governance_gates, ({ at_step }) => at_step)
  const names_used = new Set<string>()
  state.names.set(place.namespace, new Map())
  const around: Around = { ...place, recipe, gates, all_names: new Set(namesIn(recipe.steps)), names_used }
  const within = place.namespace === '' ? {} : { within: place.namespace }
  expandList(state, recipe.steps, around, {
    ...within,
    pointer: `${place.pointer}/steps`,
    chained: true,
    nesting: 0,
  })
  for (const [at, { at_step }] of recipe.governance_gates.entries()) {
    if (!names_used.has(at_step))
      tellUnknown(state, `${place.pointer}/governance_gates/${at}/at_step`, at_step)
  }
  for (const [at, name] of recipe.audit_checkpoints.entries()) {
    if (!names_used.has(name)) tellUnknown(state, `${place.pointer}/audit_checkpoints/${at}`, name)
  }
}

function expandList(state: Expanding, list: readonly RecipeStep[], around: Around, spot: Spot): void {
  if (spot.nesting > nesting_max) {
    tell(
      state,
      spot.pointer,
      'too_deep',
      `Steps are nested deeper than ${nesting_max} levels; use a sub-recipe.`,
    )
    return
  }
  if (list.length > steps_max) {
    tell(state, spot.pointer, 'too_many_steps', `A list holds at most ${steps_max} steps; use sub-recipes.`)
    return
  }
  const named = list.map((step, at) => {
    const name = step.name ?? `${spot.branch ? `${spot.branch}-` : ''}${step.kind.toLowerCase()}-${at}`
    return {
      step,
      name,
      path: spot.within ? `${spot.within}/${name}` : name,
      pointer: `${spot.pointer}/${at}`,
    }
  })
  const siblings = new Map(named.flatMap(({ step, path }) => (step.name ? [[step.name, path] as const] : [])))
  for (const [at, { step, name, path, pointer }] of named.entries()) {
    if (state.steps.size >= planned_steps_max) {
      tell(
        state,
        pointer,
        'too_many_steps',
        `With its sub-recipes a recipe has at most ${planned_steps_max} steps.`,
      )
      return
    }
    const before = spot.chained ? named[at - 1]?.path : undefined
    const parents = step.depends_on
      ? parentsNamed(state, step.depends_on, siblings, around, `${pointer}/depends_on`)
      : before === undefined
        ? []
        : [before]
    addStep(state, step, around, { ...spot, name, path, pointer, parents })
    expandInside(state, step, around, { ...spot, pointer, within: path })
  }
}

function parentsNamed(
  state: Expanding,
  depends_on: readonly string[],
  siblings: ReadonlyMap<string, string>,
  around: Around,
  pointer: string,
): string[] {
  const paths = depends_on.flatMap((name, at) => {
    const path = siblings.get(name)
    if (path !== undefined) return [path]
    if (!around.all_names.has(name)) tellUnknown(state, `${pointer}/${at}`, name)
    else
      tell(
        state,
        `${pointer}/${at}`,
        'not_a_sibling',
        `The step ${name} stands in another list; depend on what holds it.`,
      )
    return []
  })
  return [...new Set(paths)].sort()
}

function addStep(
  state: Expanding,
  step: RecipeStep,
  around: Around,
  at: Spot & { name: string; path: string; pointer: string; parents: readonly string[] },
): void {
  const names = state.names.get(around.namespace)!
  if (state.steps.has(at.path) || (step.name !== undefined && around.names_used.has(step.name))) {
    tell(state, at.pointer, 'duplicate_name', `Two steps are called ${at.name}; give each its own name.`)
    return
  }
  if (step.name !== undefined) {
    names.set(step.name, at.path)
    around.names_used.add(step.name)
  }
  const timeout_ms = step.timeout_ms ?? (step.kind === 'Protocol' ? state.defaults.timeout_ms : undefined)
  const planned = {
    path: at.path,
    name: at.name,
    parents: at.parents,
    ...(at.within !== undefined && { within: at.within }),
    ...(at.branch && { branch: at.branch }),
    namespace: around.namespace,
    pointer: at.pointer,
    optional: step.optional ?? false,
    weight: step.weight ?? 1,
    ...(timeout_ms !== undefined && { timeout_ms }),
    ...(step.when !== undefined && { when: step.when }),
    gates: (step.name && around.gates.get(step.name)) || [],
    checkpoint: step.name !== undefined && around.recipe.audit_checkpoints.includes(step.name),
  }
  state.steps.set(at.path, { ...planned, ...ownPart(step, state.defaults) })
}

function expandInside(
  state: Expanding,
  step: RecipeStep,
  around: Around,
  spot: Spot & { within: string },
): void {
  const { pointer, within } = spot
  const inner = { within, nesting: spot.nesting + 1 }
  if (step.kind === 'Parallel') {
    expandList(state, step.steps, around, { ...inner, pointer: `${pointer}/steps`, chained: false })
  } else if (step.kind === 'Gate') {
    for (const branch of ['on_true', 'on_false'] as const)
      expandList(state, step[branch], around, {
        ...inner,
        branch,
        pointer: `${pointer}/${branch}`,
        chained: true,
      })
  } else if (step.kind === 'SubRecipe') {
    expandSubRecipe(state, step.recipe_id, around, `${pointer}/recipe_id`, within)
  } else if (step.kind === 'ForEach' || step.kind === 'Repeat') {
    expandRound(state, step.steps, around, { ...inner, pointer, chained: true })
  }
}

/** The first round stands for all in what is checked before a run; names in it are its own. */
function expandRound(
  state: Expanding,
  steps: readonly RecipeStep[],
  around: Around,
  spot: Spot & { within: string },
): void {
  const path = roundPath(spot.within, 0)
  const { within, pointer } = spot
  const round = { kind: 'Round', index: 0, path, name: '0', parents: [], within, pointer } as const
  state.steps.set(path, {
    ...round,
    namespace: around.namespace,
    ...{ optional: false, weight: 1, gates: [], checkpoint: false },
  })
  state.names.set(path, new Map())
  const inner = { ...around, namespace: path }
  expandList(state, steps, inner, { ...spot, within: path, pointer: `${pointer}/steps` })
}

function expandSubRecipe(state: Expanding, id: string, around: Around, pointer: string, path: string): void {
  if (around.sub_depth >= sub_recipe_depth_max) {
    tell(state, pointer, 'too_deep', `Sub-recipes are nested deeper than ${sub_recipe_depth_max} levels.`)
    return
  }
  const recipe = state.recipes(id)
  if (!recipe) {
    tell(state, pointer, 'unknown_recipe', `There is no recipe ${id}; submit it first.`)
    return
  }
  // Only a recipe that hashes to its id cannot contain itself.
  if (recipeId(recipe) !== id) {
    tell(state, pointer, 'unknown_recipe', `What is kept as ${id} has another content.`)
    return
  }
  expandInto(state, recipe, { namespace: path, pointer, sub_depth: around.sub_depth + 1 })
}

function orderIn(list: readonly PlannedStep[], state: Expanding): ListOrder {
  const ordered = orderList(
    new Map(list.map(({ path, parents }) => [path, parents.filter((p) => state.steps.has(p))])),
  )
  if ('order' in ordered) return ordered.order
  const { pointer } = state.steps.get(ordered.cycle[0]!)!
  const around = [...ordered.cycle, ordered.cycle[0]].join(' -> ')
  tell(
    state,
    `${pointer}/depends_on`,
    'cycle',
    `Steps wait for each other: ${around}; leave one dependency out.`,
  )
  return { isBefore: () => false }
}

function tellUnknown(state: Expanding, pointer: string, name: string): void {
  tell(state, pointer, 'unknown_step', `There is no step called ${name} here; check the name.`)
}

function tell(state: Expanding, pointer: string, reason: ProblemReason, message: string): void {
  if (state.problems.length < problems_max) state.problems.push({ pointer, reason, message })
}
