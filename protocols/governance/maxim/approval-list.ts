// MAXIM approvals and approval_get: what waits for you, and what you wait for.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Uuid } from '@svc/contract/schema'
import { uuid_form } from '@svc/contract/text-form'
import { type Static, Type } from 'typebox'
import { type ApprovalRow, findApproval, listApprovals } from '../approvals/api.ts'
import {
  ApprovalItem,
  type ApprovalWhole,
  countsFor,
  itemOf,
  State,
  stateAt,
  type Viewer,
  viewerOf,
  wholeOf,
} from './approval-view.ts'

export const ApprovalsInput = Closed({
  side: Type.Optional(
    described(
      OneOf('to_decide', 'requested'),
      'Those you may decide, or those you asked for; default to_decide.',
    ),
  ),
  state: Type.Optional(described(State, 'Only those in this state now.')),
  ...page_fields,
})
type ApprovalsInput = Static<typeof ApprovalsInput>

export const ApprovalsOutput = Closed({
  items: described(ListOf(ApprovalItem, 0, page_max), 'Requests for approval, newest first.'),
  next_cursor,
})

export const ApprovalGetInput = Closed({ approval_id: described(Uuid, 'The request to show.') })

export async function listMine(input: ApprovalsInput, context: OperationContext<'authority'>) {
  const viewer = await viewerOf(context)
  const { side = 'to_decide', state } = input
  const { db, tenant_id, now } = context
  // What has just expired is still stored as it was.
  const stored = state === 'EXPIRED' ? undefined : state
  return listing(input, context, {
    id_form: uuid_form,
    read: (bounds) => listApprovals(db, tenant_id, { ...bounds, ...viewer, side, state: stored }),
    placeOf: (row) => ({ at: row.requested_at.toISOString(), id: row.approval_id }),
    isWanted: (row) => state === undefined || stateAt(row, now) === state,
    view: (rows) => rows.map((row) => itemOf(row, viewer, now)),
  })
}

export async function getApproval(
  { approval_id }: Static<typeof ApprovalGetInput>,
  context: OperationContext<'authority' | 'charter' | 'vault'>,
): Promise<ApprovalWhole> {
  const row = await findApproval(context.db, context.tenant_id, approval_id)
  const viewer = await viewerOf(context)
  if (!row || !(await maySee(row, viewer, context))) throw notFound('approval', approval_id)
  return wholeOf(row, viewer, context)
}

/** Who asked, who can decide, who decided, and charter members. */
export async function maySee(
  row: ApprovalRow,
  viewer: Viewer,
  { charter }: Pick<OperationContext<'charter'>, 'charter'>,
): Promise<boolean> {
  if (row.caller_did === viewer.did || countsFor(row, viewer).length > 0) return true
  return row.decisions.some(({ did }) => did === viewer.did) || charter.has(viewer.did)
}
