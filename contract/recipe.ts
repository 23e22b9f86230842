// A typed graph of steps with governance in between. The spec scaffolds it: no endpoint runs one by itself.
import { type Static, Type } from 'typebox'
import { AnyObject, Closed, Hash, ListOf, OneOf, Text } from './schema.ts'

const steps_max = 500

const StepName = Type.String({ pattern: '^[a-z][a-z0-9_-]{0,62}$', description: 'Unique within its recipe.' })
const Nested = Type.Array(Type.Ref('RecipeStep'), { minItems: 0, maxItems: steps_max })

/** Five kinds. Gate branches and Parallel hold their steps, so a branch that is not taken is skipped as a whole. */
const step_kinds = [
  Closed({
    kind: Type.Literal('Protocol'),
    name: Type.Optional(StepName),
    protocol: Text(64),
    operation: Text(128),
    payload: AnyObject,
    depends_on: ListOf(StepName, 0, steps_max),
  }),
  Closed({
    kind: Type.Literal('Gate'),
    name: Type.Optional(StepName),
    condition: Text(2000),
    on_true: Nested,
    on_false: Nested,
  }),
  Closed({
    kind: Type.Literal('Audit'),
    name: Type.Optional(StepName),
    event_type: Text(72),
    metadata: AnyObject,
  }),
  Closed({
    kind: Type.Literal('SubRecipe'),
    name: Type.Optional(StepName),
    recipe_id: Hash,
    params: AnyObject,
  }),
  Closed({ kind: Type.Literal('Parallel'), name: Type.Optional(StepName), steps: Nested }),
] as const

export const RecipeStep = Type.Cyclic({ RecipeStep: Type.Union([...step_kinds]) }, 'RecipeStep')
export type RecipeStep = Static<typeof RecipeStep>

const GateAction = OneOf('Abort', 'Continue', 'Escalate')

/** Judged before `at_step`. Escalate takes the question to MOOT and waits for the ruling. */
export const GovernanceGate = Closed({
  at_step: StepName,
  kind: OneOf('MAXIM', 'MACE-quorum', 'MOAT-treaty'),
  on_pass: GateAction,
  on_fail: GateAction,
})
export type GovernanceGate = Static<typeof GovernanceGate>

export const StepResult = Closed({
  data: Type.Unknown(),
  metadata: AnyObject,
  confidence_score: Type.Number({ minimum: 0, maximum: 1 }),
  execution_time_ms: Type.Number({ minimum: 0 }),
  error: Type.Optional(Type.String()),
})
export type StepResult = Static<typeof StepResult>

export const Recipe = Closed(
  {
    id: Hash,
    version: Type.String({ pattern: '^v?\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$' }),
    steps: ListOf(RecipeStep, 1, steps_max),
    audit_checkpoints: ListOf(StepName, 0, steps_max),
    governance_gates: ListOf(GovernanceGate, 0, 64),
  },
  { description: 'Steps with governance gates and audit checkpoints; the id is the hash of the rest.' },
)
export type Recipe = Static<typeof Recipe>
