// Input and output of MOOT, and the remedies in both.
import { MicroUsd, Usd, UsdText, usdOf, usdText } from '@svc/contract/money/money'
import { type Refusal, refuse } from '@svc/contract/refusal'
import {
  Closed,
  Did,
  described,
  Hash,
  ListOf,
  OneOf,
  Ref,
  TenantId,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { case_sides, case_states, findings, type Remedy, remedy_kinds } from '../cases/api.ts'
import { contractOf, treatyOf } from '../evidence/api.ts'
import { pleas } from './case-papers.ts'

export const State = described(
  OneOf(...case_states),
  'DEFAULTED: not answered in time. REMEDIED: remedy executed. CLOSED: nothing to execute. DISMISSED: no valid evidence.',
)
const RemedyKind = described(
  OneOf(...remedy_kinds),
  'declaratory: only state who is right. specific_performance: force payment under the contract.',
)

export const RemedyInput = Closed({
  kind: RemedyKind,
  amount_usd: Type.Optional(described(Usd, 'Amount to pay; needed for pay.')),
  target: Type.Optional(described(Ref, 'What it applies to: made://contract/<id> or moat://<treaty_id>.')),
})
type RemedyInput = Static<typeof RemedyInput>

export const RemedyView = Closed({
  kind: RemedyKind,
  amount_usd: Type.Optional(described(UsdText, 'Amount to pay, in US dollars with six decimal places.')),
  amount_micro_usd: Type.Optional(described(MicroUsd, 'Amount to pay, in whole millionths of a US dollar.')),
  target: Type.Optional(described(Ref, 'What it applies to: a contract or a treaty.')),
})

const Check = Closed({
  ref: described(Ref, 'The evidence.'),
  found: Type.Boolean({ description: 'Whether it exists and the court may read it.' }),
  hash_ok: Type.Boolean({ description: 'Whether its content matches its hash.' }),
  signature_ok: Type.Boolean({ description: 'Whether it is signed by who should have signed it.' }),
})
export const EvidenceChecks = ListOf(Check, 0, 2816)

export const FileInput = Closed({
  respondent_did: described(Did, 'Who the claim is against; in an appeal, the other party.'),
  claim: Text(20_000, { description: 'What happened and what you claim.' }),
  evidence: described(
    ListOf(Ref, 1, 256),
    'References to records, contracts, treaties or verdicts that you may read; at least one must verify.',
  ),
  requested_remedy: described(RemedyInput, 'What the court should order.'),
  treaty_id: Type.Optional(described(Hash, 'Treaty at issue; its dispute clause decides the venue.')),
  venue: Type.Optional(Text(256, { description: 'A tenant or DID; must be the agreed venue.' })),
  appeal_of: Type.Optional(described(Uuid, 'Case whose ruling you appeal.')),
})
export type FileInput = Static<typeof FileInput>

export const FileOutput = Closed({
  case_id: described(Uuid, 'Names the case in the other MOOT operations.'),
  state: State,
  venue: described(TenantId, 'Organization where the case is heard.'),
  panel: described(ListOf(Did, 0, 5), 'Arbiters; empty until they are drawn, moments after the filing.'),
  fee_usd: described(
    UsdText,
    'You owe it to the other side if the case is lost and the panel finds it frivolous, in US dollars.',
  ),
  plead_by: described(Timestamp, 'The other side answers by then; counted again from the day it was served.'),
  evidence_check: described(EvidenceChecks, 'What verifying the evidence showed.'),
})

export const PleadInput = Closed({
  case_id: described(Uuid, 'The case.'),
  plea: described(
    OneOf(...pleas, 'view'),
    'view changes nothing. settle ends the case once both offer the same. withdraw is for who filed it.',
  ),
  argument: Type.Optional(Text(20_000, { description: 'Required for every plea except view.' })),
  evidence: Type.Optional(described(ListOf(Ref), 'References to records, contracts, treaties or verdicts.')),
  counterclaim: Type.Optional(
    Closed(
      {
        claim: Text(20_000, { description: 'What happened and what you claim.' }),
        requested_remedy: described(RemedyInput, 'What the court should order.'),
      },
      { description: "The respondent's own claim; with plea counterclaim." },
    ),
  ),
  settlement: Type.Optional(
    Closed(
      { kind: RemedyKind, amount_usd: Type.Optional(described(Usd, 'Amount to pay; needed for pay.')) },
      { description: 'Your offer; with plea settle.' },
    ),
  ),
})
export type PleadInput = Static<typeof PleadInput>

const Voice = Closed({
  did: described(Did, 'Arbiter.'),
  finding: described(OneOf(...findings), 'What this arbiter found.'),
  remedy: Type.Optional(described(RemedyView, 'What this arbiter would order; absent: nothing.')),
  reasoning: Type.String({ description: 'Why.' }),
})

export const RulingView = Closed({
  ruling_id: described(Hash, 'Hash of the ruling.'),
  finding: Type.Enum([...findings, 'no_majority', 'by_consent'], {
    description: 'Who is right; by_consent: both agreed; no_majority: the arbiters did not.',
  }),
  remedy: Type.Optional(described(RemedyView, 'What is ordered; absent: nothing.')),
  in_favour_of: described(OneOf(...case_sides), 'Side that the remedy favours.'),
  frivolous: Type.Optional(
    Type.Boolean({
      description: 'Most of the panel found that it should not have been filed; absent: not so.',
    }),
  ),
  majority: described(ListOf(Voice, 0, 5), 'Arbiters who carried it, with reasons.'),
  dissent: described(ListOf(Voice, 0, 5), 'Arbiters who were outvoted, with reasons.'),
  registered: Type.Optional(described(Ref, 'Its entry in the registry.')),
  appeal_until: Type.Optional(described(Timestamp, 'An appeal may be filed until then; the remedy waits.')),
})

const PleadingView = Closed({
  side: described(OneOf(...case_sides), 'Side that pleaded.'),
  by: described(Did, 'DID that pleaded.'),
  plea: described(OneOf(...pleas), 'What it pleaded.'),
  argument: Type.String({ description: 'Its reasons.' }),
  evidence: described(ListOf(Check), 'What verifying its evidence showed.'),
  counterclaim: Type.Optional(
    Closed(
      {
        claim: Type.String({ description: 'What it claims.' }),
        requested_remedy: described(RemedyView, 'What it asks the court to order.'),
      },
      { description: 'Its own claim.' },
    ),
  ),
  settlement: Type.Optional(described(RemedyView, 'What it offers.')),
  at: described(Timestamp, 'When it pleaded.'),
})

const DrawView = Closed({
  seats: Type.Integer({ minimum: 1, maximum: 5, description: 'Size of the panel.' }),
  eligible: described(
    ListOf(
      Closed({
        did: described(Did, 'Arbiter who may sit.'),
        root_did: described(Did, 'Its root; of each root at most one sits.'),
      }),
      0,
      128,
    ),
    'All who may sit, as on filing, by DID.',
  ),
  eligible_hash: described(
    Hash,
    'Hash of {case_id, seats, eligible, follows}; stands in the record of the filing.',
  ),
  follows: Type.Optional(described(Uuid, 'Earlier case whose order comes first; absent: none.')),
  filing: described(Uuid, "Correlation id of that record in the venue's audit log."),
  checkpoint: Type.Optional(
    Type.String({
      description:
        "The first signed checkpoint of the venue's audit log that covers the record, as a note; absent until it is drawn.",
    }),
  ),
  order: Type.Optional(
    described(ListOf(Did, 0, 128), 'Order of the draw: the first sit. Absent until it is drawn.'),
  ),
})

export const Docket = Closed({
  claimant_did: described(Did, 'Who claims.'),
  respondent_did: described(Did, 'Who the claim is against.'),
  venue: described(TenantId, 'Organization where the case is heard.'),
  panel: described(ListOf(Did, 0, 5), 'Arbiters; empty until they are drawn.'),
  claim: Type.String({ description: 'What is claimed.' }),
  requested_remedy: described(RemedyView, 'What the court should order.'),
  evidence_check: described(EvidenceChecks, 'What verifying the evidence showed.'),
  plead_by: described(Timestamp, 'The other side answers by then, or the case goes on without.'),
  served_at: Type.Optional(
    described(Timestamp, 'When the other side was served; until then there is no default.'),
  ),
  fee_usd: described(UsdText, 'Owed by who filed if the case is lost and found frivolous, in US dollars.'),
  draw: Type.Optional(described(DrawView, 'How the panel is drawn; absent for cases of older releases.')),
  pleadings: described(ListOf(PleadingView, 0, 10), 'Pleadings in the order they were made.'),
  ruling: Type.Optional(described(RulingView, 'The decision; absent before it.')),
})

export const PleadOutput = Closed({
  case_id: described(Uuid, 'The case.'),
  state: State,
  pleadings_count: Type.Integer({ minimum: 0, maximum: 10, description: 'Pleadings of both sides so far.' }),
  hear_after: Type.Optional(described(Timestamp, 'It can be heard from then on; absent once it was.')),
  evidence_check: Type.Optional(described(ListOf(Check), 'What verifying your evidence showed.')),
  docket: Type.Optional(described(Docket, 'All papers of the case; with view.')),
})

/** Requires the target form of its kind, and an amount to pay. */
export function remedyOf(input: RemedyInput, pointer: string): Remedy {
  const { kind, amount_usd, target = null } = input
  const micro_usd = amount_usd === undefined ? null : (usdOf(amount_usd) ?? 0n)
  if (micro_usd === 0n) throw misfit(`${pointer}/amount_usd`, 'is not a positive amount in US dollars')
  if (kind === 'pay' && micro_usd === null) throw misfit(`${pointer}/amount_usd`, 'is required to pay')
  const contract = contractOf(target)
  const needs_contract = kind === 'reverse_settlement' || kind === 'specific_performance'
  if (needs_contract && !contract)
    throw misfit(`${pointer}/target`, 'must name the contract: made://contract/<id>')
  if (kind === 'terminate_treaty' && treatyOf(target) === undefined)
    throw misfit(`${pointer}/target`, 'must name the treaty: moat://<treaty_id>')
  return { kind, micro_usd, target }
}

export function remedyView({ kind, micro_usd, target }: Remedy): Static<typeof RemedyView> {
  return {
    kind,
    ...(micro_usd !== null && { amount_usd: usdText(micro_usd), amount_micro_usd: String(micro_usd) }),
    ...(target !== null && { target }),
  }
}

export function misfit(pointer: string, message: string): Refusal {
  return refuse('invalid_payload', `The filing is invalid: ${pointer} ${message}; correct it.`, {
    reason: 'fields do not fit together',
    faults: [{ pointer, message }],
  })
}
