// A workflow as submitted: a recipe and the settings of its runs.

import { GovernanceGate, type Recipe, RecipeStep, Retry, StepName, TimeoutMs } from '@svc/contract/recipe'
import { Closed, ListOf, Text } from '@svc/contract/schema'
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
export const ManifestVersion = Type.String({ pattern: '^v?\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$' })

export const Manifest = Closed({
  name: ManifestName,
  version: ManifestVersion,
  input_schema: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'JSON Schema that the input of a run must fit.',
    }),
  ),
  steps: ListOf(RecipeStep, 1, steps_max),
  defaults: Type.Optional(
    Closed(
      { timeout_ms: Type.Optional(TimeoutMs), retry: Type.Optional(Retry) },
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
    Closed({
      cron: Text(128, { description: 'Five fields, or six with seconds.' }),
      tz: Type.Optional(Text(64, { default: 'UTC' })),
      overlap: Type.Optional(
        Type.Enum(['skip', 'queue'], {
          default: 'skip',
          description: 'When the run before it has not ended.',
        }),
      ),
    }),
  ),
  concurrency: Type.Optional(
    Closed({
      key: Text(expression_chars_max, {
        description: 'CEL over input: runs with the same value stand in one line.',
      }),
      max: Type.Integer({ minimum: 1, maximum: 1000 }),
    }),
  ),
  governance_gates: Type.Optional(ListOf(GovernanceGate, 0, 64)),
  audit_checkpoints: Type.Optional(ListOf(StepName, 0, steps_max)),
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
export type RunState = (typeof run_states)[number]

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
