// MOON.execute_workflow: starts a run, or queries, signals, cancels or retries one.

import { compileExpression, evaluate } from '@svc/contract/expressions/expression'
import type { OperationContext } from '@svc/contract/operation-context'
import { SignalName } from '@svc/contract/recipe'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { hasEnded, ManifestName, ManifestRef, ManifestVersion } from './manifest.ts'
import { findManifest, refOfVersion, refuseInactive, type StoredManifest } from './manifest-store.ts'
import { cancelRun, requireRun, sendSignal } from './run-asking.ts'
import { run_ref_start } from './run-effect.ts'
import { restTopic, work_topic } from './run-executor.ts'
import { refuseOddInput } from './run-input.ts'
import { type Resuming, resumeApart, retryRun, undoRun } from './run-resuming.ts'
import { createRun, findRun, type OpenRun, readJournal } from './run-store.ts'
import { progressOf, RunRef, type RunView, viewOf } from './run-view.ts'

const wait_ms_max = 25_000
const undone_max = 500
const attributes_max = 16
const attribute_chars_max = 256
const look_every_ms = 1_000
const deadline_ms_max = 31_536_000_000

/** Exact values by name. */
export const Attributes = Type.Record(
  Type.String({ pattern: '^[a-z][a-z0-9_.-]{0,62}$' }),
  Text(attribute_chars_max),
  { maxProperties: attributes_max, additionalProperties: false },
)

export const ExecuteInput = Closed({
  action: Type.Optional(
    described(
      OneOf('start', 'status', 'signal', 'cancel', 'retry', 'undo'),
      'Default start; the others need run_ref. status only reads; retry starts a new run from a step; undo tries the undoings that failed again.',
    ),
  ),
  manifest_ref: Type.Optional(described(ManifestRef, 'For start: what to run; or name and version.')),
  name: Type.Optional(described(ManifestName, 'For start, with version: what to run.')),
  version: Type.Optional(described(ManifestVersion, 'For start, with name: what to run.')),
  input: Type.Optional(Type.Unknown({ description: 'What the steps see as input; fits input_schema.' })),
  run_key: Type.Optional(
    Text(128, {
      description:
        'Unique in the tenant: starting the same manifest again with the same key returns the first run.',
    }),
  ),
  attributes: Type.Optional(
    described(Attributes, 'For start: what list finds the run by, such as {"order": "A-7"}. Kept sealed.'),
  ),
  wait_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: wait_ms_max,
      default: 0,
      description: 'For start, status, retry and undo: wait up to this long for the run to end.',
    }),
  ),
  deadline_ms: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: deadline_ms_max,
      description: 'The run fails when it takes longer.',
    }),
  ),
  run_ref: Type.Optional(described(RunRef, 'The run; for every action but start.')),
  signal: Type.Optional(
    Closed(
      {
        name: described(SignalName, 'Name the gate waits for; outcome says what an unclear call did.'),
        payload: Type.Optional(
          Type.Unknown({ description: 'As its gate declares it; for outcome: { path, performed, data }.' }),
        ),
        verdict: Type.Optional(
          described(
            Ref,
            'Where a council may send it: its verdict, on the hash of run_ref, signal and payload.',
          ),
        ),
      },
      { description: 'For signal: what a waiting gate gets.' },
    ),
  ),
  compensate: Type.Optional(
    Type.Boolean({ default: false, description: 'With cancel: undo what was done.' }),
  ),
  from_step: Type.Optional(Text(512, { description: 'With retry: this step and all after it begin anew.' })),
  undone: Type.Optional(
    described(
      ListOf(Text(512), 0, undone_max),
      'With undo: steps of not_undone that somebody has undone by other means; nothing is called for them.',
    ),
  ),
  reason: Type.Optional(Text(500, { description: 'Why, for those who read the call later.' })),
})
export type ExecuteInput = Static<typeof ExecuteInput>

export async function executeWorkflow(
  input: Static<typeof ExecuteInput>,
  context: OperationContext<
    'authority' | 'compute' | 'change_notifications' | 'requireAuthority' | 'served' | 'standIn' | 'vault'
  >,
) {
  const { action = 'start', wait_ms = 0 } = input
  if (action === 'start') return answer(context, await startRun(context, input), wait_ms)
  if (input.run_ref === undefined)
    throw refuse('invalid_payload', `To ${action} a run, say which: run_ref is missing.`, {
      reason: 'run_ref',
    })
  const run = await requireRun(context, input.run_ref)
  if (action === 'signal') {
    if (!input.signal)
      throw refuse('invalid_payload', 'A signal needs a name: signal is missing.', { reason: 'signal' })
    await sendSignal(context, run, input.signal)
  }
  if (action === 'cancel') await cancelRun(context, run, input.compensate ?? false)
  if (action === 'retry' || action === 'undo')
    return answer(context, await resumeRun(context, run, input), wait_ms)
  return answer(context, run, action === 'status' ? wait_ms : 0)
}

function resumeRun(context: Resuming, run: OpenRun, input: ExecuteInput): Promise<OpenRun> {
  const resume = (at: Parameters<typeof retryRun>[0]) =>
    input.action === 'retry' ? retryRun(at, run, input.from_step) : undoRun(at, run, input.undone ?? [])
  return input.wait_ms ? resumeApart(context, resume) : resume(context)
}

async function startRun(
  context: OperationContext<'compute' | 'change_notifications' | 'standIn' | 'vault'>,
  input: ExecuteInput,
): Promise<OpenRun> {
  const start = async (place: Pick<OperationContext, 'db'>): Promise<OpenRun> => {
    const at = { db: place.db, tenant_id: context.tenant_id, vault: context.vault }
    const manifest = await requireManifest(at, input)
    await refuseOddInput(context, manifest.manifest, input.input ?? {})
    const run_id = await createRun(at, {
      run_id: context.record_id,
      manifest_ref: manifest.ref,
      run_key: runKey(context, input),
      acting: context.standIn(),
      input: input.input ?? {},
      line: lineOf(context, manifest, input.input),
      retry_of: null,
      now: context.now,
      deadline_at: deadlineAt(context, input.deadline_ms),
      attributes: input.attributes,
    })
    const run = (await findRun(at, run_id))!
    if (run.manifest_ref !== manifest.ref) throw keyTaken(run)
    return run
  }
  const tell = () => context.change_notifications.tell(work_topic)
  if (!input.wait_ms) {
    context.afterCommit(async () => tell())
    return start(context)
  }
  // The run must be committed before a worker can claim it; hold no locks while waiting for it.
  const run = await context.apart(start)
  tell()
  return run
}

function keyTaken({ run_id, manifest_ref }: OpenRun) {
  const run_ref = run_ref_start + run_id
  return refuse(
    'policy_denied',
    `This run_key is that of ${run_ref}, which runs another manifest, so nothing was started; choose another key.`,
    { reason: 'run key taken', run_ref, manifest_ref },
  )
}

/** A start repeated under the same key is the same run, even if the first response was lost. */
function runKey({ idempotency_key, caller }: OperationContext, { run_key }: ExecuteInput): string | null {
  if (run_key !== undefined) return `named ${run_key}`
  return idempotency_key === undefined ? null : `sent ${caller.did} ${idempotency_key}`
}

function deadlineAt({ now }: OperationContext, deadline_ms: number | undefined): Date | null {
  return deadline_ms === undefined ? null : new Date(Date.parse(now) + deadline_ms)
}

function lineOf(
  { now, record_id, vault }: OperationContext<'vault'>,
  { manifest, ref }: StoredManifest,
  input: unknown,
): string | null {
  if (!manifest.concurrency)
    return manifest.schedule?.overlap === 'queue' ? vault.blind(`line schedule ${ref}`) : null
  const scope = { input: input ?? {}, steps: {}, signal: null, now_ms: Date.parse(now), seed: record_id }
  const key = evaluate(compileExpression(manifest.concurrency.key), scope)
  return vault.blind(`line ${canonicalJson([manifest.name, key])}`)
}

async function requireManifest(
  place: Parameters<typeof findManifest>[0],
  input: ExecuteInput,
): Promise<StoredManifest> {
  const { name, version } = input
  if (input.manifest_ref === undefined && (name === undefined || version === undefined)) {
    throw refuse('invalid_payload', 'Say what to run: manifest_ref, or name and version.', {
      reason: 'manifest_ref',
    })
  }
  const ref = input.manifest_ref ?? (await refOfVersion(place, name!, version!))
  const manifest = ref === undefined ? undefined : await findManifest(place, ref)
  if (!manifest) throw notFound('manifest', ref ?? `${name} ${version}`)
  refuseInactive(manifest)
  return manifest
}

/** The current state, or the final one if the caller waits; journal rows are reported as progress. */
async function answer(
  context: OperationContext<'change_notifications' | 'vault'>,
  run: OpenRun,
  wait_ms: number,
): Promise<RunView> {
  if (wait_ms === 0) return viewOf(run, await readJournal(context, run.run_id))
  const { tenant_id, vault, change_notifications, signal } = context
  const listening = change_notifications.listen(restTopic(run.run_id))
  let [now, told_seq] = [run, 0]
  try {
    for (;;) {
      const left_ms = wait_ms - listening.elapsed_ms()
      const fresh = await context.apart(async ({ db }) => {
        const at = { db, tenant_id, vault }
        now = (await findRun(at, run.run_id)) ?? run
        return readJournal(at, run.run_id, told_seq)
      })
      for (const row of fresh) context.progress(progressOf(now, row))
      told_seq = fresh.at(-1)?.seq ?? told_seq
      if (hasEnded(now.state) || left_ms <= 0 || signal.aborted) break
      await listening.wait(Math.min(left_ms, look_every_ms), signal)
    }
  } finally {
    listening.close()
  }
  const journal = await context.apart(({ db }) => readJournal({ db, tenant_id, vault }, run.run_id))
  return viewOf(now, journal)
}
