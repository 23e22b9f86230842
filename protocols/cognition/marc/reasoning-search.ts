// Finds the answer: with the built-in parser, or a model that translates for the kernel, within the budget.
import type { OperationContext } from '@svc/contract/operation-context'
import { intent_index, type ReasoningResult, type ReasoningTask, reasoning_job } from '../reasoning/api.ts'
import type { ReasoningInput, ReasoningOutput } from './reasoning-input.ts'
import { type Translation, translate } from './reasoning-translation.ts'

const unverified_confidence_max = 0.5
/** The cost of an answer without a proof, reserved before any search. */
export const answer_tokens = 8

export interface Spent {
  tokens_in: number
  tokens_out: number
  work: number
}

/** The result, and which reader produced it. */
export interface Found extends ReasoningResult {
  readonly verified: boolean
  readonly method: ReasoningOutput['method']
}

/** The built-in parser first; a model only on request or if something was not parsed. */
export async function findAnswer(
  task: ReasoningTask,
  { backend = 'auto' }: ReasoningInput,
  context: OperationContext<'compute' | 'model' | 'tokens'>,
  spent: Spent,
): Promise<Found> {
  const left = () => context.tokens.max - spent.tokens_in - spent.tokens_out - spent.work
  if (left() <= answer_tokens) return exhausted
  let own: Found | undefined
  if (backend !== 'model') {
    const result = await context.compute(reasoning_job, task, context.deadline_ms)
    spent.work += result.work
    own = { ...result, verified: isUnderstood(result), method: 'builtin' }
    if (backend === 'builtin' || own.unparsed.length === 0) return own
  }
  const translation = await translate(context, task, left() - spent.tokens_in, backend === 'model')
  if (!translation) return own ?? exhausted
  spent.tokens_in += translation.tokens_in
  spent.tokens_out += translation.tokens_out
  const work_max = Math.max(0, left() - answer_tokens)
  const result = await context.compute(reasoning_job, { ...translation.task, work_max }, context.deadline_ms)
  spent.work += result.work
  return proved(result, translation, own)
}

/** What the kernel proved from the model's clauses; otherwise the model's own answer, with low confidence. */
function proved(result: ReasoningResult, { answer, hedges }: Translation, own: Found | undefined): Found {
  if (isUnderstood(result) && result.answer !== 'unknown')
    return {
      ...result,
      hedges: hedges.filter(({ index }) =>
        result.leaves.some(({ premise_index }) => premise_index === index),
      ),
      verified: true,
      method: 'model_translation',
    }
  if (own && own.answer !== 'unknown') return own
  const confidence = Math.min(unverified_confidence_max, result.confidence)
  return {
    ...result,
    derivation: [],
    leaves: [],
    answer,
    confidence,
    confidence_upper: confidence,
    verified: false,
    method: 'model',
  }
}

/** What was asked; an answer to something else verifies nothing. */
function isUnderstood({ unparsed }: ReasoningResult): boolean {
  return !unparsed.some(({ index }) => index === intent_index)
}

const exhausted: Found = {
  status: 'budget_exhausted',
  answer: 'unknown',
  derivation: [],
  leaves: [],
  confidence: 0.5,
  confidence_upper: 0.5,
  alternatives: [],
  unparsed: [],
  readings: [],
  hedges: [],
  shortened: [],
  work: 0,
  verified: false,
  method: 'builtin',
}
