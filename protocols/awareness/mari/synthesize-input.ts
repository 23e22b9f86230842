// Input and output of a synthesis.
import { refuse } from '@svc/contract/refusal'
import { Closed, HexHash, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Share } from '../../cognition/cells/api.ts'
import { Budget, findings_max, Locator, Stance } from './inquire-input.ts'
import { source_statuses } from './inquiry-source.ts'
import { citations_max } from './passage-choice.ts'

export const words_default = 500

const InquiryRef = Type.String({ pattern: '^mari://inquiry/[A-Za-z0-9:._-]{1,200}$' })
const FindingRef = Type.String({ pattern: '^mari://finding/[A-Za-z0-9:._-]{1,200}$' })

export const SynthesizeInput = Closed({
  inquiry_ref: Type.Optional(InquiryRef),
  findings: Type.Optional(ListOf(FindingRef, 1, findings_max)),
  format: Type.Optional(Type.Enum(['brief', 'report', 'table', 'claims'], { default: 'brief' })),
  max_words: Type.Optional(Type.Integer({ minimum: 50, maximum: 5_000, default: words_default })),
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
  ref: Ref,
  version: Type.Integer({ minimum: 1 }),
  content_hash: HexHash,
  locator: Locator,
  status: OneOf(...source_statuses),
})

const Sentence = Closed({
  text: Type.String(),
  citations: ListOf(Citation, 1, citations_max),
  confidence: Share,
  stance: Stance,
})
export type Sentence = Static<typeof Sentence>

export const SynthesizeOutput = Closed({
  synthesis_ref: Ref,
  sentences: Type.Array(Sentence),
  answer: Type.String({ description: 'The sentences as a text, with the numbers of their sources.' }),
  confidence: {
    ...Share,
    description: 'That of the least certain sentence; 0 where there is none.',
  } as typeof Share,
  dissent: Type.Array(
    Closed({
      text: Type.String(),
      citations: ListOf(Citation, 1, citations_max),
      confidence: Share,
      status: OneOf(...source_statuses),
    }),
  ),
  unsupported_removed: Type.Integer({
    minimum: 0,
    description: 'Sentences that their sources did not support, or too few of them did.',
  }),
  bibliography: Type.Array(
    Closed({
      number: Type.Integer({ minimum: 1 }),
      ref: Ref,
      version: Type.Integer({ minimum: 1 }),
      content_hash: HexHash,
      status: {
        ...OneOf(...source_statuses),
        description: 'The current status; a source that is no longer valid is listed here, but not quoted.',
      } as ReturnType<typeof OneOf<(typeof source_statuses)[number]>>,
      formatted: Text(2_000),
    }),
  ),
  method: OneOf('extractive', 'model'),
  draft_id: Type.Optional(Type.String()),
  usage: Closed({ tokens_in: Type.Integer(), tokens_out: Type.Integer() }),
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
