// Input and output of an inquiry.
import { isMoment } from '@svc/contract/moment'
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, HexHash, ListOf, OneOf, Ref, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Namespace, Share } from '../../cognition/cells/api.ts'
import { Topic } from '../../truth/claims/api.ts'
import { subquestion_length_max, subquestions_max } from './inquiry-question.ts'
import { source_statuses } from './inquiry-source.ts'
import { citations_max } from './passage-choice.ts'

export const findings_max = 200
export const findings_default = 30
export const tokens_default = 20_000
export const deadline_ms_default = 60_000
export const deadline_ms_max = 120_000

export const Budget = Type.Optional(
  Closed({
    tokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        default: tokens_default,
        description: 'For what a model reads and writes; without a model none are used.',
      }),
    ),
    deadline_ms: Type.Optional(
      Type.Integer({ minimum: 100, maximum: deadline_ms_max, default: deadline_ms_default }),
    ),
  }),
)

export const InquireInput = Closed({
  question: Text(2_048, { description: 'What to find out; a statement is looked at from both sides.' }),
  sources: Type.Optional(
    Type.Array(
      Type.String({
        pattern: '^(mind|maven|mage|max|mat:[A-Za-z0-9._:/-]{1,200})$',
        description:
          'mind: memories and facts; maven: claims; mage: artifacts; max: the audit log; mat:<tool_id>: what a tool answers.',
      }),
      { minItems: 1, maxItems: 16, uniqueItems: true, default: ['mind', 'maven', 'mage'] },
    ),
  ),
  scope: Type.Optional(
    Closed({
      namespace: Type.Optional({
        ...Namespace,
        description: 'Memories of this one only.',
      } as typeof Namespace),
      from: Type.Optional(Timestamp),
      to: Type.Optional(Timestamp),
      topics: Type.Optional(ListOf(Topic, 1, 32)),
    }),
  ),
  depth: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3,
      default: 1,
      description: 'Above 1, names found in the results are searched as well.',
    }),
  ),
  max_findings: Type.Optional(Type.Integer({ minimum: 1, maximum: findings_max, default: findings_default })),
  min_confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0 })),
  budget: Budget,
})
export type InquireInput = Static<typeof InquireInput>

export const Locator = Closed(
  {
    char_range: Type.Optional(Closed({ start: Type.Integer(), end: Type.Integer() })),
    json_pointer: Type.Optional(Type.String()),
    record_seq: Type.Optional(Type.Integer()),
  },
  { description: 'Which part of the source, in the form that MAVEN cite takes.' },
)

export const Cited = Closed({
  ref: Ref,
  version: Type.Integer({ minimum: 1 }),
  content_hash: HexHash,
  locator: Locator,
})
export type Cited = Static<typeof Cited>

export const Stance = OneOf('supports', 'refutes', 'neutral')
export type Stance = Static<typeof Stance>

const Finding = Closed({
  finding_id: Uuid,
  ref: Ref,
  subquestion: Type.Integer({ minimum: 0, description: 'Which of the subquestions it answers, from 0.' }),
  statement: Type.String(),
  stance: {
    ...Stance,
    description: 'Toward the statement asked about; where there is none, toward the first finding.',
  } as typeof Stance,
  citations: ListOf(Cited, 1, citations_max),
  issuer_did: Did,
  source_reliability: Share,
  confidence: Share,
  status: OneOf(...source_statuses),
})
export type Finding = Static<typeof Finding>

export const InquireOutput = Closed({
  inquiry_ref: Ref,
  subquestions: ListOf(Type.String({ maxLength: subquestion_length_max }), 1, subquestions_max),
  findings: ListOf(Finding, 0, findings_max),
  contradictions: Type.Array(
    Closed({
      findings: Type.Array(Ref, { minItems: 2, maxItems: 2 }),
      by: OneOf('attack', 'value', 'negation', 'number'),
    }),
  ),
  gaps: ListOf(
    Closed({
      subquestion: Type.Integer({ minimum: 0 }),
      why: OneOf('nothing found', 'below min_confidence', 'nothing that stands', 'max_findings reached'),
    }),
    0,
    subquestions_max,
  ),
  coverage: {
    ...Share,
    description: 'The share of words of the question that occur in the valid findings.',
  } as typeof Share,
  unreachable: Type.Optional(
    ListOf(Type.String({ description: 'A tool among the sources that could not be reached.' }), 1, 16),
  ),
  usage: Closed({
    tokens_in: Type.Integer(),
    tokens_out: Type.Integer(),
    work: Type.Integer({ description: 'Passages looked at; not charged for.' }),
  }),
})
export type InquireOutput = Static<typeof InquireOutput>

export function refuseOddInquiry({ question, scope = {} }: InquireInput): void {
  if (!/[\p{L}\p{N}]/u.test(question))
    throw refuse('invalid_payload', 'The question has no word in it; ask something.', {
      reason: 'no_question',
      path: '/question',
    })
  for (const field of ['from', 'to'] as const) {
    const time = scope[field]
    if (time === undefined || isMoment(time)) continue
    const path = `/scope/${field}`
    throw refuse('invalid_payload', `${path} is not a day of the calendar; give a time that exists.`, {
      reason: 'bad_time',
      path,
    })
  }
  const { from, to } = scope
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
    throw refuse('invalid_payload', '/scope/to is not after /scope/from; nothing happened in between.', {
      reason: 'bad_window',
      path: '/scope/to',
    })
}
