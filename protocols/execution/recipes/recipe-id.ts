import type { Recipe, RecipeStep } from '@svc/contract/recipe'
import { contentHash } from '@svc/contract/signing/canonical-json'

/** The content address of a recipe: the hash of everything but its id. */
export function recipeId(recipe: Omit<Recipe, 'id'> & { id?: string }): string {
  const { id: _, ...rest } = recipe
  return contentHash(rest)
}

/** The ids of the recipes that a recipe names directly; those may name more. */
export function recipeIdsIn(steps: readonly RecipeStep[]): string[] {
  const ids = steps.flatMap((step): string[] => {
    if (step.kind === 'SubRecipe') return [step.recipe_id]
    if (step.kind === 'Parallel' || step.kind === 'ForEach' || step.kind === 'Repeat')
      return recipeIdsIn(step.steps)
    return step.kind === 'Gate' ? recipeIdsIn([...step.on_true, ...step.on_false]) : []
  })
  return [...new Set(ids)]
}
