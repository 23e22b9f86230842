// MATA pool: combines several sources into one answer and keeps the dissent.

import { did_form } from '@svc/contract/identity/did'
import { voiceShares } from '@svc/contract/identity/roots'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
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
const job = computation<PoolTask, PoolResult | undefined>(new URL('./pool-job.ts', import.meta.url))

export const PoolInput = Closed({
  question: Type.Optional(Text(1024)),
  topic: Type.Optional(Topic),
  opinions: ListOf(Opinion, 1, opinions_max),
  method: Type.Optional(OneOf('linear', 'log', 'median')),
  weights: Type.Optional(OneOf('given', 'learned', 'equal')),
  extremize: Type.Optional(
    Type.Number({ minimum: 1, maximum: 3, default: extremize_default, description: 'Of the log pool.' }),
  ),
  epsilon: Type.Optional(
    Type.Number({ minimum: 1e-6, maximum: 0.01, default: epsilon_default, description: 'Of the log pool.' }),
  ),
  fill: Type.Optional(OneOf('zero')),
  persist: Type.Optional(Type.Boolean({ default: false })),
})
type PoolInput = Static<typeof PoolInput>

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Bits = Type.Optional(Type.Number({ minimum: 0, description: 'Divergence from the pool.' }))
const opinion_fields = {
  probability: Type.Optional(Probability),
  distribution: Type.Optional(Distribution),
  quantiles: Type.Optional(Quantiles),
}

export const PoolOutput = Closed({
  ...opinion_fields,
  method: OneOf('linear', 'log', 'median', 'quantile_average'),
  weighting: OneOf('given', 'learned', 'equal'),
  weights: Type.Record(Source, Share, { additionalProperties: false }),
  independent_sources: Type.Integer({
    minimum: 0,
    description:
      'Different roots behind the sources; a ref or a protocol counts as itself, an unknown identity as none.',
  }),
  entropy: Type.Optional(Type.Number({ minimum: 0, description: 'Bits; not of quantiles.' })),
  disagreement: Share,
  contributions: ListOf(
    Closed({ source: Source, weight: Share, bits: Bits, disagreement_share: Share }),
    1,
    opinions_max,
  ),
  dissent: ListOf(Closed({ source: Source, bits: Bits, ...opinion_fields }), 0, opinions_max),
  pool_ref: Type.Optional(Ref),
})
type PoolOutput = Static<typeof PoolOutput>

export async function poolOpinions(
  input: PoolInput,
  context: OperationContext<'compute' | 'lineages'>,
): Promise<PoolOutput> {
  const { opinions } = input
  const kind = requireOneKind(opinions)
  requireApplicable(input, kind)
  const voices = await voicesOf(opinions, context)
  const { weighting, weights } = await weigh(input, voices, context)
  const result =
    kind === 'quantiles' ? poolOfCurves(input, weights) : await poolOfShares(input, kind, weights, context)
  const answer = {
    ...result,
    weighting,
    weights: Object.fromEntries(opinions.map(({ source }, place) => [source, weights[place]!])),
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

/** Whose voice each source is: identities of one root have one, and an unknown identity has none. */
async function voicesOf(
  opinions: readonly Opinion[],
  { lineages }: OperationContext<'lineages'>,
): Promise<(string | undefined)[]> {
  const sources = opinions.map(({ source }) => source)
  const { root_of } = await lineages.roots(sources.filter(isDid))
  return sources.map((source) => (isDid(source) ? root_of.get(source) : source))
}

function isDid(source: string): boolean {
  return did_form.test(source)
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
    'No opinion counts: none of their sources is an identity with a verified lineage; publish the identities, or answer for the sources by giving each a weight.',
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
