import { contentHash } from '@svc/contract/canonical-json'
import type { Recipe } from '@svc/contract/recipe'

/** The content address of a recipe: the hash of all of it but its id. */
export function recipeId(recipe: Omit<Recipe, 'id'> & { id?: string }): string {
  const { id: _, ...rest } = recipe
  return contentHash(rest)
}
