// Mail to the seats of a council: when they are seated, called to vote, and told the result.
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import type { MotionBody } from '../motions/api.ts'

type CouncilEvent = 'seated' | 'voting_opened' | 'result' | 'withdrawn'

/** Guests have their mailbox in their own organization: they see the motion's records there. */
export function notifySeats(
  context: OperationContext<'notify'>,
  { motion_id, title, deadline_at, seats, tenant_id }: MotionBody,
  event: CouncilEvent,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const body = { type: 'council', event, motion_id, title, deadline_at, ...more }
  for (const { did } of seats)
    if (parseDid(did)?.namespace === tenant_id) context.notify(did, `mace ${motion_id} ${event}`, body)
}
