// Advances a motion to the current time inside a call, and refuses by state.
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { advance, type Motion, type MotionState } from './motion.ts'
import { keepState, lockMotion } from './motion-store.ts'

/** Locked and up to date. */
export async function openMotion(context: OperationContext, motion_id: string): Promise<Motion> {
  const motion = await lockMotion(context.db, context.tenant_id, motion_id)
  if (!motion) throw notFound('motion', motion_id)
  const advanced = advance(motion, new Date(context.now))
  if (advanced.state === motion.state) return motion
  await keepState(context.db, motion, advanced)
  context.audit('MotionLapsed', lapseOf(motion), { also: [context.tenant_id] })
  return { ...motion, state: advanced.state }
}

/** The same facts from a call and from the sweep. */
export function lapseOf({ body, motion_hash, state }: Motion): Record<string, unknown> {
  const { motion_id, deadline_at } = body
  return {
    motion_id,
    motion_hash,
    deadline_at,
    why: state === 'CONVENED' ? 'no quorum appeared' : 'never tallied',
  }
}

export async function moveTo(context: OperationContext, motion: Motion, state: MotionState): Promise<Motion> {
  const moved = { ...motion, state }
  await keepState(context.db, moved, advance(moved, new Date(context.now)))
  return moved
}

export function requireState({ state }: Motion, action: string, needed: readonly MotionState[]): void {
  if (needed.includes(state)) return
  const allowed_states = needed.join(' or ')
  throw refuse(
    'policy_denied',
    `The motion is ${state}, and ${action} needs ${allowed_states}; convene a new one if still needed.`,
    {
      reason: `motion is ${state}; ${action} needs ${allowed_states}`,
      state,
      appeal_path: 'MACE convene',
    },
  )
}

/** The seats, and members of the convening organization. */
export function requireReader({ caller, tenant_id }: OperationContext, { body }: Motion): void {
  if (parseDid(caller.did)?.namespace === tenant_id) return
  if (!body.seats.some(({ did }) => did === caller.did)) throw notFound('motion', body.motion_id)
}
