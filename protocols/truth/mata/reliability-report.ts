// MATA weight: how reliable a source is by its resolved forecasts, or a weight that the organization sets.
import { meetsLevel } from '@svc/contract/identity/identity'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, Ref, Timestamp } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import {
  any_topic,
  findScores,
  half_life_days_default,
  judgeTopic,
  meanScores,
  Probability,
  Source,
  setWeight,
  Topic,
} from '../opinions/api.ts'
import { voicesOf } from './pool-opinions.ts'

const history_max = 50

export const WeightInput = Closed({
  source: Source,
  topic: Type.Optional(Topic),
  half_life_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      default: half_life_days_default,
      description: 'After this many days a resolved forecast counts half.',
    }),
  ),
  set: Type.Optional(
    Closed(
      {
        weight: Type.Union([Probability, Type.Null()], { description: 'Null removes the manual weight.' }),
        authority: described(Ref, 'Charter verdict that allows it.'),
      },
      { description: 'Set the weight by hand instead of learning it.' },
    ),
  ),
})
type WeightInput = Static<typeof WeightInput>

const Loss = Type.Number({ minimum: 0 })
const score_fields = {
  brier: Type.Optional(
    described(Loss, 'Brier score: of events (p - o)², of categories the sum over all of them (0 to 2).'),
  ),
  log_loss: Type.Optional(described(Loss, 'Logarithmic loss of events and categories, in nats.')),
  crps: Type.Optional(
    described(Loss, 'Continuous ranked probability score of quantities, in their own unit.'),
  ),
  quantile_loss: Type.Optional(
    described(Loss, 'Mean pinball loss of the quantiles of quantities, in their own unit.'),
  ),
}
export const WeightOutput = Closed({
  source: Source,
  topic: Topic,
  weight: described(
    Probability,
    'Its share among the sources of the topic, unless it was set; without comparison that of an average one. 0 if nobody with a verified lineage answers for it.',
  ),
  manual: Type.Boolean({ description: 'Whether the organization set it.' }),
  n: Type.Integer({
    minimum: 0,
    description: 'Its forecasts that were locked before their question was resolved; nothing else counts.',
  }),
  n_compared: Type.Integer({
    minimum: 0,
    description:
      'Of these, on questions that somebody of another root forecast as well: only they move the weight.',
  }),
  n_effective: Type.Number({
    minimum: 0,
    description: 'The same, with old ones counting less, and siblings of one root together as one.',
  }),
  excess: Type.Number({
    description:
      'Sum of its losses (0 to 1 each) less the median of those of the other roots on the same question, old ones counting less: the weight follows from it. Below zero is better than others.',
  }),
  ...score_fields,
  interval95: Type.Array(Probability, {
    minItems: 2,
    maxItems: 2,
    description: 'Of its mean loss, 0 to 1, however hard the questions were.',
  }),
  rank: Type.Integer({
    minimum: 1,
    description: '1 is the most reliable; ties share a rank. Who counts nothing is last.',
  }),
  sources: Type.Integer({ minimum: 1, description: 'Number of ranked sources.' }),
  history: described(
    ListOf(
      Closed({
        question_ref: described(Ref, 'The question, with its resolution and citation.'),
        at: described(Timestamp, 'When the outcome was known.'),
        ...score_fields,
      }),
      0,
      history_max,
    ),
    'Newest resolved forecasts.',
  ),
})

export async function weighSource(
  input: WeightInput,
  context: OperationContext<'lineages' | 'requireAuthority' | 'served'>,
): Promise<Static<typeof WeightOutput>> {
  const { source, topic = any_topic, half_life_days } = input
  const authority = input.set && (await override(input.set, source, topic, context))
  const { judged } = await judgeTopic(context, topic, [source], half_life_days)
  const { is_manual, ...learned } = judged.get(source)!
  const [voice] = await voicesOf([source], context)
  const reliability = voice || is_manual ? learned : { ...learned, weight: 0, rank: judged.size }
  if (authority)
    context.audit(
      'ReliabilityUpdated',
      { source, n: reliability.n, weight: reliability.weight, authority, set: input.set!.weight },
      { supplied: { topic } },
    )
  const history = await findScores(context, { source, topic }, history_max)
  return {
    ...reliability,
    topic,
    manual: is_manual,
    ...scoresIn(await meanScores(context, { source, topic })),
    interval95: [...reliability.interval95],
    sources: judged.size,
    history: history.map(({ question_id, at, brier, log_loss, crps, quantile_loss }) => ({
      question_ref: `mantic://question/${question_id}`,
      at,
      ...scoresIn({ brier, log_loss, crps, quantile_loss }),
    })),
  }
}

function scoresIn(scores: Awaited<ReturnType<typeof meanScores>>): Record<string, number> {
  const named = Object.entries(scores).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  )
  return Object.fromEntries(named)
}

/** The decision includes the weight: a verdict for one weight does not cover another. */
async function override(
  { weight, authority }: NonNullable<WeightInput['set']>,
  source: string,
  topic: string,
  context: OperationContext<'requireAuthority'>,
): Promise<string> {
  if (!meetsLevel(context.caller, 'L1'))
    throw refuse(
      'policy_denied',
      'Setting a weight needs a verified lineage, and yours is not; verify it first.',
      { reason: 'verified lineage required' },
    )
  const subject = contentHash({ source, topic, weight })
  const verdict = await context.requireAuthority('MATA.weight', subject, authority)
  await setWeight(context, { source, topic }, weight, verdict)
  return verdict
}
