// MIM task_cancel: ends a task, and tells its agent.
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, described, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { notAdded, storeStep, tellTask } from './answer.ts'
import { readWhole, requireHome, requireTask, type TaskNeed } from './read.ts'
import { notify } from './send.ts'
import { Task } from './task.ts'

export const TaskCancelInput = Closed({
  task_id: described(Uuid, 'Task to cancel.'),
  agent_did: Type.Optional({ ...Did, description: 'Only if it is a task of this agent.' }),
})

export const TaskCancelOutput = Closed({ task: { ...Task, description: 'The task as it ended.' } })

/** The agent may have begun: canceled says that its answer is no longer expected. */
export async function cancelTask(
  { task_id, agent_did }: Static<typeof TaskCancelInput>,
  context: OperationContext<TaskNeed>,
): Promise<Static<typeof TaskCancelOutput>> {
  requireHome(context)
  const row = await requireTask(context, { task_id, agent_did })
  const { tenant_id } = context
  const place = { tenant_id, task_id, step_id: context.newId() }
  const party = { by: 'user', did: context.caller.did } as const
  const { outcome } = await storeStep(context, place, { state: 'canceled' }, party)
  if (outcome === 'ended' || outcome === 'full') throw notAdded(outcome)
  tellTask(context, place)
  const { task, remote } = await readWhole(context, await requireTask(context, { task_id }))
  // MAT cannot tell whoever it was passed on to: what comes of it there is not looked at any more.
  if (remote) return { task }
  await notify(context, row, { task_id, context_id: task.context_id, canceled: true })
  return { task }
}
