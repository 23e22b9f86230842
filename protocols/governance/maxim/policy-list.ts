// MAXIM list, an operation of our own: policies by version, and the full text of one.

import { type CedarCheck, type CedarFault, checkCedar } from '@svc/contract/authority/policy'
import { type PolicyState, policy_states, policyStateAt } from '@svc/contract/authority/policy-timeline'
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, Hash, ListOf, OneOf, Ref, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type ListedVersion, listVersions, PolicyVersionName } from '../policies/api.ts'
import { PolicyId } from './policy-authoring.ts'
import { requireOwn } from './policy-interpretation.ts'

const versions_told_max = 256
const faults_told_max = 256
const State = OneOf(...policy_states)

export const ListInput = Closed({
  policy_id: Type.Optional(PolicyId),
  version: Type.Optional(PolicyVersionName),
  state: Type.Optional(State),
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
  digest: Hash,
  retires: Type.Boolean(),
  active_from: Timestamp,
  active_until: Type.Optional(
    Type.String({ ...Timestamp, description: 'When a later version replaces or replaced it.' }),
  ),
}

const Faults = ListOf(
  Closed({
    message: Type.String(),
    from: Type.Optional(Type.Integer({ minimum: 0, description: 'In UTF-16 units.' })),
    to: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  0,
  faults_told_max,
)

const Detail = Closed({
  policy_body: Type.String(),
  rationale: Type.Optional(Type.String()),
  validation: Closed(
    { policies: Type.Integer({ minimum: 0 }), faults: Faults, warnings: Faults },
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
  authored_by: Did,
  authored_at: Timestamp,
  authority: Ref,
  characters: Type.Integer({ minimum: 0 }),
  detail: Type.Optional(Detail),
})
type PolicyItem = Static<typeof PolicyItem>

export const ListOutput = Closed({ items: ListOf(PolicyItem, 0, page_max), next_cursor })

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
  const { policy_id, authored_by, authored_at, authority, characters } = row
  return {
    policy_id,
    ...headOf(row, at_ms),
    authored_by,
    authored_at: authored_at.toISOString(),
    authority,
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
    ...(row.rationale !== null && { rationale: row.rationale }),
    validation: { policies, faults: shownFaults(faults), warnings: shownFaults(warnings) },
    versions: versions.map((version) => headOf(version, at_ms)),
  }
}
