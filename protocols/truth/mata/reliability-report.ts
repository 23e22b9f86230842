// MATA weight: records outcomes of a source's forecasts and returns its reliability.
import { meetsLevel } from '@svc/contract/identity/identity'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, ListOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import {
  addOutcomes,
  any_topic,
  Distribution,
  faulty,
  findOutcomes,
  half_life_days_default,
  judgeTopic,
  lossOf,
  Probability,
  type Resolved,
  requireWhole,
  Source,
  setWeight,
  Topic,
} from '../opinions/api.ts'

const outcomes_max = 10_000
const history_max = 50

/** True or false, 1 or 0 for a probability; the label that occurred for a distribution. */
export const OutcomeField = Type.Union(
  [Type.Boolean(), Type.Integer({ minimum: 0, maximum: 1 }), Text(128)],
  {
    description: 'Whether it occurred, or which label of the distribution did.',
  },
)
const ForecastField = Type.Union([Probability, Distribution])

export const WeightInput = Closed({
  source: Source,
  topic: Type.Optional(Topic),
  outcomes: Type.Optional(
    ListOf(
      Closed({
        forecast: ForecastField,
        outcome: OutcomeField,
        at: Type.Optional(Timestamp),
        id: Type.Optional(Text(128, { description: 'Reports with the same id count once.' })),
      }),
      1,
      outcomes_max,
    ),
  ),
  half_life_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650, default: half_life_days_default })),
  set: Type.Optional(
    Closed({
      weight: Type.Union([Probability, Type.Null()], { description: 'Null removes the manual weight.' }),
      authority: Ref,
    }),
  ),
})
type WeightInput = Static<typeof WeightInput>

const Loss = Type.Number({ minimum: 0 })
export const WeightOutput = Closed({
  source: Source,
  topic: Topic,
  weight: Probability,
  manual: Type.Boolean({ description: 'Whether the organization set it.' }),
  n: Type.Integer({ minimum: 0 }),
  n_effective: Type.Number({ minimum: 0 }),
  brier: Type.Optional(Loss),
  log_loss: Type.Optional(Type.Number({ minimum: 0, description: 'Nats.' })),
  interval95: Type.Array(Probability, { minItems: 2, maxItems: 2, description: 'Of the Brier loss.' }),
  rank: Type.Integer({ minimum: 1 }),
  sources: Type.Integer({ minimum: 1, description: 'Number of ranked sources.' }),
  added: Type.Integer({ minimum: 0 }),
  history: ListOf(Closed({ id: Type.String(), at: Timestamp, brier: Loss, log_loss: Loss }), 0, history_max),
})

export async function weighSource(
  input: WeightInput,
  context: OperationContext<'requireAuthority'>,
): Promise<Static<typeof WeightOutput>> {
  const { source, topic = any_topic, half_life_days } = input
  const changes = input.outcomes !== undefined || input.set !== undefined
  if (changes) requireVerified(context)
  const fresh = input.outcomes
    ? await addOutcomes(context, { source, topic }, resolvedOf(input.outcomes, context))
    : []
  const authority = input.set && (await override(input.set, source, topic, context))
  const { judged } = await judgeTopic(context, topic, [source], half_life_days)
  const { is_manual, ...found } = judged.get(source)!
  if (changes) {
    const facts = {
      source,
      added: fresh.length,
      known_before: (input.outcomes?.length ?? 0) - fresh.length,
      n: found.n,
      weight: found.weight,
      ...(authority && { authority, set: input.set!.weight }),
    }
    context.audit('ReliabilityUpdated', facts, { supplied: { topic } })
  }
  const history = await findOutcomes(context, { source, topic }, history_max)
  return {
    ...found,
    topic,
    manual: is_manual,
    interval95: [...found.interval95],
    sources: judged.size,
    added: fresh.length,
    history: history.map(({ id, at, brier, log_loss }) => ({ id, at, brier, log_loss })),
  }
}

function requireVerified({ caller }: OperationContext): void {
  if (meetsLevel(caller, 'L1')) return
  throw refuse(
    'policy_denied',
    `Reporting outcomes or setting a weight needs a verified lineage, and ${caller.did} has none; verify it first.`,
    { reason: 'verified lineage required' },
  )
}

/** The decision includes the weight: a verdict for one weight does not cover another. */
async function override(
  { weight, authority }: NonNullable<WeightInput['set']>,
  source: string,
  topic: string,
  context: OperationContext<'requireAuthority'>,
): Promise<string> {
  const subject = contentHash({ source, topic, weight })
  const verdict = await context.requireAuthority('MATA.weight', subject, authority)
  await setWeight(context, { source, topic }, weight, verdict)
  return verdict
}

function resolvedOf(outcomes: NonNullable<WeightInput['outcomes']>, context: OperationContext): Resolved[] {
  const { now } = context
  return outcomes.map(({ forecast, outcome, at = now, id = context.newId() }, place) => {
    const pointer = `/outcomes/${place}`
    if (!isMoment(at)) throw faulty('no_such_moment', `${pointer}/at`, 'is no moment that exists')
    if (Date.parse(at) > Date.parse(now))
      throw faulty('in_the_future', `${pointer}/at`, 'lies in the future, and nothing has come about there')
    if (typeof forecast !== 'number') requireWhole(Object.values(forecast), `${pointer}/forecast`)
    const loss = lossOf(forecast, outcome)
    if (!loss)
      throw faulty(
        'outcome_not_in_labels',
        `${pointer}/outcome`,
        'is none of those that the forecast speaks of',
      )
    return { id, forecast, outcome, at, brier: Math.min(1, loss.brier), log_loss: Math.max(0, loss.log) }
  })
}
