// What a signal must be to be taken: awaited by name, of the declared form, and from who may send it.
import { holdsRole, isKin, kinOf } from '@svc/contract/authority/approval'
import { compileExpression, judge } from '@svc/contract/expressions/expression'
import { judgeForeign } from '@svc/contract/foreign/foreign-schema'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { canonicalJson, contentHash } from '@svc/contract/signing/canonical-json'
import { asRefusal } from '@svc/database/as-refusal'
import { sql } from '@svc/database/sql'
import { type Plan, type PlannedGate, readScope, roundsOf, withRounds } from '../recipes/api.ts'
import { compileManifest } from './manifest-compile.ts'
import { findManifest } from './manifest-store.ts'
import { run_ref_start } from './run-effect.ts'
import { signalPlaces } from './run-signal-places.ts'
import { type JournalRow, type OpenRun, readJournal } from './run-store.ts'

export interface SentSignal {
  readonly name: string
  readonly payload?: unknown
  readonly verdict?: string
}

export type SignalContext = OperationContext<
  'authority' | 'change_notifications' | 'compute' | 'requireAuthority' | 'served' | 'vault'
>

/** Of the declared form and from who may send it: takes long for a long payload, so the run is not locked. Returns the plan. */
export async function refuseOddSignal(
  context: SignalContext,
  run: OpenRun,
  signal: SentSignal,
): Promise<Plan> {
  const manifest = await findManifest(context, run.manifest_ref)
  const { plan } = await compileManifest(context, manifest!.manifest, (protocol, operation_name) =>
    context.served.find(protocol, operation_name),
  )
  const gate = gatesOf(plan).find(({ await: waits }) => waits?.signal === signal.name)
  if (!gate) throw unknownSignal(plan, signal.name)
  await requireForm(context, gate, signal)
  await requireSender(context, run, gate, signal)
  return plan
}

/** While the run is locked, so that no gate decides and no other signal comes meanwhile. */
export async function requirePlace(
  context: SignalContext,
  run: OpenRun,
  planned: Plan | undefined,
  signal: SentSignal,
): Promise<void> {
  const { name } = signal
  const is_late = run.deadline_at !== null && run.deadline_at <= new Date(context.now)
  if (!planned || run.undoing !== null || run.cancel !== null || is_late)
    throw notTaken(
      'This run was cancelled, has failed or is past its deadline, so its gates take no signals any more.',
    )
  const rows = await readJournal(context, run.run_id)
  const journal = new Map(rows.filter(({ path }) => !path.includes('@')).map((row) => [row.path, row]))
  const plan = withRounds(planned, (path) => roundsOf(journal.get(path)))
  const places = signalPlaces({ plan, journal, name })
  const unread = await countUnread(context, run, name)
  if (places === 0)
    throw notTaken(
      `No gate takes the signal ${name} any more: each has decided or was skipped. What the run waits for is in its status, under awaiting.`,
    )
  if (unread >= places)
    throw notTaken(
      `A signal ${name} that was sent before will be taken, and no gate is left for another one. How the gate decides is in the status of the run.`,
    )
  const waiting = gatesOf(plan).filter(
    ({ path, await: waits }) => waits?.signal === name && journal.get(path)?.state === 'waiting',
  )
  // Signals are taken in the order in which they were sent.
  const next = waiting[unread]
  if (next) requireDecision(next, run, plan, journal, signal)
}

async function countUnread({ db, tenant_id }: SignalContext, { run_id }: OpenRun, name: string) {
  const row = await sql<{ unread: number }>`SELECT count(*)::float8 AS unread FROM moon_signal
    WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} AND name = ${name} AND taken_by IS NULL`.first(db)
  return row!.unread
}

function notTaken(sentence: string): Refusal {
  return refuse('policy_denied', sentence, { reason: 'signal not awaited' })
}

/** All gates that wait for one signal declare the same of it. */
export function gatesOf(plan: Plan): PlannedGate[] {
  return [...plan.steps.values()].flatMap((step) => (step.kind === 'Gate' && step.await ? [step] : []))
}

export function termsOf({ await: waits }: PlannedGate): string {
  return canonicalJson({ schema: waits?.schema ?? null, from: waits?.from ?? null })
}

function unknownSignal(plan: Plan, name: string): Refusal {
  const awaited = [...new Set(gatesOf(plan).flatMap(({ await: waits }) => waits?.signal ?? []))]
  const others = awaited.length === 0 ? 'none' : awaited.slice(0, 20).join(', ')
  return refuse('invalid_payload', `No gate of this run waits for ${name}; it can wait for: ${others}.`, {
    reason: 'unknown signal',
    path: '/signal/name',
  })
}

async function requireForm(context: SignalContext, gate: PlannedGate, { name, payload = {} }: SentSignal) {
  const { schema } = gate.await!
  if (!schema) return
  const question = { schema: JSON.stringify(schema), value: JSON.stringify(payload) }
  const { faults, unusable } = await judgeForeign(question, context.compute)
  const [first] = faults
  if (!first && unusable === undefined) return
  const why = first
    ? `/signal/payload${first.pointer} ${first.message}`
    : `its schema cannot be used: ${unusable}`
  throw refuse('invalid_payload', `The signal ${name} is not as its gate declares it: ${why}.`, {
    reason: 'signal schema',
    faults,
  })
}

async function requireSender(context: SignalContext, run: OpenRun, gate: PlannedGate, signal: SentSignal) {
  const { agents, roles, council = false, not_starter = false } = gate.await!.from ?? {}
  // Also with a verdict: a council of one would be the starter.
  if (not_starter && isKin(kinOf(context.caller), run.acting.kin ?? [run.owner_did]))
    throw notSender(
      'Four eyes are wanted here: neither who started the run nor an identity with the same root may send it.',
      'four eyes',
    )
  if (council && signal.verdict !== undefined) return requireVerdict(context, run, signal)
  if (!agents && !roles && !council) return
  if (agents?.includes(context.caller.did)) return
  if (roles && (await holdsOne(roles, context))) return
  // Refused, with what the council has to decide on.
  if (council) return requireVerdict(context, run, signal)
  const who = [
    ...(agents ? [`${agents.length} named ${agents.length === 1 ? 'identity' : 'identities'}`] : []),
    ...(roles ? [`people with the role ${roles.join(' or ')}`] : []),
  ]
  throw notSender(
    `The signal ${signal.name} is for ${who.join(', or ')}; ask ${agents?.length === 1 && !roles ? 'that identity' : 'one of these'} to send it.`,
    'sender',
  )
}

/** By this credential: a key that was bounded for an agent does not bring the roles of its person. */
async function holdsOne(roles: readonly string[], { authority, now }: SignalContext): Promise<boolean> {
  const { held } = await authority.ofCaller()
  return roles.some((role) => holdsRole(held, role, new Date(now)))
}

/** The council has decided on this very signal to this very run. */
async function requireVerdict(
  context: SignalContext,
  { run_id }: OpenRun,
  { name, payload, verdict }: SentSignal,
) {
  const subject = contentHash({ run_ref: run_ref_start + run_id, signal: name, payload: payload ?? {} })
  await context.requireAuthority('MOON.execute_workflow', subject, verdict)
}

function notSender(sentence: string, reason: string): Refusal {
  return refuse('policy_denied', sentence, { reason })
}

/** A gate that waits now can be asked; one that opens later drops what it cannot read. */
function requireDecision(
  { path, condition }: PlannedGate,
  run: OpenRun,
  plan: Plan,
  journal: ReadonlyMap<string, JournalRow>,
  { name, payload = {} }: SentSignal,
): void {
  const now_ms = journal.get(path)!.started_at.getTime()
  try {
    const outside = { input: run.input, signal: payload, now_ms, seed: `${run.run_id}|${path}` }
    judge(compileExpression(condition), readScope(plan, journal, path, outside))
  } catch (thrown) {
    throw refuse(
      'invalid_payload',
      `The gate ${path} cannot decide on this signal ${name}: ${asRefusal(thrown).message}`,
      { reason: 'signal condition', path: '/signal/payload' },
    )
  }
}
