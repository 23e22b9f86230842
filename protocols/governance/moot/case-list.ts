// MOOT list, an operation of our own: the cases of an organization, and the documents of one for its readers.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import {
  Closed,
  Did,
  described,
  Hash,
  ListOf,
  OneOf,
  Ref,
  TenantId,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { uuid_form } from '@svc/contract/text-form'
import { type Static, Type } from 'typebox'
import {
  advanceCase,
  appealsOf,
  type Case,
  case_sides,
  type FollowedRuling,
  listCases,
  remedy_states,
  remedyOfKept,
  rulingRef,
  rulingsOf,
} from '../cases/api.ts'
import { Docket, RemedyView, RulingView, remedyView, State } from './case-input.ts'
import { type HearingHead, hearingsOf, pleadingsOf } from './case-papers.ts'
import { requirePaperReader } from './case-progress.ts'
import { PerChain } from './hearing-replay.ts'
import { docketOf } from './pleading-docket.ts'

const hearings_max = 64
const Role = described(
  OneOf(...case_sides, 'venue'),
  'Part of your organization: a side, or the venue that hears it.',
)
const Count = Type.Integer({ minimum: 0 })

export const ListInput = Closed({
  case_id: Type.Optional(described(Uuid, 'Only this case.')),
  state: Type.Optional(described(State, 'Only cases in this state now.')),
  role: Type.Optional(described(Role, 'Only cases in which your organization has this part.')),
  include_detail: Type.Optional(Type.Boolean({ default: false, description: 'Only with case_id.' })),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const Party = Closed({
  tenant_id: described(TenantId, 'Organization of the party.'),
  did: described(Did, 'DID of the party.'),
})

const Ruling = Closed({
  ruling_id: described(Hash, 'Hash of the ruling.'),
  ref: described(Ref, 'Reference to cite.'),
  finding: RulingView.properties.finding,
  in_favour_of: described(OneOf(...case_sides), 'Side that the remedy favours.'),
  remedy: Type.Optional(described(RemedyView, 'What is ordered; absent: nothing.')),
  remedy_state: Type.Optional(
    described(
      OneOf(...remedy_states),
      'PENDING until no appeal is possible; SUPERSEDED: an appeal or agreement replaced it.',
    ),
  ),
  dissent: Type.Integer({ minimum: 0, description: 'Number of outvoted arbiters.' }),
  ruled_at: described(Timestamp, 'When it was decided.'),
  registered: Type.Optional(described(Ref, 'Its entry in the registry.')),
})

const Detail = Closed({
  docket: described(Docket, 'All papers of the case.'),
  hearings: Type.Array(
    Closed({
      hearing_id: described(Hash, "Hash of the hearing's report."),
      held_by: described(Did, 'Arbiter who held it.'),
      held_at: described(Timestamp, 'When it was held.'),
      chain_verified: described(
        PerChain(Type.Boolean()),
        'For each organization, whether its records verified.',
      ),
      findings: described(Count, 'Number of findings.'),
      unproven: described(Count, 'Number of references that did not verify.'),
    }),
    { maxItems: hearings_max, description: 'Newest first.' },
  ),
})
type Detail = Static<typeof Detail>

const CaseItem = Closed({
  case_id: described(Uuid, 'Names the case in the other MOOT operations.'),
  state: State,
  roles: described(ListOf(Role, 1, 3), 'Parts of your organization.'),
  claimant: described(Party, 'Who claims.'),
  respondent: described(Party, 'Who the claim is against.'),
  filed_by: described(OneOf(...case_sides), 'Side that filed; the respondent may file an appeal.'),
  venue: described(TenantId, 'Organization where the case is heard.'),
  panel: described(ListOf(Did, 0, 5), 'Arbiters.'),
  requested_remedy: described(RemedyView, 'What the court should order.'),
  treaty_id: Type.Optional(described(Hash, 'Treaty at issue; absent: none.')),
  filed_at: described(Timestamp, 'When it was filed.'),
  plead_by: described(Timestamp, 'The respondent answers by then, or the case goes on without.'),
  answered_at: Type.Optional(described(Timestamp, 'When the respondent answered; absent: not yet.')),
  rule_by: Type.Optional(described(Timestamp, 'Arbiters vote until then; absent before a hearing.')),
  appeal_until: Type.Optional(described(Timestamp, 'An appeal may be filed until then.')),
  closed_at: Type.Optional(described(Timestamp, 'When it ended.')),
  appeal_of: Type.Optional(described(Uuid, 'Case whose ruling this one appeals.')),
  appealed_by: Type.Optional(described(Uuid, "Case that appeals this one's ruling.")),
  ruling: Type.Optional(described(Ruling, 'The decision; absent before it.')),
  detail: Type.Optional(described(Detail, 'Papers and hearings; with include_detail.')),
})
type CaseItem = Static<typeof CaseItem>

export const ListOutput = Closed({
  items: described(ListOf(CaseItem, 0, page_max), 'Cases of your organization, newest first.'),
  next_cursor,
})

export function listOwn(input: ListInput, context: OperationContext<'charter'>) {
  const { db, tenant_id, now } = context
  const { case_id, state, role } = input
  const asOf = (row: Case) => ({ ...row, state: advanceCase(row, new Date(now)).state })
  return listing(input, context, {
    own: 'the cases',
    id_form: uuid_form,
    read: (bounds) => listCases(db, tenant_id, { ...bounds, now, case_id, state, role }),
    placeOf: (row) => ({ at: row.filed_at.toISOString(), id: row.case_id }),
    isWanted: (row) => state === undefined || asOf(row).state === state,
    async view(rows) {
      const ids = rows.map((row) => row.case_id)
      const [rulings, appeals] = [await rulingsOf(db, ids), await appealsOf(db, ids)]
      return rows.map((row) =>
        caseItem(asOf(row), tenant_id, rulings.get(row.case_id), appeals.get(row.case_id)),
      )
    },
    detail: { by: 'case_id', of: (row) => papersOf(context, asOf(row)) },
  })
}

/** Reports of hearings are long and can be replayed with `hear`, so only their heads are listed. */
async function papersOf(context: OperationContext<'charter'>, dispute: Case): Promise<Detail> {
  await requirePaperReader(context, dispute)
  const { db } = context
  const pleadings = await pleadingsOf(db, dispute.case_id)
  const hearings = await hearingsOf(db, dispute.case_id, hearings_max)
  return { docket: await docketOf(db, dispute, pleadings), hearings: hearings.map(hearingView) }
}

function hearingView({ held_at, ...head }: HearingHead): Detail['hearings'][number] {
  return { ...head, held_at: held_at.toISOString() }
}

/** What all three audit logs contain. The claim and the target of a remedy are only in the documents. */
export function caseItem(
  dispute: Case,
  tenant_id: string,
  ruling: FollowedRuling | undefined,
  appealed_by: string | undefined,
): CaseItem {
  const { case_id, state, claimant, respondent, filed_by, venue, panel, requested, treaty_id, appeal_of } =
    dispute
  const sides = case_sides.filter((side) => dispute[side].tenant_id === tenant_id)
  return {
    case_id,
    state,
    roles: [...sides, ...(venue === tenant_id ? (['venue'] as const) : [])],
    claimant,
    respondent,
    filed_by,
    venue,
    panel: [...panel],
    requested_remedy: remedyView({ ...requested, target: null }),
    ...(treaty_id !== null && { treaty_id }),
    ...momentsOf(dispute),
    ...(appeal_of !== null && { appeal_of }),
    ...(appealed_by !== undefined && { appealed_by }),
    ...(ruling && { ruling: rulingItem(ruling) }),
  }
}

function momentsOf({ filed_at, plead_by, answered_at, rule_by, appeal_until, closed_at }: Case) {
  return {
    filed_at: filed_at.toISOString(),
    plead_by: plead_by.toISOString(),
    ...(answered_at && { answered_at: answered_at.toISOString() }),
    ...(rule_by && { rule_by: rule_by.toISOString() }),
    ...(appeal_until && { appeal_until: appeal_until.toISOString() }),
    ...(closed_at && { closed_at: closed_at.toISOString() }),
  }
}

function rulingItem({ ruling_id, body, mars_ref, remedy_state }: FollowedRuling): Static<typeof Ruling> {
  const { finding, in_favour_of, remedy, dissent, ruled_at } = body
  return {
    ruling_id,
    ref: rulingRef(ruling_id),
    finding,
    in_favour_of,
    ...(remedy && { remedy: remedyView(remedyOfKept(remedy)) }),
    ...(remedy_state !== null && { remedy_state }),
    dissent: dissent.length,
    ruled_at,
    ...(mars_ref !== null && { registered: mars_ref }),
  }
}
