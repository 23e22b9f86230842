// Input and output of an inquiry.
import { isMoment } from '@svc/contract/moment'
import { refuse } from '@svc/contract/refusal'
import {
  Closed,
  Did,
  described,
  HexHash,
  ListOf,
  OneOf,
  Ref,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
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
  Closed(
    {
      tokens: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: tokens_default,
          description: 'For what a model reads and writes; without a model none are used.',
        }),
      ),
      deadline_ms: Type.Optional(
        Type.Integer({
          minimum: 100,
          maximum: deadline_ms_max,
          default: deadline_ms_default,
          description: 'Milliseconds after which the call ends with a timeout.',
        }),
      ),
    },
    { description: 'What the call may use at most; absent means the defaults.' },
  ),
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
      {
        minItems: 1,
        maxItems: 16,
        uniqueItems: true,
        default: ['mind', 'maven', 'mage'],
        description: 'Where to search.',
      },
    ),
  ),
  scope: Type.Optional(
    Closed(
      {
        namespace: Type.Optional({
          ...Namespace,
          description: 'Memories of this one only.',
        } as typeof Namespace),
        from: Type.Optional(described(Timestamp, 'Only what was recorded from this time on.')),
        to: Type.Optional(described(Timestamp, 'Only what was recorded before this time.')),
        topics: Type.Optional(described(ListOf(Topic, 1, 32), 'Only claims on one of these topics.')),
      },
      { description: 'Narrows the search; absent means everything you may read.' },
    ),
  ),
  depth: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3,
      default: 1,
      description: 'Above 1, names found in the results are searched as well.',
    }),
  ),
  max_findings: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: findings_max,
      default: findings_default,
      description: 'The most findings to return.',
    }),
  ),
  min_confidence: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0,
      description: 'Findings below this confidence are left out.',
    }),
  ),
  budget: Budget,
})
export type InquireInput = Static<typeof InquireInput>

export const Locator = Closed(
  {
    char_range: Type.Optional(
      Closed(
        {
          start: Type.Integer({ description: 'First character, from 0.' }),
          end: Type.Integer({ description: 'Character after the last one.' }),
        },
        { description: 'Part of a text, counted in characters.' },
      ),
    ),
    json_pointer: Type.Optional(
      Type.String({ description: 'Part of a JSON document (RFC 6901); empty means all of it.' }),
    ),
    record_seq: Type.Optional(Type.Integer({ description: 'Place of the record in the audit log.' })),
  },
  { description: 'Which part of the source, in the form that MAVEN cite takes.' },
)

export const Cited = Closed({
  ref: described(Ref, 'Source that is cited.'),
  version: Type.Integer({ minimum: 1, description: 'Version of the source that was read.' }),
  content_hash: described(HexHash, 'Hash of the content that was read.'),
  locator: Locator,
})
export type Cited = Static<typeof Cited>

export const Stance = OneOf('supports', 'refutes', 'neutral')
export type Stance = Static<typeof Stance>

const Finding = Closed({
  finding_id: described(Uuid, 'Names the finding within this inquiry.'),
  ref: described(Ref, 'Names this finding in a synthesis.'),
  subquestion: Type.Integer({ minimum: 0, description: 'Which of the subquestions it answers, from 0.' }),
  statement: Type.String({ description: 'The passage as the source words it.' }),
  stance: {
    ...Stance,
    description: 'Toward the statement asked about; where there is none, toward the first finding.',
  } as typeof Stance,
  citations: described(ListOf(Cited, 1, citations_max), 'Sources that say this, the one quoted first.'),
  issuer_did: described(Did, 'Who stated it.'),
  source_reliability: described(
    Share,
    'How reliable the issuer has been, from 0 to 1; 0.8 while nothing is known.',
  ),
  confidence: described(
    Share,
    'Confidence the issuer stated, reduced where it is contested or was wrong before.',
  ),
  status: described(
    OneOf(...source_statuses),
    'State of the source now; only valid and contested ones can support an answer.',
  ),
})
export type Finding = Static<typeof Finding>

export const InquireOutput = Closed({
  inquiry_ref: described(Ref, 'Give it to synthesize to get an answer from these findings.'),
  subquestions: described(
    ListOf(Type.String({ maxLength: subquestion_length_max }), 1, subquestions_max),
    'The question split into parts that were searched one by one.',
  ),
  findings: described(ListOf(Finding, 0, findings_max), 'Passages found, in order of the subquestions.'),
  contradictions: Type.Array(
    Closed({
      findings: Type.Array(Ref, { minItems: 2, maxItems: 2, description: 'The two findings, by ref.' }),
      by: described(
        OneOf('attack', 'value', 'negation', 'number'),
        'attack: one claim attacks the other; value, negation, number: what they disagree in.',
      ),
    }),
    { description: 'Pairs of findings that cannot both be right.' },
  ),
  gaps: described(
    ListOf(
      Closed({
        subquestion: Type.Integer({ minimum: 0, description: 'Which of the subquestions, from 0.' }),
        why: described(
          OneOf('nothing found', 'below min_confidence', 'nothing that stands', 'max_findings reached'),
          'Why there is none; nothing that stands: its sources were rejected or withdrawn.',
        ),
      }),
      0,
      subquestions_max,
    ),
    'Subquestions without a valid finding.',
  ),
  coverage: {
    ...Share,
    description: 'The share of words of the question that occur in the valid findings.',
  } as typeof Share,
  unreachable: Type.Optional(
    described(
      ListOf(Type.String({ description: 'A tool among the sources that could not be reached.' }), 1, 16),
      'Tools that were not searched; absent where all could be reached.',
    ),
  ),
  usage: Closed(
    {
      tokens_in: Type.Integer({ description: 'Tokens a model read; 0 without a model.' }),
      tokens_out: Type.Integer({ description: 'Tokens a model wrote; 0 without a model.' }),
      work: Type.Integer({ description: 'Passages looked at; not charged for.' }),
    },
    { description: 'What the inquiry used.' },
  ),
})
export type InquireOutput = Static<typeof InquireOutput>

export function refuseOddInquiry({ question, scope = {} }: InquireInput): void {
  if (!/[\p{L}\p{N}]/u.test(question))
    throw refuse('invalid_payload', 'The question has no words; ask something.', {
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
