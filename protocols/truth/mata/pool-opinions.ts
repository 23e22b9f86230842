// MATA pool: combines several sources into one answer and keeps the dissent.

import { did_form } from '@svc/contract/identity/did'
import { voiceShares } from '@svc/contract/identity/roots'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { authorsOf } from '../../cognition/content/api.ts'
import {
  any_topic,
  Distribution,
  epsilon_default,
  extremize_default,
  faulty,
  judgeTopic,
  normalise,
  Opinion,
  type OpinionKind,
  Probability,
  Quantiles,
  requireOneKind,
  Source,
  sharesOf,
  Topic,
} from '../opinions/api.ts'
import { compute, type PoolResult, type PoolTask } from './pool-job.ts'
import { curvesOf, poolCurves } from './pool-quantiles.ts'
import { keepPool } from './pool-store.ts'

const opinions_max = 1000
const dissent_bits = 1
/** Measured: more shares than this take over ten milliseconds. */
const inline_shares_max = 20_000
const thread_ms_max = 5_000
const ref_form = /^[a-z]+:\/\//
/** One engine computes all its protocols. */
const engine_voice = 'protocol:'
const job = computation<PoolTask, PoolResult | undefined>(new URL('./pool-job.ts', import.meta.url))

export const PoolInput = Closed({
  question: Type.Optional(Text(1024, { description: 'What the opinions are about; stored with persist.' })),
  topic: Type.Optional(Topic),
  opinions: described(ListOf(Opinion, 1, opinions_max), 'One of each source, all of the same kind.'),
  method: Type.Optional(
    described(
      OneOf('linear', 'log', 'median'),
      'How to combine: log (default) favours agreement, linear is the mean, median ignores extremes.',
    ),
  ),
  weights: Type.Optional(
    described(
      OneOf('given', 'learned', 'equal'),
      'Whose opinion counts more; default given if there are any, then learned, then equal.',
    ),
  ),
  extremize: Type.Optional(
    Type.Number({ minimum: 1, maximum: 3, default: extremize_default, description: 'Of the log pool.' }),
  ),
  epsilon: Type.Optional(
    Type.Number({ minimum: 1e-6, maximum: 0.01, default: epsilon_default, description: 'Of the log pool.' }),
  ),
  fill: Type.Optional(
    described(
      OneOf('zero'),
      'Labels that a source does not name have probability 0; otherwise labels must agree.',
    ),
  ),
  persist: Type.Optional(Type.Boolean({ default: false, description: 'Store the result under a pool_ref.' })),
})
type PoolInput = Static<typeof PoolInput>

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Bits = Type.Optional(Type.Number({ minimum: 0, description: 'Divergence from the pool.' }))
const opinion_fields = {
  probability: Type.Optional(described(Probability, 'Probability of the event.')),
  distribution: Type.Optional(Distribution),
  quantiles: Type.Optional(described(Quantiles, 'Pairs of a level between 0 and 1 and its value.')),
}

export const PoolOutput = Closed({
  ...opinion_fields,
  method: described(
    OneOf('linear', 'log', 'median', 'quantile_average'),
    'How they were combined; quantiles are always averaged.',
  ),
  weighting: described(OneOf('given', 'learned', 'equal'), 'Which weights were used.'),
  weights: Type.Record(Source, Share, {
    additionalProperties: false,
    description: 'Share of each source; they add up to one.',
  }),
  independent_sources: Type.Integer({
    minimum: 0,
    description:
      'Different roots behind the sources: of a ref, the root of its author; all protocols of this engine are one. Unknown ones are none.',
  }),
  entropy: Type.Optional(Type.Number({ minimum: 0, description: 'Bits; not of quantiles.' })),
  disagreement: described(Share, 'How far the sources are apart, from 0 to 1.'),
  contributions: described(
    ListOf(
      Closed({
        source: Source,
        weight: described(Share, 'Share of the source.'),
        bits: Bits,
        disagreement_share: described(Share, 'Its share of the disagreement.'),
      }),
      1,
      opinions_max,
    ),
    'What each source added.',
  ),
  dissent: described(
    ListOf(Closed({ source: Source, bits: Bits, ...opinion_fields }), 0, opinions_max),
    'Opinions far from the pool, as they were given.',
  ),
  pool_ref: Type.Optional(described(Ref, 'Names the stored result; only with persist.')),
})
type PoolOutput = Static<typeof PoolOutput>

export async function poolOpinions(
  input: PoolInput,
  context: OperationContext<'compute' | 'lineages' | 'served' | 'vault'>,
): Promise<PoolOutput> {
  const { opinions } = input
  const kind = requireOneKind(opinions)
  requireApplicable(input, kind)
  const sources = opinions.map(({ source }) => source)
  const voices = await voicesOf(sources, context)
  const { weighting, weights } = await weigh(input, voices, context)
  const result =
    kind === 'quantiles' ? poolOfCurves(input, weights) : await poolOfShares(input, kind, weights, context)
  const answer = {
    ...result,
    weighting,
    weights: Object.fromEntries(sources.map((source, place) => [source, weights[place]!])),
    independent_sources: new Set(voices.filter((voice) => voice !== undefined)).size,
  }
  if (!input.persist) return answer
  const { persist: _, ...asked } = input
  const pool_id = sha256Hex(canonicalJson({ tenant_id: context.tenant_id, asked, found: answer }))
  await keepPool(context, pool_id, asked, answer)
  return { ...answer, pool_ref: `mata://pool/${pool_id}` }
}

function requireApplicable({ method, extremize = 1 }: PoolInput, kind: OpinionKind): void {
  if (extremize === 1 || (kind !== 'quantiles' && (method ?? 'log') === 'log')) return
  throw faulty('not_applicable', '/extremize', 'is for the log pool of probabilities and distributions only')
}

interface Weighing {
  readonly weighting: 'given' | 'learned' | 'equal'
  readonly weights: readonly number[]
}

/** Whose voice each source is: everything of one root has one, and what nobody known answers for has none. */
export async function voicesOf(
  sources: readonly string[],
  context: OperationContext<'lineages' | 'served'>,
): Promise<(string | undefined)[]> {
  const authors = await authorsOf(
    context,
    sources.filter((source) => ref_form.test(source)),
  )
  const speakers = sources.map((source) => (did_form.test(source) ? source : authors.get(source)))
  const { root_of } = await context.lineages.roots(speakers.filter((speaker) => speaker !== undefined))
  const served = new Set(context.served.all().map(({ protocol }) => `protocol:${protocol}`))
  return sources.map((source, place) =>
    served.has(source) ? engine_voice : speakers[place] && root_of.get(speakers[place]),
  )
}

/** Given weights take precedence; otherwise the learned ones, if any. Whichever they are, one root has one voice. */
async function weigh(
  { opinions, weights, topic }: PoolInput,
  voices: readonly (string | undefined)[],
  context: OperationContext<'lineages'>,
): Promise<Weighing> {
  const is_given = opinions.some(({ weight }) => weight !== undefined)
  if (weights === 'given' || (weights === undefined && is_given)) {
    requireWeights(opinions)
    const answered_for = await withCaller(voices, context)
    return { weighting: 'given', weights: shared(answered_for, (at) => opinions[at]!.weight!) }
  }
  if (weights !== 'equal') {
    const sources = opinions.map(({ source }) => source)
    const { known, judged } = await judgeTopic(context, topic ?? any_topic, sources)
    if (known)
      return { weighting: 'learned', weights: shared(voices, (at) => judged.get(sources[at]!)!.weight) }
  }
  return { weighting: 'equal', weights: shared(voices, () => 1) }
}

/** Sources of one root together count as much as one of them would on average. */
function shared(voices: readonly (string | undefined)[], weightAt: (place: number) => number): number[] {
  const weights = voiceShares(voices).map((share, place) => share * weightAt(place))
  if (weights.some((weight) => weight > 0)) return normalise(weights)
  throw refuse(
    'policy_denied',
    'No opinion counts: nobody with a verified lineage answers for any of their sources; publish the identities, or answer for the sources by giving each a weight.',
    { reason: 'no independent source', denying_policy: 'MATA independence' },
  )
}

function requireWeights(opinions: readonly Opinion[]): void {
  const missing = opinions.findIndex(({ weight }) => weight === undefined)
  if (missing >= 0) throw faulty('weight_missing', `/opinions/${missing}`, 'has no weight, and others have')
  if (opinions.every(({ weight }) => weight === 0))
    throw faulty('weight_missing', '/opinions', 'have no weight above zero')
}

/** Who gives weights answers for the unknown among the sources: all of them are the caller's own voice. */
async function withCaller(
  voices: readonly (string | undefined)[],
  { lineages, caller }: OperationContext<'lineages'>,
): Promise<readonly string[]> {
  const { root_of } = await lineages.roots([caller.did])
  return voices.map((voice) => voice ?? root_of.get(caller.did) ?? caller.did)
}

type Found = Omit<PoolOutput, 'weights' | 'weighting' | 'independent_sources' | 'pool_ref'>

async function poolOfShares(
  input: PoolInput,
  kind: OpinionKind,
  weights: readonly number[],
  context: OperationContext<'compute'>,
): Promise<Found> {
  const { opinions, method = 'log', extremize = extremize_default, epsilon = epsilon_default } = input
  const { labels, vectors } = sharesOf(opinions, kind, input.fill === 'zero')
  const task = { vectors, weights, method, extremize, epsilon }
  const is_small = vectors.length * labels.length <= inline_shares_max
  const pool_result = is_small ? compute(task) : await context.compute(job, task, thread_ms_max)
  if (!pool_result)
    throw faulty('no_median', '/method', 'finds a majority against every label; use linear or log')
  const { pooled, entropy, bits, disagreement, parts } = pool_result
  const answer =
    kind === 'probability'
      ? { probability: pooled[0]! }
      : { distribution: Object.fromEntries(labels.map((label, at) => [label, pooled[at]!])) }
  return {
    ...answer,
    method,
    entropy,
    disagreement,
    contributions: opinions.map(({ source }, place) => ({
      source,
      weight: weights[place]!,
      bits: bits[place]!,
      disagreement_share: parts[place]!,
    })),
    dissent: opinions.flatMap(({ weight: _, ...opinion }, place) =>
      bits[place]! > dissent_bits ? [{ ...opinion, bits: bits[place]! }] : [],
    ),
  }
}

function poolOfCurves({ opinions, method }: PoolInput, weights: readonly number[]): Found {
  const by = method === 'median' ? 'median' : 'average'
  const { quantiles, disagreement, parts, dissenting } = poolCurves(curvesOf(opinions), weights, by)
  return {
    quantiles,
    method: by === 'median' ? 'median' : 'quantile_average',
    disagreement,
    contributions: opinions.map(({ source }, place) => ({
      source,
      weight: weights[place]!,
      disagreement_share: parts[place]!,
    })),
    dissent: opinions.flatMap(({ weight: _, ...opinion }, place) => (dissenting[place] ? [opinion] : [])),
  }
}
