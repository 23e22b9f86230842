// MANTIC open_question: says what is asked, who resolves it and until when it is forecast.
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, described, Ref, Timestamp } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { keepContent } from '../../cognition/content/api.ts'
import { any_topic, faulty, Topic } from '../opinions/api.ts'
import { QuestionRef, question_fields, questionRef, requireRoot, requireSound } from './question.ts'
import { insertQuestion } from './question-store.ts'

export const OpenInput = Closed({
  ...question_fields,
  topic: Type.Optional(Topic),
  resolver: described(
    Did,
    'Who resolves it: no forecaster, and of another root than any of them. Without an authority, no identity of its root can forecast.',
  ),
  locks_at: described(Timestamp, 'Forecasts are accepted and can be changed until then.'),
  authority: Type.Optional(
    described(
      Ref,
      'Charter verdict that lets a resolver be of one root with forecasters, as within one organization. It is never a forecaster.',
    ),
  ),
})
type OpenInput = Static<typeof OpenInput>

export const OpenOutput = Closed({
  question_ref: QuestionRef,
  resolver: described(Did, 'Who resolves it.'),
  locks_at: described(Timestamp, 'When forecasts lock.'),
  related_allowed: Type.Boolean({ description: 'Whether the charter lets forecasters be of its root.' }),
})

/** What stays sealed: it can be redacted. */
export interface QuestionBody {
  readonly statement: string
  readonly categories?: readonly string[]
}

export async function openQuestion(
  input: OpenInput,
  context: OperationContext<'embedder' | 'lineages' | 'requireAuthority' | 'vault'>,
): Promise<Static<typeof OpenOutput>> {
  const { authority, ...terms } = input
  const { statement, kind, categories, range, topic = any_topic, resolver, locks_at } = terms
  requireSound(input)
  if (!isMoment(locks_at)) throw faulty('no_such_moment', '/locks_at', 'is no moment that exists')
  if (Date.parse(locks_at) <= Date.parse(context.now))
    throw faulty('in_the_past', '/locks_at', 'is over, so nobody could forecast; choose a later time')
  const { root_of } = await context.lineages.roots([context.caller.did, resolver])
  requireRoot(root_of, context.caller.did, 'Your identity')
  const resolver_root = requireRoot(root_of, resolver, 'The resolver')
  const verdict =
    authority === undefined
      ? null
      : await context.requireAuthority('MANTIC.open_question', contentHash(terms), authority)
  const question_id = context.newId()
  const question_ref = questionRef(question_id)
  const body: QuestionBody = { statement, ...(categories && { categories }) }
  const { commitment } = await keepContent(context, { ref: question_ref, kind: 'question', body })
  const [low, high] = range ?? [null, null]
  await insertQuestion(context, {
    question_id,
    topic,
    kind,
    low: low!,
    high: high!,
    resolver_did: resolver,
    resolver_root,
    authority: verdict,
    locks_at,
  })
  context.audit(
    'QuestionOpened',
    { question_ref, commitment, kind, resolver, locks_at, ...(verdict && { authority: verdict }) },
    { supplied: { topic } },
  )
  return { question_ref, resolver, locks_at, related_allowed: verdict !== null }
}
