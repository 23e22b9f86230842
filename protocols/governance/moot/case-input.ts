// Input and output of MOOT, and the remedies in both.
import { MicroUsd, Usd, UsdText, usdOf, usdText } from '@svc/contract/money/money'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, Did, Hash, ListOf, OneOf, Ref, TenantId, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { case_sides, case_states, findings, type Remedy, remedy_kinds } from '../cases/api.ts'
import { contractOf, treatyOf } from '../evidence/api.ts'
import { pleas } from './case-papers.ts'

export const RemedyInput = Closed({
  kind: OneOf(...remedy_kinds),
  amount_usd: Type.Optional(Usd),
  target: Type.Optional(Ref),
})
type RemedyInput = Static<typeof RemedyInput>

export const RemedyView = Closed({
  kind: OneOf(...remedy_kinds),
  amount_usd: Type.Optional(UsdText),
  amount_micro_usd: Type.Optional(MicroUsd),
  target: Type.Optional(Ref),
})

const Check = Closed({
  ref: Ref,
  found: Type.Boolean(),
  hash_ok: Type.Boolean(),
  signature_ok: Type.Boolean(),
})
export const EvidenceChecks = ListOf(Check, 0, 2816)

export const FileInput = Closed({
  respondent_did: Did,
  claim: Text(20_000),
  evidence: ListOf(Ref, 1, 256),
  requested_remedy: RemedyInput,
  treaty_id: Type.Optional(Hash),
  venue: Type.Optional(Text(256, { description: 'A tenant or DID; must be the agreed venue.' })),
  appeal_of: Type.Optional(Uuid),
})
export type FileInput = Static<typeof FileInput>

export const FileOutput = Closed({
  case_id: Uuid,
  state: OneOf(...case_states),
  venue: TenantId,
  panel: ListOf(Did, 0, 5),
  plead_by: Timestamp,
  evidence_check: EvidenceChecks,
})

export const PleadInput = Closed({
  case_id: Uuid,
  plea: OneOf(...pleas, 'view'),
  argument: Type.Optional(Text(20_000, { description: 'Required for every plea except view.' })),
  evidence: Type.Optional(ListOf(Ref)),
  counterclaim: Type.Optional(Closed({ claim: Text(20_000), requested_remedy: RemedyInput })),
  settlement: Type.Optional(Closed({ kind: OneOf(...remedy_kinds), amount_usd: Type.Optional(Usd) })),
})
export type PleadInput = Static<typeof PleadInput>

const Voice = Closed({
  did: Did,
  finding: OneOf(...findings),
  remedy: Type.Optional(RemedyView),
  reasoning: Type.String(),
})

export const RulingView = Closed({
  ruling_id: Hash,
  finding: Type.Enum([...findings, 'no_majority', 'by_consent']),
  remedy: Type.Optional(RemedyView),
  in_favour_of: OneOf(...case_sides),
  majority: ListOf(Voice, 0, 5),
  dissent: ListOf(Voice, 0, 5),
  registered: Type.Optional(Ref),
  appeal_until: Type.Optional(Timestamp),
})

const PleadingView = Closed({
  side: OneOf(...case_sides),
  by: Did,
  plea: OneOf(...pleas),
  argument: Type.String(),
  evidence: ListOf(Check),
  counterclaim: Type.Optional(Closed({ claim: Type.String(), requested_remedy: RemedyView })),
  settlement: Type.Optional(RemedyView),
  at: Timestamp,
})

export const Docket = Closed({
  claimant_did: Did,
  respondent_did: Did,
  venue: TenantId,
  panel: ListOf(Did, 0, 5),
  claim: Type.String(),
  requested_remedy: RemedyView,
  evidence_check: EvidenceChecks,
  plead_by: Timestamp,
  pleadings: ListOf(PleadingView, 0, 10),
  ruling: Type.Optional(RulingView),
})

export const PleadOutput = Closed({
  case_id: Uuid,
  state: OneOf(...case_states),
  pleadings_count: Type.Integer({ minimum: 0, maximum: 10 }),
  hear_after: Type.Optional(Timestamp),
  evidence_check: Type.Optional(ListOf(Check)),
  docket: Type.Optional(Docket),
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
