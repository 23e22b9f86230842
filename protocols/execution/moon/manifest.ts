// A workflow as submitted: a recipe and the settings of its runs.

import {
  GovernanceGate,
  type Recipe,
  RecipeStep,
  StepName,
  step_kind_names,
  TimeoutMs,
} from '@svc/contract/recipe'
import { Retry } from '@svc/contract/recipe-retry'
import { Closed, described, ListOf, OneOf, Text } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { recipeId } from '../recipes/api.ts'

const steps_max = 500
const expression_chars_max = 2000
const manifest_ref_start = 'moon://manifest/'

export const ManifestRef = Type.String({
  pattern: '^moon://manifest/[0-9a-f]{64}$',
  description: 'The hash of what was submitted.',
})
export const ManifestName = Type.String({
  pattern: '^[a-z][a-z0-9_.-]{0,127}$',
  description: 'What runs of it are started by, together with the version.',
})
export const ManifestVersion = Type.String({
  pattern: '^v?\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$',
  description: 'Semantic version; a name and version always mean the same content.',
})

export const Manifest = Closed({
  name: ManifestName,
  version: ManifestVersion,
  input_schema: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'JSON Schema that the input of a run must fit.',
    }),
  ),
  steps: described(
    ListOf(RecipeStep, 1, steps_max),
    `What is done. Kinds of steps: ${step_kind_names.join(', ')}. The schema describes the fields of each under RecipeStep, and docs/workflows.md explains them.`,
  ),
  defaults: Type.Optional(
    Closed(
      {
        timeout_ms: Type.Optional(described(TimeoutMs, 'How long one attempt may take, in milliseconds.')),
        retry: Type.Optional(described(Retry, 'When and how often a failed attempt is repeated.')),
      },
      {
        description: 'For steps that say nothing of their own.',
      },
    ),
  ),
  compensation: Type.Optional(
    Type.Record(StepName, RecipeStep, {
      maxProperties: steps_max,
      additionalProperties: false,
      description:
        'By step: what undoes it. Run in reverse order when the run fails, or is cancelled with compensate.',
    }),
  ),
  schedule: Type.Optional(
    Closed(
      {
        cron: Text(128, { description: 'Five fields, or six with seconds.' }),
        tz: Type.Optional(
          Text(64, { default: 'UTC', description: 'Time zone of the times, such as Europe/Berlin.' }),
        ),
        overlap: Type.Optional(
          Type.Enum(['skip', 'queue'], {
            default: 'skip',
            description: 'When the run before it has not ended.',
          }),
        ),
      },
      { description: 'When runs start by themselves; absent: they do not.' },
    ),
  ),
  concurrency: Type.Optional(
    Closed(
      {
        key: Text(expression_chars_max, {
          description: 'CEL over input: runs with the same value stand in one line.',
        }),
        max: Type.Integer({
          minimum: 1,
          maximum: 1000,
          description: 'Runs with the same value that may run in parallel.',
        }),
      },
      { description: 'How many runs may run in parallel; absent: no limit.' },
    ),
  ),
  governance_gates: Type.Optional(
    described(ListOf(GovernanceGate, 0, 64), 'Decisions that must allow a step.'),
  ),
  audit_checkpoints: Type.Optional(
    described(ListOf(StepName, 0, steps_max), 'Steps whose end is written to the audit log.'),
  ),
  output: Type.Optional(
    Text(expression_chars_max, { description: 'CEL over input and steps: what the run answers.' }),
  ),
})
export type Manifest = Static<typeof Manifest>

export function manifestRef(manifest: Manifest): string {
  return manifest_ref_start + sha256Hex(canonicalJson(manifest))
}

export function recipeOf(manifest: Manifest): Recipe {
  const { version, steps, audit_checkpoints = [], governance_gates = [] } = manifest
  const recipe = { version, steps, audit_checkpoints, governance_gates }
  return { id: recipeId(recipe), ...recipe }
}

/** States of a run, in the order they can follow each other; the last five are final. */
export const run_states = [
  'pending',
  'running',
  'waiting',
  'compensating',
  'succeeded',
  'failed',
  'cancelled',
  'compensated',
  'compensation_failed',
] as const
export const RunState = described(
  OneOf(...run_states),
  'compensating: undoing what was done, then compensated, or compensation_failed if that did not work.',
)
export type RunState = Static<typeof RunState>

const ended: ReadonlySet<string> = new Set<RunState>([
  'succeeded',
  'failed',
  'cancelled',
  'compensated',
  'compensation_failed',
])

export function hasEnded(state: string): boolean {
  return ended.has(state)
}
