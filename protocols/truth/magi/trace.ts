// MAGI trace: causes and effects from the audit log, with every link checked against the chain.

import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { narrate, type Sentence } from './narrative.ts'
import { proposeSentences } from './narrative-proposal.ts'
import { type Gathered, gather } from './trace-gathering.ts'
import type { TraceInput, TraceOutput } from './trace-input.ts'
import { compute, type TraceResult, type TraceTask } from './trace-job.ts'
import { link_bases } from './trace-node.ts'
import { findRoot } from './trace-root.ts'
import { type Verification, verifyTrace } from './trace-verification.ts'

const job = computation<TraceTask, TraceResult>(new URL('./trace-job.ts', import.meta.url))

export const deadline_ms_max = 600_000
export const budget_default = { tokens: 100_000, deadline_ms: 60_000 }
const hold_slack_ms = 5_000
/** Up to this many are processed inline. */
const inline_records_max = 40
const inline_work_max = 20_000
/** Condition evaluations per token of the budget, and the maximum. */
const work_per_token = 100
const work_max = 20_000_000
/** Reserved for the output. */
const answer_share = 0.1
const edges_max = 40_000
const dropped_max = 1_000

export async function traceRoot(
  input: TraceInput,
  context: OperationContext<
    | 'audit_log'
    | 'charter'
    | 'compute'
    | 'model'
    | 'policies'
    | 'served'
    | 'telemetry'
    | 'tokens'
    | 'treaties'
    | 'vault'
  >,
): Promise<TraceOutput> {
  const { deadline_ms } = context
  const root = await findRoot(input.root, context)
  // Locks stay while a thread works.
  const idle_ms = String(deadline_ms + hold_slack_ms)
  await sql`SELECT set_config('idle_in_transaction_session_timeout', ${idle_ms}, true)`.execute(context.db)
  const asked_tokens = input.question === undefined ? 0 : await context.tokens.count([input.question])
  const direction = input.direction ?? 'causes'
  const bounds = { direction, max_depth: input.max_depth ?? 16, max_nodes: input.max_nodes ?? 2_000 }
  const reading = {
    ...bounds,
    include_foreign: input.include_foreign ?? false,
    tokens_max: context.tokens.max * (1 - answer_share),
  }
  const gathered = await gather(root, reading, context, asked_tokens)
  const task: TraceTask = {
    ...bounds,
    material: gathered.material,
    target: root.target,
    counterfactual: input.counterfactual ?? [],
    work_max: Math.min(work_max, context.tokens.max * work_per_token),
  }
  const result = await think(task, deadline_ms, context)
  // A thing no record names does not exist; nor does another organization's.
  if (!result.nodes.some(({ id }) => id === root.target))
    throw notFound('request, record or thing', input.root)
  const verification = await verify(result, gathered, context)
  return await tell(input, root.target, { result, gathered, verification }, context)
}

/** Small traces inline; large ones, and those that exceed the inline limit, in a worker thread. */
async function think(
  task: TraceTask,
  deadline_ms: number,
  context: OperationContext<'compute'>,
): Promise<TraceResult> {
  if (task.material.records.length <= inline_records_max) {
    const result = compute({ ...task, work_max: Math.min(inline_work_max, task.work_max) })
    if (!result.truncated_by.includes('work')) return result
  }
  return await context.compute(job, task, deadline_ms)
}

/** Of the records shown. Tampering is reported, and the trace is returned anyway. */
async function verify(
  { nodes }: TraceResult,
  { material, foreign_bad }: Gathered,
  context: OperationContext,
): Promise<Verification> {
  const shown = new Set(nodes.flatMap(({ record_hash }) => record_hash ?? []))
  const isShown = ({ record_hash }: { record_hash: string }) => shown.has(record_hash)
  const verification = await verifyTrace(
    material.records.filter(isShown),
    foreign_bad.filter(isShown),
    context,
  )
  const { first_bad } = verification
  if (first_bad) context.alarm('a record that a trace uses is not what was written', { ...first_bad })
  return verification
}

interface Findings {
  readonly result: TraceResult
  readonly gathered: Gathered
  readonly verification: Verification
}

async function tell(
  input: TraceInput,
  target: string,
  { result, gathered, verification }: Findings,
  context: OperationContext<'model' | 'tokens'>,
): Promise<TraceOutput> {
  const direction = input.direction ?? 'causes'
  const { first_bad } = verification
  const sentences = narrate({ ...result, target, direction, first_bad })
  const spent = { tokens_in: Math.min(gathered.tokens_in, context.tokens.max), tokens_out: 0 }
  const fitting = await fit(sentences, context.tokens.max - spent.tokens_in, context)
  spent.tokens_out = fitting.tokens
  const left = context.tokens.max - spent.tokens_in - spent.tokens_out
  const proposed = await proposeSentences(input.question, result.nodes, fitting.said, left, context)
  spent.tokens_in += Math.min(left, proposed.tokens_in)
  spent.tokens_out += Math.min(context.tokens.max - spent.tokens_in - spent.tokens_out, proposed.tokens_out)
  context.tokens.use(spent.tokens_in, spent.tokens_out)
  const truncated_by = [
    ...new Set([
      ...gathered.truncated_by,
      ...result.truncated_by,
      ...(fitting.said.length < sentences.length ? (['tokens'] as const) : []),
      ...(result.edges.length > edges_max ? (['nodes'] as const) : []),
    ]),
  ].sort()
  const output = {
    target,
    nodes: result.nodes.map((node) => ({ ...node })),
    edges: result.edges.slice(0, edges_max).map(({ from, to, relation, basis }) => {
      return { from, to, relation, confidence: link_bases[basis] }
    }),
    dropped: result.dropped.slice(0, dropped_max).map((edge) => ({ ...edge })),
    root_causes: result.root_causes.map(({ contingency, ...cause }) => {
      return { ...cause, contingency: [...contingency] }
    }),
    critical_path: [...result.critical_path],
    counterfactuals: result.counterfactuals.map(({ removed, ...one }) => ({ removed: [...removed], ...one })),
    verification,
    narrative: [
      ...fitting.said.map((sentence) => sentenceOf(sentence, true)),
      ...proposed.sentences.map((sentence) => sentenceOf(sentence, false)),
    ],
    truncated: truncated_by.length > 0,
    truncated_by,
    confidence: result.confidence,
  }
  const trace_ref = `magi://trace/${contentHash(output).slice('sha256:'.length)}`
  return { trace_ref, ...output, usage: { ...spent, work: result.work } }
}

function sentenceOf({ sentence, citations }: Sentence, verified: boolean) {
  return { sentence, citations: [...citations], verified }
}

/** As many sentences, from the first on, as the tokens allow. */
async function fit(sentences: readonly Sentence[], room: number, context: OperationContext<'tokens'>) {
  const fitting: Sentence[] = []
  let tokens = 0
  for (const sentence of sentences) {
    const more = await context.tokens.count([sentence.sentence])
    if (tokens + more > room) break
    tokens += more
    fitting.push(sentence)
  }
  return { said: fitting, tokens }
}
