// The effect of doing X on Y, given Z, in a published model. Exact wherever possible.

import { answerOf } from '@svc/contract/needs/computation-verdict'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, HexHash, ListOf, OneOf, Text } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, type TSchema, Type } from 'typebox'
import {
  analysis_job,
  type CausalAnswer,
  type CausalQuestion,
  type CausalVerdict,
  query_kinds,
} from '../causal/api.ts'
import { hashIn, modelOfSnapshot, readModel, requireModel } from './model-store.ts'
import { ModelRef, VariableName } from './publish-model.ts'
import { deadline_ms_max } from './reasoning-input.ts'

const cells_max = 2 ** 24
const done_max = 32
const given_max = 64
export const deadline_ms_default = 30_000
export const tokens_default = 20_000
/** A thread that overruns its deadline is terminated a little later. */
const hard_stop = 1.1

const AnyName = Type.String({ pattern: '^[\\s\\S]{1,256}$' })
const States = (max: number, description: string) =>
  Type.Record(AnyName, Text(256), { maxProperties: max, additionalProperties: false, description })
const ByName = <T extends TSchema>(value: T) => Type.Record(AnyName, value, { additionalProperties: false })

export const AnalysisInput = Closed({
  model_ref: Type.Optional(ModelRef),
  world_model_snapshot: Type.Optional(
    Type.String({
      pattern: '^mind://snapshot/[A-Za-z0-9:._-]{1,200}$',
      description: 'A snapshot that names a model.',
    }),
  ),
  outcome: Closed(
    {
      variable: described(VariableName, 'Name of a variable of the model.'),
      state: Type.Optional(
        Text(256, {
          description: 'Ask for the probability of this state; absent means the whole distribution.',
        }),
      ),
    },
    { description: 'Variable whose distribution is asked for.' },
  ),
  do: Type.Optional(States(done_max, 'What is done: variable to state.')),
  given: Type.Optional(States(given_max, 'What is seen: variable to state.')),
  query: Type.Optional(
    described(
      OneOf(...query_kinds),
      'Seeing, doing (default), the average effect of doing, or what would have been.',
    ),
  ),
  baseline: Type.Optional(
    States(
      done_max,
      'For ate: what is done instead. By default the first state that differs, of each variable.',
    ),
  ),
  max_factor: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: cells_max,
      description: 'Largest table in cells; beyond it the answer is sampled.',
    }),
  ),
  budget: Type.Optional(
    Closed(
      {
        tokens: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description: 'Tokens of question and answer.',
        }),
        deadline_ms: Type.Integer({
          minimum: 100,
          maximum: deadline_ms_max,
          description: 'Milliseconds after which the call ends with a timeout.',
        }),
      },
      { description: 'What the call may use at most; absent means the defaults.' },
    ),
  ),
})
export type AnalysisInput = Static<typeof AnalysisInput>

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Interval = ListOf(Type.Number(), 2, 2)
const Names = Type.Array(Type.String())
export const AnalysisOutput = Closed({
  model_ref: ModelRef,
  query: described(OneOf(...query_kinds), 'Kind of question that was answered.'),
  probability: Type.Optional(
    described(Share, 'Of the state asked for; absent where the whole distribution was asked.'),
  ),
  distribution: Type.Optional(described(ByName(Share), 'Probability of each state of the outcome.')),
  exact: Type.Boolean({ description: 'Computed; false where it was estimated by sampling.' }),
  ci95: Type.Optional(
    Type.Union([Interval, ByName(Interval)], {
      description: 'If sampled; for ate, the interval of the effect.',
    }),
  ),
  identifiable: Type.Literal(true, {
    description: 'The effect follows from the model; otherwise the call is refused.',
  }),
  strategy: Type.Optional(
    described(
      OneOf('mutilation', 'backdoor', 'frontdoor', 'id'),
      'How it was identified: cut edges, back door, front door, or the ID algorithm.',
    ),
  ),
  adjustment_set: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Observed variables to condition on; absent if no set of them is enough.',
    }),
  ),
  front_door_set: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Mediators that carry the whole effect, with the strategy frontdoor: not to be conditioned on.',
    }),
  ),
  elimination_order: Type.Optional(
    described(Names, 'Order in which variables were summed out; absent where sampled.'),
  ),
  largest_factor: Type.Integer({
    minimum: 1,
    description: 'Cells of the largest table; the limit if it was exceeded and the answer was sampled.',
  }),
  sampling: Type.Optional(
    Closed(
      {
        method: Type.Literal('likelihood_weighting', {
          description: 'Samples weighted by how likely they make what is given.',
        }),
        samples: Type.Integer({ minimum: 1, description: 'Number of samples drawn.' }),
        seed: described(HexHash, 'Where the chance came from: the same seed gives the same estimate.'),
      },
      { description: 'How it was estimated; absent where it is exact.' },
    ),
  ),
  effect: Type.Optional(
    Closed(
      {
        ate: Type.Number({ description: 'treated minus control.' }),
        treated: Type.Number({ description: 'Expected outcome under do.' }),
        control: Type.Number({ description: 'Expected outcome under the baseline.' }),
        baseline: described(ByName(Type.String()), 'States it was compared with.'),
      },
      { description: 'Only for ate: the average effect of doing against the baseline.' },
    ),
  ),
  usage: Closed(
    {
      tokens_in: Type.Integer({ minimum: 0, description: 'Tokens of the question.' }),
      tokens_out: Type.Integer({ minimum: 0, description: 'Tokens of the answer.' }),
    },
    { description: 'What the analysis used.' },
  ),
  binding: Type.Literal(false, { description: 'Always false: the result informs and decides nothing.' }),
})

export async function analyse(
  input: AnalysisInput,
  context: OperationContext<'compute' | 'tokens' | 'vault'>,
): Promise<Static<typeof AnalysisOutput>> {
  const question = questionOf(input, context)
  const tokens_in = await context.tokens.count([canonicalJson(input)])
  context.tokens.use(tokens_in, 0)
  const model_ref = await modelFor(input, context)
  const task = { sha256: hashIn(model_ref), question }
  const hard_stop_ms = question.deadline_ms * hard_stop
  // First without reading rows, so that no connection is held for a thread that has the model cached.
  let verdict = await context.compute(analysis_job, task, hard_stop_ms)
  if ('needs_model' in verdict) {
    const packed = await readModel(context, model_ref, hard_stop_ms)
    verdict = await context.compute(analysis_job, { ...task, packed }, hard_stop_ms)
  } else await requireModel(context, model_ref)
  // The model was supplied, so only a verdict is possible.
  const answer: CausalAnswer = answerOf(verdict as Exclude<CausalVerdict, { needs_model: true }>)
  const tokens_out = await context.tokens.count([JSON.stringify(answer)])
  context.tokens.use(0, tokens_out)
  const usage = { tokens_in, tokens_out }
  return { model_ref, query: question.query, ...answer, identifiable: true, usage, binding: false }
}

function questionOf(input: AnalysisInput, { deadline_ms }: OperationContext): CausalQuestion {
  const { outcome, do: done = {}, given = {}, query = 'interventional', baseline = {} } = input
  requireNoOverlap(outcome.variable, done, query === 'counterfactual' ? {} : given)
  const has_done = Object.keys(done).length > 0
  if (query === 'observational' && has_done)
    throw misfit(
      '/do',
      'An observational question sees and does nothing; put it into given, or ask interventional.',
    )
  if ((query === 'ate' || query === 'counterfactual') && !has_done)
    throw misfit('/do', `A question of kind ${query} needs something that is done; name it in do.`)
  if (query !== 'ate' && Object.keys(baseline).length > 0)
    throw misfit('/baseline', 'A baseline is compared with only by a question of kind ate; leave it out.')
  return {
    query,
    outcome,
    do: done,
    given,
    baseline,
    max_factor: input.max_factor ?? cells_max,
    deadline_ms,
    seed: sha256Hex(canonicalJson(input)),
  }
}

/** A counterfactual may set what was observed; otherwise interventions, evidence and outcome are disjoint. */
function requireNoOverlap(
  outcome: string,
  done: Record<string, string>,
  evidence: Record<string, string>,
): void {
  const both = Object.keys(done).find((name) => name === outcome || Object.hasOwn(evidence, name))
  if (both === undefined) return
  throw refuse(
    'invalid_payload',
    `${both} is in do and is ${both === outcome ? 'the outcome' : 'given'} as well; remove it from one of the two.`,
    { reason: 'overlap', path: '/do', variable: both },
  )
}

async function modelFor(
  { model_ref, world_model_snapshot }: AnalysisInput,
  context: OperationContext<'vault'>,
): Promise<string> {
  if (model_ref !== undefined && world_model_snapshot === undefined) return model_ref
  const hold_ms = context.deadline_ms * hard_stop
  if (model_ref === undefined && world_model_snapshot !== undefined)
    return await modelOfSnapshot(context, world_model_snapshot, hold_ms)
  throw misfit(
    '/model_ref',
    'A question is asked of one model: name model_ref or world_model_snapshot, not both.',
  )
}

function misfit(pointer: string, sentence: string) {
  return refuse('invalid_payload', sentence, {
    reason: 'question',
    path: pointer,
    faults: [{ pointer, message: sentence }],
  })
}
