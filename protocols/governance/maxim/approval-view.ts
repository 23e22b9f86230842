// An approval as callers and deciders see it, and what somebody may do with it.
import {
  type ApprovalState,
  approval_states,
  holdsRole,
  isKin,
  kinOf,
} from '@svc/contract/authority/approval'
import { UsdText, usdText } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import {
  AnyObject,
  Closed,
  Did,
  described,
  ListOf,
  OneOf,
  TenantId,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type ApprovalRow, consentText, inputBox, type StoredDecision } from '../approvals/api.ts'

export const note_length_max = 1_000
const names_max = 16
const demands_max = 64
const decisions_max = 128

export const State = described(
  OneOf(...approval_states),
  'APPROVED: the call may be made once, then USED. EXPIRED: not decided or not used in time.',
)

const head_fields = {
  approval_id: described(Uuid, 'Names the request; the caller repeats the same call once it is approved.'),
  state: State,
  caller: described(Did, 'Who wants to make the call.'),
  caller_name: Type.Optional(Type.String({ description: 'As its own identity document says.' })),
  caller_tenant: described(TenantId, 'Organization of the caller.'),
  protocol: Type.String({ description: 'Protocol of the call.' }),
  operation: Type.String({ description: 'Operation of the call.' }),
  requested_at: described(Timestamp, 'When the call was made and stopped.'),
  decide_until: described(Timestamp, 'Without a decision it expires then.'),
  use_until: Type.Optional(
    Type.String({ ...Timestamp, description: 'Once given: it may be used until then.' }),
  ),
  cost_usd_max: Type.String({ ...UsdText, description: 'The most the call may cost.' }),
  needs: described(
    ListOf(
      Closed({
        who: Type.String({ description: 'In words.' }),
        count: Type.Integer({ minimum: 1, description: 'How many must consent.' }),
        names: described(ListOf(Type.String(), 0, names_max), 'People and roles who may consent.'),
        by: described(
          OneOf('policy', 'caveat', 'tool'),
          'What demands it: a policy, a caveat of the capability, or the tool.',
        ),
        ref: Type.String({ description: 'The policy, the capability or the tool that demands it.' }),
        given: Type.Integer({ minimum: 0, description: 'How many have consented.' }),
      }),
      0,
      demands_max,
    ),
    'Consents that are still or were needed.',
  ),
  may_decide: Type.Boolean({ description: 'Whether you can decide it now.' }),
}

export const ApprovalItem = Closed(head_fields)
export type ApprovalItem = Static<typeof ApprovalItem>

export const ApprovalWhole = Closed({
  ...head_fields,
  version: Type.String({ description: 'Version of the protocol.' }),
  target_tenant: described(TenantId, 'Organization in which the call would run.'),
  correlation_id: Type.String({ description: 'Request in whose records the stopped call is found.' }),
  input: Type.Optional(Type.Unknown({ description: 'What was asked, where it is retained.' })),
  input_hash: Type.String({ description: 'Hash of the input; only a call with this input is approved.' }),
  input_bytes: Type.Integer({ minimum: 0, description: 'Size of the input.' }),
  input_shape: Type.Record(Type.String(), Type.String(), {
    additionalProperties: false,
    description: 'Fields of the input and their kinds.',
  }),
  effects: described(
    AnyObject,
    'What the call would do by its dry run: summary, read or write, and whether it acts outside.',
  ),
  decisions: described(
    ListOf(
      Closed({
        did: described(Did, 'Who decided.'),
        name: Type.Optional(
          Type.String({ description: 'Name of who decided; absent if none is on record.' }),
        ),
        decision: described(OneOf('approve', 'refuse'), 'What was decided.'),
        at: described(Timestamp, 'When it was decided.'),
        note: Type.Optional(Text(note_length_max, { description: "The decider's own words." })),
      }),
      0,
      decisions_max,
    ),
    'Decisions made so far.',
  ),
  ended_reason: Type.Optional(Type.String({ description: 'Why it ended early; absent if it did not.' })),
  used_by: Type.Optional(Type.String({ ...Uuid, description: 'The record of the call that used it.' })),
})
export type ApprovalWhole = Static<typeof ApprovalWhole>

/** Who looks at it, as far as deciding is concerned. */
export interface Viewer {
  readonly did: string
  readonly kin: readonly string[]
  holds(role: string): boolean
  /** Of all roles that are asked for. */
  readonly roles: readonly string[]
}

const role_start = 'svc.role.'

export async function viewerOf(context: OperationContext<'authority'>): Promise<Viewer> {
  const { held } = await context.authority.ofCaller()
  const now = new Date(context.now)
  const holds = (role: string) => holdsRole(held, role, now)
  const named = held.flatMap(({ name }) =>
    name.startsWith(role_start) ? [name.slice(role_start.length)] : [],
  )
  return {
    did: context.caller.did,
    kin: kinOf(context.caller),
    holds,
    roles: [...new Set(named)].filter(holds),
  }
}

/** The demands that consent of this identity counts for, by their place; none for the caller's own. */
export function countsFor({ demands, caller_kin }: ApprovalRow, viewer: Viewer): number[] {
  if (isKin(viewer.kin, caller_kin)) return []
  return demands.flatMap(({ dids, roles }, place) =>
    dids.includes(viewer.did) || roles.some((role) => viewer.holds(role)) ? [place] : [],
  )
}

export function hasDecided({ decisions }: ApprovalRow, viewer: Viewer): boolean {
  return decisions.some(({ kin }) => isKin(kin, viewer.kin))
}

/** A row whose time is over counts as expired before the sweep has written that. */
export function stateAt({ state, use_until, decide_until }: ApprovalRow, now: string): ApprovalState {
  if (state !== 'PENDING' && state !== 'APPROVED') return state
  return (use_until ?? decide_until).getTime() <= Date.parse(now) ? 'EXPIRED' : state
}

export function itemOf(row: ApprovalRow, viewer: Viewer, now: string): ApprovalItem {
  const state = stateAt(row, now)
  const may_decide = state === 'PENDING' && countsFor(row, viewer).length > 0 && !hasDecided(row, viewer)
  return {
    approval_id: row.approval_id,
    state,
    caller: row.caller_did,
    ...(row.caller_name !== null && { caller_name: row.caller_name }),
    caller_tenant: row.caller_tenant,
    protocol: row.protocol,
    operation: row.operation,
    requested_at: row.requested_at.toISOString(),
    decide_until: row.decide_until.toISOString(),
    ...(row.use_until && { use_until: row.use_until.toISOString() }),
    cost_usd_max: usdText(BigInt(row.cost_micro_usd)),
    needs: row.demands.map((demand, place) => ({
      who: consentText(demand),
      count: demand.count,
      names: [...demand.names],
      by: demand.by,
      ref: demand.ref,
      given: row.decisions.filter(
        ({ decision, counts_for }) => decision === 'approve' && counts_for.includes(place),
      ).length,
    })),
    may_decide,
  }
}

export function wholeOf(row: ApprovalRow, viewer: Viewer, context: OperationContext<'vault'>): ApprovalWhole {
  const { input_sealed, input_key, approval_id } = row
  const box = input_sealed && input_key && { sealed: input_sealed, wrapped_key: input_key }
  return {
    ...itemOf(row, viewer, context.now),
    version: row.version,
    target_tenant: row.target_tenant,
    correlation_id: row.correlation_id,
    ...(box && { input: JSON.parse(context.vault.open(inputBox(approval_id), box).toString('utf8')) }),
    input_hash: row.input_hash,
    input_bytes: row.input_bytes,
    input_shape: { ...row.input_shape },
    effects: { ...row.effects },
    decisions: row.decisions.map((decision, place) => decisionOf(row, decision, place, context)),
    ...(row.ended_reason !== null && { ended_reason: row.ended_reason }),
    ...(row.used_by !== null && { used_by: row.used_by }),
  }
}

function decisionOf(
  { approval_id }: ApprovalRow,
  { did, name, decision, at, note }: StoredDecision,
  place: number,
  { vault }: OperationContext<'vault'>,
) {
  const box = note && {
    sealed: Buffer.from(note.sealed, 'base64'),
    wrapped_key: Buffer.from(note.key, 'base64'),
  }
  return {
    did,
    ...(name !== null && { name }),
    decision,
    at,
    ...(box && { note: vault.open(noteBox(approval_id, place), box).toString('utf8') }),
  }
}

/** The name a note is sealed under. */
export function noteBox(approval_id: string, place: number): string {
  return `approval note ${approval_id} ${place}`
}
