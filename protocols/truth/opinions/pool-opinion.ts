// Parses opinions: one kind per pool, each source once, over the same labels.
import { did_pattern } from '@svc/contract/identity/did'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import type { Curve } from './forecast-score.ts'
import { normalise } from './pool.ts'

const labels_max = 256
const levels_max = 101
const sum_slack = 1e-6

/** A source: an identity, a thing with a ref, or a protocol by name. */
export const Source = Type.String({
  pattern: `^(${did_pattern.slice(1, -1)}|[a-z]+://[A-Za-z0-9:._/@-]{1,240}|protocol:[A-Za-z]{2,16})$`,
  maxLength: 256,
  description: 'A DID, a ref, or protocol:<ID>.',
})
export const Probability = Type.Number({ minimum: 0, maximum: 1 })
export const Distribution = Type.Record(Type.String({ pattern: '^.{1,128}$' }), Probability, {
  additionalProperties: false,
  minProperties: 2,
  maxProperties: labels_max,
  description: 'Label to probability; they add up to one.',
})
/** Bounded, so that squares can be summed. */
export const Amount = Type.Number({ minimum: -1e15, maximum: 1e15 })
export const Quantiles = ListOf(Type.Array(Amount, { minItems: 2, maxItems: 2 }), 1, levels_max)

export const Opinion = Closed(
  {
    source: Source,
    probability: Type.Optional(described(Probability, 'Probability of the event.')),
    distribution: Type.Optional(Distribution),
    quantiles: Type.Optional(
      described(Quantiles, 'Pairs of a level between 0 and 1 and its value, levels rising.'),
    ),
    weight: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1e9,
        description: 'How much this opinion counts; all of them need one where weights are given.',
      }),
    ),
  },
  {
    description:
      'Exactly one of probability, distribution and quantiles, which are pairs of a level between 0 and 1 and its value.',
  },
)
export type Opinion = Static<typeof Opinion>
export type OpinionKind = 'probability' | 'distribution' | 'quantiles'

export const Topic = Text(128, { description: 'Topic; * is everything.' })
export const any_topic = '*'

/** The common kind of all opinions; each source may give one. */
export function requireOneKind(opinions: readonly Opinion[]): OpinionKind {
  const first = kindOf(opinions[0]!, 0)
  const sources = new Set<string>()
  for (const [place, opinion] of opinions.entries()) {
    if (kindOf(opinion, place) !== first)
      throw faulty('kinds_differ', `/opinions/${place}`, `is no ${first} like the first`)
    if (sources.has(opinion.source))
      throw faulty(
        'duplicate_source',
        `/opinions/${place}/source`,
        'occurs twice; give one opinion per source',
      )
    sources.add(opinion.source)
  }
  return first
}

function kindOf(opinion: Opinion, place: number): OpinionKind {
  const kinds = (['probability', 'distribution', 'quantiles'] as const).filter(
    (kind) => opinion[kind] !== undefined,
  )
  if (kinds.length !== 1)
    throw faulty(
      'one_kind_each',
      `/opinions/${place}`,
      'must say exactly one of probability, distribution, quantiles',
    )
  return kinds[0]!
}

export interface Shares {
  readonly labels: readonly string[]
  readonly vectors: readonly (readonly number[])[]
}

/** A probability is a distribution over yes and no. */
export function sharesOf(opinions: readonly Opinion[], kind: OpinionKind, fill: boolean): Shares {
  if (kind === 'probability')
    return { labels: ['yes', 'no'], vectors: opinions.map(({ probability: p }) => [p!, 1 - p!]) }
  const labels = [...new Set(opinions.flatMap(({ distribution }) => Object.keys(distribution!)))].sort()
  if (labels.length > labels_max)
    throw faulty(
      'too_large',
      '/opinions',
      `name ${labels.length} labels together, and may name ${labels_max}`,
    )
  const vectors = opinions.map(({ distribution }, place) => {
    const missing = labels.find((label) => distribution![label] === undefined)
    if (missing !== undefined && !fill)
      throw faulty(
        'labels_differ',
        `/opinions/${place}/distribution`,
        `does not name ${missing}; name it, or say fill: zero`,
      )
    const shares = labels.map((label) => distribution![label] ?? 0)
    return requireWhole(shares, `/opinions/${place}/distribution`)
  })
  return { labels, vectors }
}

/** Refuses shares that do not sum to one; rounding errors are distributed. */
export function requireWhole(shares: readonly number[], pointer: string): number[] {
  const whole = shares.reduce((sum, share) => sum + share, 0)
  if (Math.abs(whole - 1) > sum_slack)
    throw faulty('not_normalised', pointer, `adds up to ${whole}, not to 1`)
  return normalise(shares)
}

/** Refuses quantiles whose levels do not rise, or whose values fall. */
export function requireCurve(quantiles: readonly (readonly number[])[], pointer: string): Curve {
  const curve = quantiles.map(([level, value]) => [level!, value!] as const)
  for (const [at, [level, value]] of curve.entries()) {
    const before = curve[at - 1]
    const here = `${pointer}/${at}`
    if (level < 0 || level > 1) throw faulty('bad_quantiles', here, 'has a level that is not between 0 and 1')
    if (before && level <= before[0]) throw faulty('bad_quantiles', here, 'has a level that does not rise')
    if (before && value < before[1]) throw faulty('bad_quantiles', here, 'has a value that falls')
  }
  return curve
}

export function faulty(reason: string, pointer: string, message: string): Refusal {
  return refuse('invalid_payload', `The value at ${pointer} ${message}.`, {
    reason,
    path: pointer,
    faults: [{ pointer, message }],
  })
}
