// Input and output of a synthesis.
import { refuse } from '@svc/contract/refusal'
import { Closed, described, HexHash, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Share } from '../../cognition/cells/api.ts'
import { Budget, findings_max, Locator, Stance } from './inquire-input.ts'
import { source_statuses } from './inquiry-source.ts'
import { citations_max } from './passage-choice.ts'

export const words_default = 500

const InquiryRef = Type.String({ pattern: '^mari://inquiry/[A-Za-z0-9:._-]{1,200}$' })
const FindingRef = Type.String({ pattern: '^mari://finding/[A-Za-z0-9:._-]{1,200}$' })

export const SynthesizeInput = Closed({
  inquiry_ref: Type.Optional(
    described(InquiryRef, 'Answer from all findings of this inquiry; give this or findings.'),
  ),
  findings: Type.Optional(
    described(
      ListOf(FindingRef, 1, findings_max),
      'Answer from these findings only; give this or inquiry_ref.',
    ),
  ),
  format: Type.Optional(
    Type.Enum(['brief', 'report', 'table', 'claims'], {
      default: 'brief',
      description: 'Form of the answer: a few sentences, a report by subquestion, a table, or single claims.',
    }),
  ),
  max_words: Type.Optional(
    Type.Integer({
      minimum: 50,
      maximum: 5_000,
      default: words_default,
      description: 'Upper bound on the words of the answer.',
    }),
  ),
  require_support: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 5,
      default: 1,
      description: 'Sources that every sentence must have.',
    }),
  ),
  include_dissent: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Include overruled statements; undecided ones are always included.',
    }),
  ),
  publish_draft: Type.Optional(
    Type.Boolean({ default: false, description: 'Also keep the answer as a draft of MAGE.' }),
  ),
  budget: Budget,
})
export type SynthesizeInput = Static<typeof SynthesizeInput>
export type Format = NonNullable<SynthesizeInput['format']>

const Citation = Closed({
  number: Type.Integer({ minimum: 1, description: 'Of the bibliography.' }),
  ref: described(Ref, 'Source that is cited.'),
  version: Type.Integer({ minimum: 1, description: 'Version of the source that was read.' }),
  content_hash: described(HexHash, 'Hash of the content that was read.'),
  locator: Locator,
  status: described(OneOf(...source_statuses), 'State of the source now, checked again for this answer.'),
})

const Sentence = Closed({
  text: Type.String({ description: 'A sentence of the answer.' }),
  citations: described(ListOf(Citation, 1, citations_max), 'Sources that support it.'),
  confidence: described(Share, 'Pooled confidence of its sources.'),
  stance: described(Stance, 'Whether it supports or refutes the statement asked about.'),
})
export type Sentence = Static<typeof Sentence>

export const SynthesizeOutput = Closed({
  synthesis_ref: described(Ref, 'Names this answer, for citations.'),
  sentences: Type.Array(Sentence, { description: 'The answer sentence by sentence.' }),
  answer: Type.String({ description: 'The sentences as a text, with the numbers of their sources.' }),
  confidence: {
    ...Share,
    description: 'That of the least certain sentence; 0 where there is none.',
  } as typeof Share,
  dissent: Type.Array(
    Closed({
      text: Type.String({ description: 'The statement that disagrees.' }),
      citations: described(ListOf(Citation, 1, citations_max), 'Sources that say so.'),
      confidence: described(Share, 'Pooled confidence of its sources.'),
      status: described(
        OneOf(...source_statuses),
        'State of the sources: contested where undecided, otherwise why they were overruled.',
      ),
    }),
    { description: 'What sources say against the answer.' },
  ),
  unsupported_removed: Type.Integer({
    minimum: 0,
    description: 'Sentences that their sources did not support, or too few of them did.',
  }),
  bibliography: Type.Array(
    Closed({
      number: Type.Integer({ minimum: 1, description: 'The number by which the answer cites it.' }),
      ref: described(Ref, 'Source that is cited.'),
      version: Type.Integer({ minimum: 1, description: 'Version of the source that was read.' }),
      content_hash: described(HexHash, 'Hash of the content that was read.'),
      status: {
        ...OneOf(...source_statuses),
        description: 'The current status; a source that is no longer valid is listed here, but not quoted.',
      } as ReturnType<typeof OneOf<(typeof source_statuses)[number]>>,
      formatted: Text(2_000, { description: 'Citation as a line of text.' }),
    }),
    { description: 'Every source of the answer.' },
  ),
  method: described(
    OneOf('extractive', 'model'),
    'extractive: sentences of the sources; model: written by a model and checked against them.',
  ),
  draft_id: Type.Optional(
    Type.String({ description: 'Draft of MAGE that holds the answer; absent without publish_draft.' }),
  ),
  usage: Closed(
    {
      tokens_in: Type.Integer({ description: 'Tokens a model read; 0 without a model.' }),
      tokens_out: Type.Integer({ description: 'Tokens a model wrote; 0 without a model.' }),
    },
    { description: 'What the synthesis used.' },
  ),
})
export type SynthesizeOutput = Static<typeof SynthesizeOutput>

export function refuseOddSynthesis({ inquiry_ref, findings }: SynthesizeInput): void {
  if ((inquiry_ref === undefined) === (findings === undefined))
    throw refuse(
      'invalid_payload',
      'A synthesis is made of one inquiry_ref or of findings; give one of the two.',
      {
        reason: 'one_of',
        path: '/inquiry_ref',
      },
    )
}
