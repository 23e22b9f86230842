// MANTIC forecast: the caller's own forecasts, which it can change until they lock.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { readContents } from '../../cognition/content/api.ts'
import { faulty } from '../opinions/api.ts'
import type { QuestionBody } from './open-question.ts'
import { type Asked, ForecastItem, questionIdIn, questionRef, readForecast, requireRoot } from './question.ts'
import { countSiblings, lockQuestions, putForecasts, type QuestionRow } from './question-store.ts'

const items_max = 1_000
/** Bounds the work of resolving a question. */
export const forecasters_max = 2_000
/** However many a root sends, together they count as one. */
const siblings_max = 16
/** Each is kept: what was said when the outcome became known is what counts. */
const changes_max = 64

export const ForecastInput = Closed({
  forecasts: described(
    ListOf(ForecastItem, 1, items_max),
    `One for each question; all are accepted, or none. A later one replaces an earlier one, at most ${changes_max} times.`,
  ),
})

export const ForecastOutput = Closed({
  submitted: Type.Integer({ minimum: 1, description: 'Forecasts that count if nothing replaces them.' }),
  replaced: Type.Integer({ minimum: 0, description: 'Those of them that replaced an earlier one.' }),
})

export async function submitForecasts(
  { forecasts }: Static<typeof ForecastInput>,
  context: OperationContext<'lineages' | 'vault'>,
): Promise<Static<typeof ForecastOutput>> {
  const { caller } = context
  const { root_of } = await context.lineages.roots([caller.did])
  const root = requireRoot(root_of, caller.did, 'Your identity')
  const question_ids = forecasts.map(({ question_ref }) => questionIdIn(question_ref))
  const questions = await lockQuestions(context, question_ids)
  const words = await wordsOf(context, [...questions.values()])
  const forecast_before = new Set<string>()
  const rows = forecasts.map((item, place) => {
    const pointer = `/forecasts/${place}`
    const question = questions.get(question_ids[place]!)
    if (!question) throw notFound('question', item.question_ref)
    if (forecast_before.has(question.question_id))
      throw faulty('duplicate_question', pointer, 'is about a question that was forecast before it')
    forecast_before.add(question.question_id)
    requireOpen(question, item.question_ref, context.now)
    requireUnrelated(question, item.question_ref, caller.did, root)
    const forecast = readForecast(words(question), item, pointer)
    return { question_id: question.question_id, forecast }
  })
  const { fresh, changes } = await putForecasts(context, root, rows)
  requireFewChanges(changes)
  await requireRoom(context, questions, fresh, root)
  context.audit('ForecastsSubmitted', { submitted: rows.length, replaced: rows.length - fresh.length })
  return { submitted: rows.length, replaced: rows.length - fresh.length }
}

function requireOpen({ status, locks_at }: QuestionRow, question_ref: string, now: string): void {
  if (status === 'open' && Date.parse(now) < locks_at.getTime()) return
  throw refuse(
    'policy_denied',
    status === 'open'
      ? `Forecasts of ${question_ref} were locked at ${locks_at.toISOString()}: none is accepted or changed any more.`
      : `${question_ref} is ${status}: no forecast is accepted or changed any more.`,
    { reason: 'forecasts are locked', question_ref },
  )
}

/** Who decides the outcome must have nothing to win by it. */
function requireUnrelated(
  { resolver_did, resolver_root, authority }: QuestionRow,
  question_ref: string,
  did: string,
  root: string,
): void {
  const is_resolver = did === resolver_did
  if (!is_resolver && (root !== resolver_root || authority !== null)) return
  throw refuse(
    'policy_denied',
    is_resolver
      ? `You resolve ${question_ref}, so you cannot forecast it; leave the forecast to others.`
      : `You and the resolver of ${question_ref} are of one root, so you cannot forecast it; it needs another resolver, or a charter verdict when it is opened.`,
    { reason: 'conflict of interest', question_ref },
  )
}

function requireFewChanges(changes: ReadonlyMap<string, number>): void {
  for (const [question_id, times] of changes) {
    if (times <= changes_max) continue
    throw refuse(
      'policy_denied',
      `You have changed your forecast of ${questionRef(question_id)} ${changes_max} times, which is the maximum; the last one stands.`,
      { reason: 'too many changes', question_ref: questionRef(question_id) },
    )
  }
}

async function requireRoom(
  context: OperationContext,
  questions: ReadonlyMap<string, QuestionRow>,
  fresh: readonly string[],
  root: string,
): Promise<void> {
  const siblings = await countSiblings(context, fresh, root)
  for (const question_id of fresh) {
    const is_full = questions.get(question_id)!.forecasts >= forecasters_max
    if (!is_full && siblings.get(question_id)! <= siblings_max) continue
    throw refuse(
      'policy_denied',
      is_full
        ? `${questionRef(question_id)} has ${forecasters_max} forecasters, which is the maximum.`
        : `${questionRef(question_id)} has ${siblings_max} forecasters of your root, which is the maximum; they count as one together.`,
      { reason: 'too many forecasters', question_ref: questionRef(question_id) },
    )
  }
}

/** The categories are sealed; read for those that have some. */
export async function wordsOf(
  context: OperationContext<'vault'>,
  questions: readonly QuestionRow[],
): Promise<(question: QuestionRow) => Asked> {
  const refs = questions
    .filter(({ kind }) => kind === 'categories')
    .map(({ question_id }) => questionRef(question_id))
  const contents = refs.length === 0 ? new Map() : await readContents(context, refs)
  return ({ question_id, kind, low, high }) => {
    if (kind !== 'categories') return { kind, low, high, categories: undefined }
    const body = contents.get(questionRef(question_id))?.body as QuestionBody | undefined
    if (body) return { kind, low, high, categories: body.categories }
    throw refuse(
      'policy_denied',
      `${questionRef(question_id)} was redacted; it can only be closed as void.`,
      {
        reason: 'redacted',
      },
    )
  }
}
