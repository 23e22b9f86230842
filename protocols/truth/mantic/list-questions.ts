// MANTIC list_questions: what is asked, by whom it is resolved, and what came about.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, described, HexHash, ListOf, OneOf, Ref, Timestamp } from '@svc/contract/schema'
import { uuid_form } from '@svc/contract/text-form'
import { type Static, Type } from 'typebox'
import { readContents } from '../../cognition/content/api.ts'
import { Distribution, Probability, Quantiles, Topic } from '../opinions/api.ts'
import type { QuestionBody } from './open-question.ts'
import { Outcome, outcomeOf, QuestionRef, question_fields, questionIdIn, questionRef } from './question.ts'
import { listQuestionRows, type OwnForecast, ownForecasts, type QuestionRow } from './question-store.ts'

const Status = OneOf('open', 'resolved', 'void')

export const ListQuestionsInput = Closed({
  question_ref: Type.Optional(described(QuestionRef, 'Only this question.')),
  topic: Type.Optional(described(Topic, 'Only questions of exactly this topic.')),
  status: Type.Optional(described(Status, 'Only questions in this state; open ones may be locked.')),
  resolver: Type.Optional(described(Did, 'Only questions that this identity resolves.')),
  ...page_fields,
})

const { statement, kind, categories, range } = question_fields
const QuestionItem = Closed({
  question_ref: QuestionRef,
  statement: Type.Union([statement, Type.Null()], { description: 'What is asked; null if redacted.' }),
  kind,
  categories,
  range,
  topic: Topic,
  opened_by: described(Did, 'Who opened it.'),
  opened_at: described(Timestamp, 'When it was opened.'),
  resolver: described(Did, 'Who resolves it.'),
  related_allowed: Type.Boolean({ description: 'Whether the charter lets forecasters be of its root.' }),
  locks_at: described(Timestamp, 'Until when forecasts were or are accepted.'),
  locked: Type.Boolean({ description: 'Whether forecasts are no longer accepted.' }),
  forecasts: Type.Integer({
    minimum: 0,
    description: 'Number of forecasters; what others say is not shown.',
  }),
  own: Type.Optional(
    Closed(
      {
        probability: Type.Optional(described(Probability, 'Of a binary question.')),
        distribution: Type.Optional(Distribution),
        quantiles: Type.Optional(described(Quantiles, 'Of a quantity.')),
        submitted_at: described(Timestamp, 'When it was submitted or last changed.'),
      },
      { description: 'Your own forecast; absent without one.' },
    ),
  ),
  status: described(Status, 'Whether it is decided; void: it cannot be.'),
  outcome: Type.Optional(Outcome),
  known_at: Type.Optional(described(Timestamp, 'Forecasts up to then count; absent while it is open.')),
  counted: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Forecasts that count for their sources.' }),
  ),
  citation_id: Type.Optional(described(HexHash, 'Names the citation that the outcome rests on.')),
  source_ref: Type.Optional(described(Ref, 'Source that the outcome rests on.')),
  resolved_at: Type.Optional(described(Timestamp, 'When it was resolved or closed as void.')),
})
type QuestionItem = Static<typeof QuestionItem>

export const ListQuestionsOutput = Closed({
  items: described(ListOf(QuestionItem, 0, page_max), 'Questions, newest first.'),
  next_cursor,
})

export function listQuestions(
  { question_ref, topic, status, resolver, ...page }: Static<typeof ListQuestionsInput>,
  context: OperationContext<'vault'>,
) {
  const question_id = question_ref && questionIdIn(question_ref)
  return listing(page, context, {
    own: 'questions',
    id_form: uuid_form,
    read: (bounds) => listQuestionRows(context, bounds, { question_id, topic, status, resolver }),
    placeOf: ({ opened_at, question_id: id }) => ({ at: opened_at.toISOString(), id }),
    view: (rows) => viewOf(rows, context),
  })
}

async function viewOf(
  rows: readonly QuestionRow[],
  context: OperationContext<'vault'>,
): Promise<QuestionItem[]> {
  const contents = await readContents(
    context,
    rows.map(({ question_id }) => questionRef(question_id)),
  )
  const own = await ownForecasts(
    context,
    rows.map(({ question_id }) => question_id),
  )
  return rows.map((row) => {
    const body = contents.get(questionRef(row.question_id))?.body as QuestionBody | undefined
    return itemOf(row, body, own.get(row.question_id), context.now)
  })
}

function itemOf(
  row: QuestionRow,
  body: QuestionBody | undefined,
  own: OwnForecast | undefined,
  now: string,
): QuestionItem {
  const { kind, low, high, outcome, known_at, counted, citation_id, source_ref, resolved_at } = row
  const categories = body?.categories
  return {
    question_ref: questionRef(row.question_id),
    statement: body?.statement ?? null,
    kind,
    ...(categories && { categories: [...categories] }),
    ...(low !== null && high !== null && { range: [low, high] }),
    topic: row.topic,
    opened_by: row.opened_by,
    opened_at: row.opened_at.toISOString(),
    resolver: row.resolver_did,
    related_allowed: row.authority !== null,
    locks_at: row.locks_at.toISOString(),
    locked: row.status !== 'open' || row.locks_at.getTime() <= Date.parse(now),
    forecasts: row.forecasts,
    ...(own && { own: ownOf(kind, categories, own) }),
    status: row.status,
    ...(outcome !== null && { outcome: outcomeOf({ kind, categories, low, high }, outcome) }),
    ...(known_at && { known_at: known_at.toISOString() }),
    ...(counted !== null && { counted }),
    ...(citation_id !== null && { citation_id }),
    ...(source_ref !== null && { source_ref }),
    ...(resolved_at && { resolved_at: resolved_at.toISOString() }),
  }
}

function ownOf(
  kind: QuestionRow['kind'],
  categories: readonly string[] | undefined,
  { forecast, submitted_at }: OwnForecast,
): NonNullable<QuestionItem['own']> {
  const at = { submitted_at: submitted_at.toISOString() }
  if (kind === 'binary') return { probability: forecast as number, ...at }
  if (kind === 'quantity') return { quantiles: forecast as [number, number][], ...at }
  const shares = forecast as readonly number[]
  if (!categories) return at
  return {
    distribution: Object.fromEntries(categories.map((category, place) => [category, shares[place]!])),
    ...at,
  }
}
