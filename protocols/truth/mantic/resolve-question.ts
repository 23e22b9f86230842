// MANTIC resolve: whoever was named says what came about, with a citation, and the forecasts that were locked before are scored.
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, HexHash, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { readContent } from '../../cognition/content/api.ts'
import { citeSource } from '../maven/api.ts'
import { addScores, excessLosses, faulty, type ScoredForecast } from '../opinions/api.ts'
import {
  type Asked,
  Outcome,
  outcomeOf,
  QuestionRef,
  questionIdIn,
  readOutcome,
  requireRoot,
  scoreOf,
} from './question.ts'
import {
  closeQuestion,
  type ForecastRow,
  findForecasts,
  lockQuestions,
  type QuestionRow,
} from './question-store.ts'
import { forecasters_max, wordsOf } from './submit-forecasts.ts'

export const ResolveInput = Closed({
  question_ref: QuestionRef,
  outcome: Type.Optional(Outcome),
  citation: Type.Optional(
    Closed(
      {
        source_ref: Type.String({
          pattern: '^(maven|mind|mage|max|mari|marc)://[A-Za-z0-9:._/@-]{1,240}$',
          maxLength: 256,
          description: 'Claim, memory, artifact, record or finding that shows it; not by a forecaster.',
        }),
        version: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Default: the newest.' }),
        ),
      },
      { description: 'What the outcome rests on; pinned to its version. Needed with outcome.' },
    ),
  ),
  known_at: Type.Optional(
    described(
      Timestamp,
      'From when on the outcome could be known, if before the lock: what each forecaster had said by then counts. Default: the lock, or now if it is earlier.',
    ),
  ),
  void: Type.Optional(
    Text(1_000, { description: 'Instead of outcome: why it cannot be decided. No forecast counts.' }),
  ),
})
type ResolveInput = Static<typeof ResolveInput>

export const ResolveOutput = Closed({
  question_ref: QuestionRef,
  status: described(OneOf('resolved', 'void'), 'Void: no forecast of it counts.'),
  outcome: Type.Optional(Outcome),
  known_at: described(Timestamp, 'Forecasts up to then count.'),
  counted: Type.Integer({ minimum: 0, description: 'Forecasts that count for their sources from now on.' }),
  left_out: Type.Integer({
    minimum: 0,
    description: 'Forecasts that do not: too late, or the topic has too many sources.',
  }),
  citation_id: Type.Optional(described(HexHash, 'Names the citation.')),
  source_ref: Type.Optional(described(Ref, 'What the outcome rests on.')),
})

type Context = OperationContext<'audit_log' | 'authority' | 'compute' | 'embedder' | 'lineages' | 'vault'>

export async function resolveQuestion(
  input: ResolveInput,
  context: Context,
): Promise<Static<typeof ResolveOutput>> {
  const { question_ref } = input
  requireEither(input)
  const question_id = questionIdIn(question_ref)
  const question = (await lockQuestions(context, [question_id])).get(question_id)
  if (!question) throw notFound('question', question_ref)
  requireResolver(question, question_ref, context.caller.did)
  const known_at = knownAt(input, question, context.now)
  if (input.outcome === undefined) {
    const closed = {
      status: 'void',
      outcome: null,
      known_at,
      counted: 0,
      citation_id: null,
      source_ref: null,
    } as const
    await closeQuestion(context, question_id, closed)
    context.audit('QuestionResolved', { question_ref, status: 'void' }, { supplied: { void: input.void } })
    return { question_ref, status: 'void', known_at, counted: 0, left_out: question.forecasts }
  }
  const terms = (await wordsOf(context, [question]))(question)
  const outcome = readOutcome(terms, input.outcome)
  const forecasts = await findForecasts(context, question_id, known_at, forecasters_max)
  await requireIndependent(context, question, forecasts, context.caller.did, 'You')
  const { citation_id, source_ref } = await evidenceFor(input, context, question, forecasts)
  const scored = scoredIn(terms, outcome, forecasts)
  const resolved = { question_id, topic: question.topic, kind: question.kind, outcome, at: known_at }
  const counted = await addScores(context, resolved, scored)
  await closeQuestion(context, question_id, {
    status: 'resolved',
    outcome,
    known_at,
    counted,
    citation_id,
    source_ref,
  })
  const facts = { question_ref, status: 'resolved', outcome, known_at, counted, citation_id, source_ref }
  context.audit('QuestionResolved', facts)
  return {
    question_ref,
    status: 'resolved',
    outcome: outcomeOf(terms, outcome),
    known_at,
    counted,
    left_out: forecasts.length - counted,
    citation_id,
    source_ref,
  }
}

function requireEither(input: ResolveInput): void {
  if ((input.outcome === undefined) === (input.void === undefined))
    throw faulty('one_of', '', 'must have either outcome or void')
  if (input.outcome !== undefined && input.citation === undefined)
    throw faulty('citation_missing', '/citation', 'is needed: an outcome counts only with what shows it')
}

function requireResolver({ resolver_did, status }: QuestionRow, question_ref: string, did: string): void {
  if (did !== resolver_did)
    throw refuse('policy_denied', `${question_ref} is resolved by another identity; ask it to resolve it.`, {
      reason: 'not the resolver',
      resolver: resolver_did,
    })
  if (status !== 'open')
    throw refuse('policy_denied', `${question_ref} is ${status} already, and that is final.`, {
      reason: 'question is closed',
    })
}

/** The moment up to which forecasts count: never after the lock. */
function knownAt({ known_at }: ResolveInput, { locks_at }: QuestionRow, now: string): string {
  if (known_at !== undefined && !isMoment(known_at))
    throw faulty('no_such_moment', '/known_at', 'is no moment that exists')
  if (known_at !== undefined && Date.parse(known_at) > Date.parse(now))
    throw faulty('in_the_future', '/known_at', 'lies in the future, and nothing has come about there')
  return new Date(Math.min(Date.parse(known_at ?? now), locks_at.getTime())).toISOString()
}

/** The root of the resolver is looked up again: it may have come under a forecaster's since the question was opened. */
async function requireIndependent(
  { lineages }: Context,
  { authority }: QuestionRow,
  forecasts: readonly ForecastRow[],
  did: string,
  who: 'You' | 'The author of the cited source',
): Promise<void> {
  const { root_of } = await lineages.roots([did])
  const root = who === 'You' ? requireRoot(root_of, did, 'Your identity') : root_of.get(did)
  const is_related = forecasts.some(
    (row) => row.forecaster === did || (authority === null && row.root === root),
  )
  if (!is_related) return
  throw refuse(
    'policy_denied',
    `${who} forecast this question or share a root with somebody who did, and so cannot decide it; ${
      who === 'You' ? 'close it as void' : 'cite a source of somebody else'
    }.`,
    { reason: 'conflict of interest' },
  )
}

async function evidenceFor(
  { citation, question_ref }: ResolveInput,
  context: Context,
  question: QuestionRow,
  forecasts: readonly ForecastRow[],
) {
  const { source_ref } = citation!
  if ((await readContent(context, source_ref))?.readers)
    throw refuse(
      'policy_denied',
      `${source_ref} is a memory that not everybody of the organization may read, so nobody could check the outcome; cite another.`,
      { reason: 'source is not of the tenant' },
    )
  const cited = await citeSource(context, { ...citation!, in_ref: question_ref })
  if (cited.status !== 'valid' && cited.status !== 'contested')
    throw refuse(
      'policy_denied',
      `${cited.source_ref} is ${cited.status}, so nothing rests on it; cite another.`,
      {
        reason: 'weak source',
        status: cited.status,
      },
    )
  // A record is a statement of the engine, whoever made the call.
  if (!cited.source_ref.startsWith('max://'))
    await requireIndependent(context, question, forecasts, cited.issuer_did, 'The author of the cited source')
  return cited
}

function scoredIn(terms: Asked, outcome: number, forecasts: readonly ForecastRow[]): ScoredForecast[] {
  const locked = forecasts.flatMap(({ forecast, ...row }) =>
    forecast === null ? [] : [{ ...row, forecast }],
  )
  const siblings = new Map<string, number>()
  for (const { root } of locked) siblings.set(root, (siblings.get(root) ?? 0) + 1)
  const scores = locked.map(({ forecast }) => scoreOf(terms, forecast, outcome))
  const excesses = excessLosses(locked.map(({ root }, place) => ({ root, loss: scores[place]!.loss })))
  return locked.map(({ forecaster, root, forecast }, place) => ({
    source: forecaster,
    forecast,
    share: 1 / siblings.get(root)!,
    score: scores[place]!,
    excess: excesses[place],
  }))
}
