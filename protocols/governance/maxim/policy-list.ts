// MAXIM list, an operation of our own: policies by version, and the full text of one.

import { type CedarCheck, type CedarFault, checkCedar } from '@svc/contract/authority/policy'
import { type PolicyState, policy_states, policyStateAt } from '@svc/contract/authority/policy-timeline'
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, described, Hash, ListOf, OneOf, Ref, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type ListedVersion, listVersions, PolicyVersionName } from '../policies/api.ts'
import { PolicyId } from './policy-authoring.ts'
import { requireOwn } from './policy-interpretation.ts'

const versions_told_max = 256
const faults_told_max = 256
const State = described(
  OneOf(...policy_states),
  'SCHEDULED: takes effect later. SUPERSEDED: a later version is in force. RETIRED: ended by a version.',
)

export const ListInput = Closed({
  policy_id: Type.Optional(described(PolicyId, 'Only versions of this policy.')),
  version: Type.Optional(described(PolicyVersionName, 'Only this version.')),
  state: Type.Optional(described(State, 'Only versions in this state now.')),
  include_detail: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Only with policy_id; applies to the newest matching version.',
    }),
  ),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const head_fields = {
  version: PolicyVersionName,
  ordinal: Type.Integer({ minimum: 1, description: 'Position among the versions of the policy.' }),
  state: State,
  digest: described(Hash, 'Hash of policy, version and start; the charter verdict binds it.'),
  retires: Type.Boolean({ description: 'Whether this version ends the policy.' }),
  active_from: described(Timestamp, 'When it takes effect.'),
  active_until: Type.Optional(
    Type.String({ ...Timestamp, description: 'When a later version replaces or replaced it.' }),
  ),
}

const Faults = ListOf(
  Closed({
    message: Type.String({ description: 'What is wrong.' }),
    from: Type.Optional(Type.Integer({ minimum: 0, description: 'In UTF-16 units.' })),
    to: Type.Optional(
      Type.Integer({ minimum: 0, description: 'End of the place in the text, in UTF-16 units.' }),
    ),
  }),
  0,
  faults_told_max,
)

const Detail = Closed({
  policy_body: Type.String({ description: 'The policy in Cedar; empty if it retires the policy.' }),
  validation: Closed(
    {
      policies: Type.Integer({ minimum: 0, description: 'Number of Cedar policies in the text.' }),
      faults: described(Faults, 'What makes it invalid.'),
      warnings: described(Faults, 'Possible mistakes.'),
    },
    { description: 'Validation of the text against the current schema.' },
  ),
  versions: Type.Array(Closed(head_fields), {
    maxItems: versions_told_max,
    description: 'Versions of this policy, newest first.',
  }),
})
type Detail = Static<typeof Detail>

const PolicyItem = Closed({
  policy_id: PolicyId,
  ...head_fields,
  authored_by: described(Did, 'Who enacted it.'),
  authored_at: described(Timestamp, 'When it was enacted.'),
  authority: described(Ref, 'Verdict that authorized it.'),
  rationale: Type.Optional(Type.String({ description: "Why, in its author's words." })),
  characters: Type.Integer({ minimum: 0, description: 'Length of the text.' }),
  detail: Type.Optional(described(Detail, 'Text, validation and versions; with include_detail.')),
})
type PolicyItem = Static<typeof PolicyItem>

export const ListOutput = Closed({
  items: described(ListOf(PolicyItem, 0, page_max), 'Versions of policies, newest first.'),
  next_cursor,
})

export function listOwn(input: ListInput, context: OperationContext<'compute' | 'policies'>) {
  requireOwn(context)
  const { policy_id, version, state, include_detail: with_body = false } = input
  const { db, tenant_id, now } = context
  const at_ms = Date.parse(now)
  return listing(input, context, {
    id_form: /^[a-z0-9._-]{1,96}@\d{9}$/,
    read: (bounds) => listVersions(db, tenant_id, { ...bounds, policy_id, version, with_body }),
    placeOf: (row) => ({ at: row.authored_at.toISOString(), id: placeId(row) }),
    isWanted: (row) => state === undefined || stateOf(row, at_ms) === state,
    view: (rows) => rows.map((row) => policyItem(row, at_ms)),
    detail: {
      by: 'policy_id',
      async of(row) {
        const every = { since: null, before: null, limit: versions_told_max, policy_id }
        const versions = await listVersions(db, tenant_id, every)
        return policyDetail(row, versions, await checkCedar(context, row.body), at_ms)
      },
    },
  })
}

function placeId({ policy_id, ordinal }: ListedVersion): string {
  return `${policy_id}@${String(ordinal).padStart(9, '0')}`
}

/** Same code as stage 4: of all later versions only the first to replace it matters. */
export function stateOf(row: ListedVersion, at_ms: number): PolicyState {
  const own = { ...row, active_from_ms: row.active_from.getTime() }
  const next = row.next && { ...own, ...row.next, active_from_ms: Date.parse(row.next.active_from) }
  return policyStateAt(own, next ? [next] : [], at_ms)
}

function headOf(row: ListedVersion, at_ms: number) {
  const { version, ordinal, digest, retires, active_from, next } = row
  return {
    version,
    ordinal,
    state: stateOf(row, at_ms),
    digest,
    retires,
    active_from: active_from.toISOString(),
    ...(next && { active_until: new Date(next.active_from).toISOString() }),
  }
}

export function policyItem(row: ListedVersion, at_ms: number): PolicyItem {
  const { policy_id, authored_by, authored_at, authority, rationale, characters } = row
  return {
    policy_id,
    ...headOf(row, at_ms),
    authored_by,
    authored_at: authored_at.toISOString(),
    authority,
    ...(rationale !== null && { rationale }),
    characters,
  }
}

export function policyDetail(
  row: ListedVersion,
  versions: readonly ListedVersion[],
  { policies, faults, warnings }: CedarCheck,
  at_ms: number,
): Detail {
  const shownFaults = (cedar_faults: readonly CedarFault[]) =>
    cedar_faults.slice(0, faults_told_max).map((fault) => ({ ...fault }))
  return {
    policy_body: row.body,
    validation: { policies, faults: shownFaults(faults), warnings: shownFaults(warnings) },
    versions: versions.map((version) => headOf(version, at_ms)),
  }
}
