// A question: what is asked, who resolves it, until when it is forecast, and how a forecast of it is read and scored.
import { refuse } from '@svc/contract/refusal'
import { Closed, described, OneOf, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  Amount,
  Distribution,
  faulty,
  Probability,
  Quantiles,
  type ResolvedKind,
  requireCurve,
  requireWhole,
  type StoredForecast,
  scoreEvent,
  scoreQuantiles,
  scoreShares,
} from '../opinions/api.ts'

const categories_max = 64

export const QuestionRef = Type.String({
  pattern: '^mantic://question/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  description: 'Names the question.',
})
export const question_fields = {
  statement: Text(2_000, {
    description: 'What is asked, so that whoever resolves it can decide: event, source, deadline.',
  }),
  kind: described(
    OneOf('binary', 'categories', 'quantity'),
    'Whether something occurs, which of several things does, or how much it is.',
  ),
  categories: Type.Optional(
    described(
      Type.Array(Text(128), { minItems: 2, maxItems: categories_max, uniqueItems: true }),
      'Of kind categories: all possible outcomes; exactly one occurs.',
    ),
  ),
  range: Type.Optional(
    described(
      Type.Array(Amount, { minItems: 2, maxItems: 2 }),
      'Of kind quantity: lowest and highest value to be expected. Errors are compared with other questions by its width.',
    ),
  ),
}
export const Outcome = Type.Union([Type.Boolean(), Amount, Text(128)], {
  description: 'Whether it occurred, which category did, or the value.',
})
export type Outcome = Static<typeof Outcome>

export const ForecastItem = Closed(
  {
    question_ref: QuestionRef,
    probability: Type.Optional(described(Probability, 'Of a binary question: that it occurs.')),
    distribution: Type.Optional(Distribution),
    quantiles: Type.Optional(
      described(Quantiles, 'Of a quantity: pairs of a level between 0 and 1 and its value, levels rising.'),
    ),
  },
  { description: 'Exactly one of probability, distribution and quantiles, as the kind of the question is.' },
)
export type ForecastItem = Static<typeof ForecastItem>

/** What must be known of a question to read and to score forecasts of it. */
export interface Asked {
  readonly kind: ResolvedKind
  /** Of kind categories. */
  readonly categories: readonly string[] | undefined
  /** Of kind quantity. */
  readonly low: number | null
  readonly high: number | null
}

const QuestionFields = Closed(question_fields)
type QuestionFields = Static<typeof QuestionFields>

export function requireSound({
  kind,
  categories,
  range,
}: Pick<QuestionFields, 'kind' | 'categories' | 'range'>): void {
  if ((kind === 'categories') !== (categories !== undefined))
    throw faulty('one_kind_each', '/categories', 'goes with kind categories, and only with it')
  if ((kind === 'quantity') !== (range !== undefined))
    throw faulty('one_kind_each', '/range', 'goes with kind quantity, and only with it')
  if (range && !(range[0]! < range[1]!)) throw faulty('bad_range', '/range', 'must rise')
}

const field_of = { binary: 'probability', categories: 'distribution', quantity: 'quantiles' } as const

/** As it is stored: without the words of the categories. */
export function readForecast(question: Asked, item: ForecastItem, pointer: string): StoredForecast {
  const { kind, categories } = question
  const forms = (['probability', 'distribution', 'quantiles'] as const).filter(
    (name) => item[name] !== undefined,
  )
  if (forms.length !== 1 || forms[0] !== field_of[kind])
    throw faulty(
      'kinds_differ',
      pointer,
      `must say ${field_of[kind]}, and only that: the question is ${kind}`,
    )
  if (kind === 'binary') return item.probability!
  if (kind === 'quantity') return requireCurve(item.quantiles!, `${pointer}/quantiles`)
  const named = Object.keys(item.distribution!)
  if (
    named.length !== categories!.length ||
    categories!.some((category) => !Object.hasOwn(item.distribution!, category))
  )
    throw faulty('labels_differ', `${pointer}/distribution`, 'must name every category of the question once')
  return requireWhole(
    categories!.map((category) => item.distribution![category]!),
    `${pointer}/distribution`,
  )
}

/** As a number: 1 or 0, the place of the category, or the value. */
export function readOutcome({ kind, categories }: Asked, outcome: Outcome): number {
  if (kind === 'binary' && typeof outcome === 'boolean') return Number(outcome)
  if (kind === 'quantity' && typeof outcome === 'number') return outcome
  const place = kind === 'categories' && typeof outcome === 'string' ? categories!.indexOf(outcome) : -1
  if (place >= 0) return place
  const expected = { binary: 'true or false', categories: 'one of its categories', quantity: 'a number' }
  throw faulty('outcome_not_in_labels', '/outcome', `must be ${expected[kind]}: the question is ${kind}`)
}

export function outcomeOf({ kind, categories }: Asked, outcome: number): Outcome {
  if (kind === 'quantity') return outcome
  return kind === 'binary' ? outcome === 1 : (categories?.[outcome] ?? String(outcome))
}

export function scoreOf({ kind, low, high }: Asked, forecast: StoredForecast, outcome: number) {
  if (kind === 'binary') return scoreEvent(forecast as number, outcome === 1 ? 1 : 0)
  if (kind === 'categories') return scoreShares(forecast as readonly number[], outcome)
  return scoreQuantiles(forecast as Parameters<typeof scoreQuantiles>[0], outcome, high! - low!)
}

export function questionRef(question_id: string): string {
  return `mantic://question/${question_id}`
}

export function questionIdIn(question_ref: string): string {
  return question_ref.slice(questionRef('').length)
}

/** Whoever opens, forecasts or resolves must be somebody: an identity without a verified root counts for nothing. */
export function requireRoot(root_of: ReadonlyMap<string, string>, did: string, whose: string): string {
  const root = root_of.get(did)
  if (root !== undefined) return root
  throw refuse(
    'policy_denied',
    `${whose} has no verified lineage, so nothing it says counts; publish the identity with its proof of descent.`,
    { reason: 'verified lineage required', did },
  )
}
