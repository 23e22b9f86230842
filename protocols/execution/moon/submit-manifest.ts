// MOON.submit_manifest: checks a whole workflow before it can be started.

import { covers } from '@svc/contract/authority/capability'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, Hash, ListOf } from '@svc/contract/schema'
import type { Static } from 'typebox'
import { Type } from 'typebox'
import { isCall, type Plan } from '../recipes/api.ts'
import { Manifest, ManifestRef, manifestRef, recipeOf } from './manifest.ts'
import { compileManifest, type FindOperation } from './manifest-compile.ts'
import { keepManifest, missingVersions, type NamedVersion, refOfVersion } from './manifest-store.ts'
import { Intent, proposeManifest } from './recipe-proposal.ts'
import { usualDurations } from './run-history-store.ts'
import { refuseOddSchema, refuseOddSignals } from './run-input.ts'
import { scheduleOf } from './schedule.ts'

const listed_max = 500
export const deadline_ms = 30_000

export const SubmitManifestInput = Closed({
  manifest: Type.Optional(described(Manifest, 'The workflow; this or an intent.')),
  intent: Type.Optional(Intent),
  budget: Type.Optional(
    Closed(
      {
        tokens: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description: 'What compiling an intent may use in all; without it nothing is reserved.',
        }),
        deadline_ms: Type.Optional(
          Type.Integer({
            minimum: 100,
            maximum: deadline_ms,
            default: deadline_ms,
            description: 'Time at most, in milliseconds.',
          }),
        ),
      },
      { description: 'What compiling an intent may use.' },
    ),
  ),
  activate: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'False keeps it without letting anybody start it, its schedule included. What comes of an intent is always kept so.',
    }),
  ),
})

export const SubmitManifestOutput = Closed({
  manifest_ref: ManifestRef,
  recipe_id: described(Hash, 'Hash of its steps, gates and checkpoints.'),
  is_new: Type.Boolean({ description: 'False if the same content was submitted before.' }),
  warnings: described(ListOf(Type.String(), 0, listed_max), 'What only a run can decide, with its place.'),
  critical_path_ms: Type.Integer({
    minimum: 0,
    description:
      'Length of the longest chain of steps without retries, in milliseconds. A step takes as long as usual in the last runs of this name (the median), and its time limit while it has not been run.',
  }),
  unmeasured_steps: Type.Integer({
    minimum: 0,
    description: 'Calls that no run of this name has made yet: of these critical_path_ms has the time limit.',
  }),
  required_capabilities: described(
    ListOf(Type.String(), 0, listed_max),
    'What whoever runs it must hold; checked again at each step.',
  ),
  next_run_at: Type.Optional(
    Type.String({ description: 'When its schedule starts it next; absent: it has none.' }),
  ),
  proposed: Type.Optional(
    Closed(
      {
        manifest: described(Manifest, 'The workflow the model made.'),
        model: Type.String({ description: 'Name of the model.' }),
      },
      { description: 'What a model made of the intent. Submit the manifest to activate it.' },
    ),
  ),
})

export async function submitManifest(
  input: Static<typeof SubmitManifestInput>,
  context: OperationContext<'authority' | 'compute' | 'model' | 'served' | 'standIn' | 'tokens' | 'vault'>,
) {
  context.takePath('protocol')
  const proposed = await proposedFor(input, context)
  const manifest = proposed?.manifest ?? input.manifest!
  // A workflow drafted by a model is never started before a caller submits it.
  const activate = proposed ? false : (input.activate ?? true)
  const ref = manifestRef(manifest)
  const { name, version } = manifest
  const find: FindOperation = (protocol, operation_name) => context.served.find(protocol, operation_name)
  const usual_ms = await usualDurations(context.db, context.tenant_id, name)
  const compiled = await compileManifest(context, manifest, find, true, usual_ms)
  await refuseOddSchema(context, manifest)
  await refuseOddSignals(context, compiled.plan)
  const schedule = scheduleOf(manifest, new Date(context.now))
  const taken = await refOfVersion(context, name, version)
  if (taken !== undefined && taken !== ref) {
    throw refuse(
      'invalid_payload',
      `Version ${version} of ${name} was submitted with other content; give what changed a new version.`,
      { reason: 'version_conflict', manifest_ref: taken },
    )
  }
  const { id: recipe_id } = recipeOf(manifest)
  const row = { ref, name, version, recipe_id, submitted_by: context.caller.did, submitted_at: context.now }
  const is_new = await keepManifest(
    context,
    { ...row, is_active: activate, steps: compiled.plan.steps.size, ...(schedule && { schedule }) },
    manifest,
    context.standIn(),
  )
  const { required_capabilities } = compiled
  const { held } = await context.authority.ofCaller()
  const lacking = required_capabilities.filter((name) => !held.some((own) => covers(own.name, name)))
  const warnings = [
    ...compiled.warnings.map(({ pointer, message }) => `${pointer || '/'} ${message}`),
    ...(await missingChildren(context, compiled.plan)),
    ...lacking.map((one) => `You do not hold ${one} now; the step is refused unless you do when it runs.`),
  ].slice(0, listed_max)
  const model = proposed && { compiled_by: proposed.model }
  context.audit('ManifestSubmitted', { manifest_ref: ref, recipe_id, is_new, is_active: activate, ...model })
  return {
    manifest_ref: ref,
    recipe_id,
    is_new,
    warnings,
    critical_path_ms: Math.ceil(compiled.critical_path_ms),
    unmeasured_steps: [...compiled.plan.steps.values()].filter(
      (step) => isCall(step) && !usual_ms.has(step.path),
    ).length,
    required_capabilities: [...required_capabilities],
    ...(activate && schedule?.next_at && { next_run_at: schedule.next_at.toISOString() }),
    ...(proposed && { proposed }),
  }
}

/** A warning only: what a step runs may be submitted later. */
async function missingChildren(context: OperationContext<'vault'>, plan: Plan): Promise<string[]> {
  const children = [...plan.steps.values()].flatMap((step) => {
    if (step.kind !== 'Run') return []
    const { name, version } = step.payload as unknown as NamedVersion
    return [{ name, version, pointer: step.pointer }]
  })
  const missing = await missingVersions(context, children)
  return missing.map(
    ({ name, version, pointer }) =>
      `${pointer}/manifest There is no manifest ${name} ${version} yet; submit it before this one is run.`,
  )
}

interface Submitted {
  readonly manifest?: Manifest
  readonly intent?: Intent
  readonly activate?: boolean
}

/** Undefined if the caller sends the manifest itself. */
async function proposedFor(
  { manifest, intent, activate }: Submitted,
  context: OperationContext<'authority' | 'model' | 'served' | 'tokens'>,
) {
  if ((manifest === undefined) === (intent === undefined))
    throw refuse('invalid_payload', 'Send either a manifest or an intent.', { reason: 'one_of' })
  if (intent === undefined) return undefined
  if (activate === true)
    throw refuse(
      'invalid_payload',
      'What a model compiles is never started by itself; leave activate out, read the manifest, then submit it.',
      { reason: 'never_auto_run' },
    )
  return await proposeManifest(context, intent)
}
