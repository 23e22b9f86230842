// MOON.submit_manifest: a workflow is checked whole before anybody can start it.
import { covers } from '@svc/contract/capability'
import { operation } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import { Closed, Hash, ListOf } from '@svc/contract/schema'
import { Type } from 'typebox'
import { Manifest, ManifestRef, manifestRef, recipeOf } from './manifest.ts'
import { compileManifest } from './manifest-compile.ts'
import { keepManifest, refOfVersion } from './manifest-store.ts'
import { refuseOddSchema } from './run-input.ts'
import { scheduleOf } from './schedule.ts'

const listed_max = 500

export const submit_manifest = operation({
  summary:
    'Register a workflow: its steps are typed, checked against what this engine serves, and kept under their hash.',
  effect: 'write',
  level: 'L1',
  meters: ['seconds'],
  input: Closed({
    manifest: Manifest,
    activate: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'False keeps it without letting anybody start it, its schedule included.',
      }),
    ),
  }),
  output: Closed({
    manifest_ref: ManifestRef,
    recipe_id: Hash,
    is_new: Type.Boolean(),
    warnings: ListOf(Type.String(), 0, listed_max),
    critical_path_ms: Type.Integer({ minimum: 0 }),
    required_capabilities: ListOf(Type.String(), 0, listed_max),
    next_run_at: Type.Optional(Type.String()),
  }),
  example: {
    manifest: {
      name: 'nightly-report',
      version: '1.0.0',
      steps: [
        { kind: 'Protocol', name: 'book', protocol: 'MAX', operation: 'audit_query', payload: { limit: 10 } },
        { kind: 'Audit', event_type: 'custom.report_read', metadata: {} },
      ],
    },
  },
  async handle({ manifest, activate = true }, context) {
    const ref = manifestRef(manifest)
    const { name, version } = manifest
    const compiled = await compileManifest(context, manifest, (protocol, wanted) =>
      context.findOperation(protocol, wanted),
    )
    await refuseOddSchema(context, manifest)
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
    const { held } = await context.authority()
    const lacking = required_capabilities.filter(
      (wanted) => !held.some(({ name: has }) => covers(has, wanted)),
    )
    const warnings = [
      ...compiled.warnings.map(({ pointer, message }) => `${pointer || '/'} ${message}`),
      ...lacking.map(
        (wanted) => `You do not hold ${wanted} now; the step is refused unless you do when it runs.`,
      ),
    ].slice(0, listed_max)
    context.audit('ManifestSubmitted', { manifest_ref: ref, recipe_id, is_new, is_active: activate })
    return {
      manifest_ref: ref,
      recipe_id,
      is_new,
      warnings,
      critical_path_ms: compiled.critical_path_ms,
      required_capabilities: [...required_capabilities],
      ...(activate && schedule?.next_at && { next_run_at: schedule.next_at.toISOString() }),
    }
  },
})
