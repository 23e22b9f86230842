// What a signal must be to be taken: awaited by name, of the declared form, and from who may send it.
import { holdsRole, isKin, kinOf } from '@svc/contract/authority/approval'
import { compileExpression, judge } from '@svc/contract/expressions/expression'
import { judgeForeign } from '@svc/contract/foreign/foreign-schema'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { canonicalJson, contentHash } from '@svc/contract/signing/canonical-json'
import { asRefusal } from '@svc/database/as-refusal'
import { type Plan, type PlannedGate, readScope, roundsOf, withRounds } from '../recipes/api.ts'
import { compileManifest } from './manifest-compile.ts'
import { findManifest } from './manifest-store.ts'
import { run_ref_start } from './run-effect.ts'
import { type JournalRow, type OpenRun, readJournal } from './run-store.ts'

export interface SentSignal {
  readonly name: string
  readonly payload?: unknown
  readonly verdict?: string
}

export type SignalContext = OperationContext<
  'authority' | 'change_notifications' | 'compute' | 'requireAuthority' | 'served' | 'vault'
>

/** The run goes on as if a signal that is refused had not been sent. */
export async function refuseOddSignal(
  context: SignalContext,
  run: OpenRun,
  signal: SentSignal,
): Promise<void> {
  const manifest = await findManifest(context, run.manifest_ref)
  const { plan } = await compileManifest(context, manifest!.manifest, (protocol, operation_name) =>
    context.served.find(protocol, operation_name),
  )
  const isFor = ({ await: waits }: PlannedGate) => waits?.signal === signal.name
  const gate = gatesOf(plan).find(isFor)
  if (!gate) throw unknownSignal(plan, signal.name)
  await requireForm(context, gate, signal)
  await requireSender(context, run, gate, signal)
  const rows = await readJournal(context, run.run_id)
  const journal = new Map(rows.filter(({ path }) => !path.includes('@')).map((row) => [row.path, row]))
  const grown = withRounds(plan, (path) => roundsOf(journal.get(path)))
  requireDecision(gatesOf(grown).filter(isFor), run, grown, journal, signal)
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
    ...(agents ? [`${agents.length} named identities`] : []),
    ...(roles ? [`people with the role ${roles.join(' or ')}`] : []),
  ]
  throw notSender(
    `The signal ${signal.name} is for ${who.join(', or ')}; ask one of these to send it.`,
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
  gates: readonly PlannedGate[],
  run: OpenRun,
  plan: Plan,
  journal: ReadonlyMap<string, JournalRow>,
  { name, payload = {} }: SentSignal,
): void {
  const waiting = gates.find(({ path }) => journal.get(path)?.state === 'waiting')
  if (!waiting) return
  const { path, condition } = waiting
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
