// What stands against a recipe, or only deserves a word.

export type ProblemReason =
  | 'cycle'
  | 'duplicate_name'
  | 'expression'
  | 'may_be_absent'
  | 'not_an_ancestor'
  | 'not_a_sibling'
  | 'reference'
  | 'too_deep'
  | 'too_large'
  | 'too_many_steps'
  | 'type_error'
  | 'type_unknown'
  | 'unknown_operation'
  | 'unknown_recipe'
  | 'unknown_step'

export interface Problem {
  /** JSON Pointer into the recipe; a sub-recipe is as if it stood in place of its `recipe_id`. */
  readonly pointer: string
  readonly reason: ProblemReason
  readonly message: string
}
