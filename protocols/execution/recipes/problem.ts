// Errors and warnings about a recipe.

export type ProblemReason =
  | 'cycle'
  | 'duplicate_name'
  | 'error_type'
  | 'expression'
  | 'loop'
  | 'may_be_absent'
  | 'not_an_ancestor'
  | 'not_a_sibling'
  | 'reference'
  | 'timer'
  | 'too_deep'
  | 'too_large'
  | 'too_many_steps'
  | 'type_error'
  | 'type_unknown'
  | 'unknown_operation'
  | 'unknown_recipe'
  | 'unknown_step'

export interface Problem {
  /** JSON Pointer into the recipe; a sub-recipe's content counts as inlined at its `recipe_id`. */
  readonly pointer: string
  readonly reason: ProblemReason
  readonly message: string
}
