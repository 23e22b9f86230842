// Compiles a manifest to a plan; recipes it names are loaded from the tenant's other manifests.

import type { Database } from '@svc/contract/database'
import { compileExpression } from '@svc/contract/expressions/expression'
import type { ServedOperation } from '@svc/contract/needs/served-operations'
import type { Vault } from '@svc/contract/needs/vault'
import type { Recipe } from '@svc/contract/recipe'
import { refuse } from '@svc/contract/refusal'
import { type Compiled, compileRecipe, recipeIdsIn, recipeOfStep } from '../recipes/api.ts'
import { type Manifest, recipeOf } from './manifest.ts'
import { manifestsOfRecipes } from './manifest-store.ts'
import { questionsOf } from './run-gates.ts'

const depth_max = 8
const problems_shown_max = 20

interface Place {
  readonly db: Database
  readonly tenant_id: string
  readonly vault: Vault
}

export type FindOperation = (protocol: string, operation: string) => ServedOperation | undefined

/** A refusal lists every fault by JSON Pointer. */
export async function compileManifest(
  place: Place,
  manifest: Manifest,
  find: FindOperation,
  /** Only new ones: a manifest that was accepted before this was looked at still runs. */
  is_new = false,
  durations_ms?: ReadonlyMap<string, number>,
): Promise<Compiled> {
  const recipe = recipeOf(manifest)
  const recipes = await namedRecipes(place, recipe)
  const findServed = (protocol: string, operation: string) => {
    const served_operation = find(protocol, operation)
    if (!served_operation) return undefined
    const { capability, version, facts } = served_operation
    return { capability, version, effect: facts.effect, input: facts.input, output: facts.output }
  }
  const compiled = compileRecipe(recipe, findServed, (id) => recipes.get(id), {
    ...(manifest.input_schema && { input: manifest.input_schema }),
    ...(manifest.defaults && { defaults: manifest.defaults }),
    ...(manifest.compensation && { compensation: manifest.compensation }),
    ...(manifest.output !== undefined && { output: manifest.output }),
    ...(durations_ms && { durations_ms }),
    ...(is_new && { questions: questionsOf }),
  })
  if ('problems' in compiled) {
    const [first] = compiled.problems
    throw refuse(
      'invalid_payload',
      `The manifest cannot be run: ${first!.pointer || '/'} ${first!.message}`,
      { reason: first!.reason, faults: compiled.problems.slice(0, problems_shown_max) },
    )
  }
  refuseOddCompensation(manifest, compiled)
  if (manifest.concurrency) compileExpression(manifest.concurrency.key)
  return compiled
}

/** Recipes are addressed by content, so none can contain itself; only the depth needs a limit. */
async function namedRecipes(place: Place, recipe: Recipe): Promise<ReadonlyMap<string, Recipe>> {
  const by_id = new Map<string, Recipe>()
  let recipe_ids = recipeIdsIn(recipe.steps)
  for (let depth = 0; depth < depth_max && recipe_ids.length > 0; depth++) {
    const manifests = await manifestsOfRecipes(place, recipe_ids)
    const fresh = manifests.map(recipeOf)
    for (const each of fresh) by_id.set(each.id, each)
    recipe_ids = fresh.flatMap(({ steps }) => recipeIdsIn(steps)).filter((id) => !by_id.has(id))
  }
  return by_id
}

function refuseOddCompensation({ compensation = {} }: Manifest, { plan }: Compiled): void {
  const own = [...plan.steps.values()].filter((step) => recipeOfStep(plan, step) === '')
  const names = new Set(own.map(({ name }) => name))
  for (const [name, step] of Object.entries(compensation)) {
    const why = !names.has(name)
      ? 'names no step of this manifest'
      : step.kind === 'Protocol'
        ? undefined
        : 'must be a Protocol step: one call undoes one call'
    if (why)
      throw refuse('invalid_payload', `The manifest cannot be run: /compensation/${name} ${why}.`, {
        reason: 'compensation',
      })
  }
}
