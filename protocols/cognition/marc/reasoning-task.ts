// Answers a question from premises with a proof, within a budget. Answers are not binding.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { commitTo, keepContent, linkContent, readContent, readContents } from '../content/api.ts'
import {
  intent_index,
  type ReasoningResult,
  type ReasoningTask,
  type SnapshotFact,
} from '../reasoning/api.ts'
import type { ReasoningInput, ReasoningOutput } from './reasoning-input.ts'
import { answer_tokens, type Found, findAnswer, type Spent } from './reasoning-search.ts'

/** The kernel stops at this share of the time, so that a partial answer can be stored and returned. */
const thinking_share = 0.75
const hold_slack_ms = 5_000
const links_max = 1_000

export async function reasonAbout(
  input: ReasoningInput,
  context: OperationContext<'calibrated' | 'compute' | 'embedder' | 'model' | 'tokens' | 'vault'>,
): Promise<ReasoningOutput> {
  requireConfidences(input)
  const facts = await factsOf(input, context)
  const task_ref = `marc://task/${context.record_id}`
  const read = [input.intent, ...(input.premises ?? []), ...facts.map((fact) => JSON.stringify(fact))]
  const spent: Spent = { tokens_in: await context.tokens.count(read), tokens_out: 0, work: 0 }
  const answer = await findAnswer(
    taskOf(input, facts, context, context.tokens.max - spent.tokens_in),
    input,
    context,
    spent,
  )
  if (input.strict && answer.unparsed.length > 0) throw notUnderstood(answer)
  const salt = context.vault.salt()
  const output = await fitTokens(tellResult(input, facts, answer, salt, task_ref), context, spent)
  const citations = await withStatus(output.citations, context)
  const calibrated_confidence = await calibrate(output.confidence, context)
  const usage = { ...output.usage, ...grantedLess(input, context) }
  const result: ReasoningOutput = {
    ...output,
    usage,
    ...(citations && { citations }),
    ...(calibrated_confidence !== undefined && { calibrated_confidence }),
  }
  await keepTask(input, result, salt, context)
  return result
}

/** Budgets that are smaller than requested. */
function grantedLess(
  { budget }: ReasoningInput,
  { deadline_ms, tokens }: OperationContext<'tokens'>,
): Partial<ReasoningOutput['usage']> {
  return {
    ...(deadline_ms < budget.deadline_ms && { deadline_ms }),
    ...(tokens.max < budget.tokens && { tokens: tokens.max }),
  }
}

function requireConfidences({ premises = [], premise_confidence }: ReasoningInput): void {
  if (!premise_confidence || premise_confidence.length === premises.length) return
  const pointer = '/premise_confidence'
  const message = `There are ${premises.length} premises and ${premise_confidence.length} confidences; give one for each premise, or none.`
  throw refuse('invalid_payload', message, {
    reason: 'length',
    path: pointer,
    faults: [{ pointer, message }],
  })
}

async function factsOf(
  { world_model_snapshot: ref }: ReasoningInput,
  context: OperationContext<'vault'>,
): Promise<readonly SnapshotFact[]> {
  if (ref === undefined) return []
  // Locks stay while a thread works.
  const idle_ms = String(context.deadline_ms + hold_slack_ms)
  await sql`SELECT set_config('idle_in_transaction_session_timeout', ${idle_ms}, true)`.execute(context.db)
  const content = await readContent(context, ref)
  if (!content) throw notFound('snapshot', ref)
  if (content.status === 'redacted')
    throw refuse(
      'invalid_payload',
      `${ref} was redacted; fuse the sources again and name the new snapshot.`,
      {
        reason: 'redacted',
        path: '/world_model_snapshot',
      },
    )
  const { facts = [] } = content.body as { facts?: readonly FusedFact[] }
  return facts.map(({ subject, predicate, object, confidence, ref, support = [] }) => {
    // Cites a source that can be looked up, if there is one.
    const source = ref ?? support.find((name) => name.includes('://'))
    return { subject, predicate, object, confidence, ref: source }
  })
}

type FusedFact = SnapshotFact & { readonly support?: readonly string[] }

function taskOf(
  input: ReasoningInput,
  facts: readonly SnapshotFact[],
  { deadline_ms }: OperationContext,
  tokens_left: number,
): ReasoningTask {
  const return_fields = new Set(input.return_fields ?? [])
  return {
    intent: input.intent,
    premises: input.premises ?? [],
    premise_confidence: input.premise_confidence ?? [],
    facts,
    assumption: input.assumption ?? 'open',
    rules: input.rules ?? 'auto',
    wants: {
      proofs: return_fields.has('derivation') || return_fields.has('citations'),
      confidence: return_fields.has('confidence'),
      alternatives: return_fields.has('alternatives'),
    },
    work_max: Math.max(0, tokens_left - answer_tokens),
    deadline_ms: deadline_ms * thinking_share,
  }
}

function notUnderstood({ unparsed }: ReasoningResult) {
  const faults = unparsed.map(({ index, reason }) => {
    return { pointer: index === intent_index ? '/intent' : `/premises/${index}`, message: reason }
  })
  return refuse(
    'invalid_payload',
    `${faults.length} of the texts cannot be parsed, and strict requires all; write them as controlled English or datalog, see details.faults.`,
    { reason: 'unparsed', faults },
  )
}

/** Only the requested parts. */
function tellResult(
  input: ReasoningInput,
  facts: readonly SnapshotFact[],
  result: Found,
  salt: Uint8Array,
  task_ref: string,
): ReasoningOutput {
  const return_fields = new Set(input.return_fields ?? [])
  const { status, answer, bindings, unparsed, verified, method } = result
  const citations = result.leaves.map(({ premise_index, fact_index }) => {
    if (premise_index !== undefined)
      return {
        premise_index,
        text_commitment: commitTo(salt, input.premises![premise_index]),
        status: 'valid' as const,
      }
    const fact = facts[fact_index!]!
    const ref = fact.ref ?? input.world_model_snapshot!
    return { ref, text_commitment: commitTo(salt, fact), status: 'valid' as const }
  })
  const bounded = result.confidence_upper > result.confidence
  // An answer that rests on hedges never goes without its probability.
  const confident = return_fields.has('confidence') || result.hedges.length > 0
  return {
    task_ref,
    status,
    answer,
    ...(bindings && { bindings: bindings.map((one) => ({ ...one })) }),
    ...(return_fields.has('derivation') && {
      derivation: result.derivation.map((one) => ({ ...one, from: [...one.from] })),
    }),
    ...(return_fields.has('citations') && { citations }),
    ...(confident && { confidence: result.confidence }),
    ...(confident && bounded && { confidence_upper: result.confidence_upper }),
    ...(return_fields.has('alternatives') && {
      alternatives: result.alternatives.map(({ missing_facts, ...one }) => {
        return { ...one, ...(missing_facts && { missing_facts: [...missing_facts] }) }
      }),
    }),
    unparsed: [...unparsed],
    readings: result.readings.map(({ index, clauses, hedges }) => {
      return { index, clauses: [...clauses], hedges: hedges.map((hedge) => ({ ...hedge })) }
    }),
    ...(result.hedges.length > 0 && { hedges: result.hedges.map((hedge) => ({ ...hedge })) }),
    ...(result.shortened.length > 0 && { cut: [...result.shortened] }),
    verified,
    method,
    usage: { tokens_in: 0, tokens_out: 0, work: result.work },
    binding: false,
  }
}

/** Output text is billed; what does not fit is left empty, and the status says so. */
async function fitTokens(
  output: ReasoningOutput,
  context: OperationContext<'tokens'>,
  spent: Spent,
): Promise<ReasoningOutput> {
  const room = context.tokens.max - spent.tokens_in - spent.tokens_out
  let shown = output
  let written = await countWritten(shown, context)
  for (const field of ['readings', 'alternatives', 'derivation', 'citations', 'bindings'] as const) {
    if (written <= room) break
    if (!shown[field]?.length) continue
    const cut = [...new Set([...(shown.cut ?? []), field])]
    // How texts were read is no part of the answer, which stays complete without it.
    const status = field === 'readings' ? shown.status : 'budget_exhausted'
    shown = { ...shown, [field]: [], cut, status }
    written = await countWritten(shown, context)
  }
  const tokens_in = Math.min(spent.tokens_in, context.tokens.max)
  const tokens_out = Math.max(0, Math.min(spent.tokens_out + written, context.tokens.max - tokens_in))
  context.tokens.use(tokens_in, tokens_out)
  return { ...shown, usage: { tokens_in, tokens_out, work: spent.work } }
}

async function countWritten(
  { answer, bindings, derivation, citations, alternatives, readings }: ReasoningOutput,
  context: OperationContext<'tokens'>,
): Promise<number> {
  return await context.tokens.count([
    JSON.stringify({ answer, bindings, derivation, citations, alternatives, readings }),
  ])
}

/** A fact may rest on content redacted since: it was read from the snapshot, and is marked so. */
async function withStatus(
  citations: ReasoningOutput['citations'],
  context: OperationContext<'vault'>,
): Promise<ReasoningOutput['citations']> {
  const refs = [...new Set(citations?.flatMap(({ ref }) => ref ?? []))].slice(0, links_max)
  if (!citations || refs.length === 0) return citations
  const contents = await readContents(context, refs)
  return citations.map((citation) => {
    const gone = citation.ref !== undefined && contents.get(citation.ref)?.status === 'redacted'
    return gone ? { ...citation, status: 'redacted' } : citation
  })
}

/** Adds the calibrated probability if MANTIC has published a calibration for ours. */
async function calibrate(
  confidence: number | undefined,
  context: OperationContext<'calibrated'>,
): Promise<number | undefined> {
  return confidence === undefined ? undefined : await context.calibrated('protocol:MARC', confidence)
}

async function keepTask(
  input: ReasoningInput,
  result: ReasoningOutput,
  salt: Buffer,
  context: OperationContext<'embedder' | 'vault'>,
): Promise<void> {
  const { task_ref: ref, answer, status, method, verified, usage } = result
  const body = { asked: input, found: result, salt: salt.toString('hex') }
  const snapshot = input.world_model_snapshot
  // What was derived from facts that not everybody may read is not for everybody either.
  const readers = snapshot === undefined ? null : (await readContent(context, snapshot))?.readers
  await keepContent(context, { ref, kind: 'reasoning', body, readers })
  const cited = new Set(result.citations?.flatMap((citation) => citation.ref ?? []))
  if (snapshot !== undefined) cited.add(snapshot)
  await linkContent(
    context,
    ref,
    [...cited].slice(0, links_max).map((to) => ({ ref: to })),
    'cites',
  )
  context.audit('ReasoningCompleted', {
    task_ref: ref,
    answer,
    status,
    method,
    verified,
    premises: input.premises?.length ?? 0,
    premises_commitment: commitTo(salt, input.premises ?? []),
    intent_commitment: commitTo(salt, input.intent),
    world_model_snapshot: input.world_model_snapshot,
    work: usage.work,
  })
}
