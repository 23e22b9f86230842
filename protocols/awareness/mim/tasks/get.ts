// MIM task_get: a task as it is, or as soon as it has changed.
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, described, ListOf, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { taskTopic } from './answer.ts'
import { steps_max } from './limits.ts'
import { readWhole, requireHome, requireTask, type TaskNeed, type WholeTask } from './read.ts'
import { lookAtRemote } from './remote.ts'
import { isSettled, Step, Task } from './task.ts'

/** Change notifications may be lost, so waiting also polls. */
const look_again_ms = 5_000
const looks_max = 1_000

export const history_length = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: steps_max,
    description: 'At most this many of the newest messages in history. Default all.',
  }),
)

export const TaskGetInput = Closed({
  task_id: described(Uuid, 'Task to read.'),
  agent_did: Type.Optional({ ...Did, description: 'Only if it is a task of this agent.' }),
  history_length,
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: steps_max,
      description: 'Also return the steps after this one, and wait for one with wait_ms.',
    }),
  ),
  wait_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 20_000,
      description:
        'How long to wait for a step, or without after until the agent is done or needs something.',
    }),
  ),
})
type TaskGetInput = Static<typeof TaskGetInput>

export const TaskGetOutput = Closed({
  task: described(Task, 'The task as it is now.'),
  new_steps: Type.Optional({ ...ListOf(Step, 0, steps_max), description: 'The steps after the one named.' }),
})

export async function getTask(
  input: TaskGetInput,
  context: OperationContext<TaskNeed>,
): Promise<Static<typeof TaskGetOutput>> {
  requireHome(context)
  const { task, steps } = await lookOrWait(input, context)
  const { after } = input
  return { task, ...(after !== undefined && { new_steps: steps.filter(({ n }) => n > after) }) }
}

/** Each look is its own transaction, and none is open while waiting. */
async function lookOrWait(input: TaskGetInput, context: OperationContext<TaskNeed>): Promise<WholeTask> {
  const { task_id, wait_ms = 0, after } = input
  const { tenant_id, caller, vault } = context
  const read = () =>
    context.apart(async ({ db }) => {
      const rows = { db, tenant_id, caller, vault }
      return readWhole(rows, await requireTask(rows, input), input.history_length)
    })
  // Of a task that was passed on the engine hears nothing by itself.
  const look = async () => {
    const whole = await read()
    const changed = await lookAtRemote(context, whole)
    return changed && changed.steps > whole.task.steps ? read() : whole
  }
  const isDue = ({ task }: WholeTask) => (after === undefined ? isSettled(task.state) : task.steps > after)
  const leave = wait_ms > 0 ? context.mail.wait(tenant_id) : undefined
  if (!leave) return look()
  const listening = context.change_notifications.listen(taskTopic(tenant_id, task_id))
  try {
    let whole = await look()
    for (let looks = 1; !isDue(whole) && looks < looks_max; looks++) {
      const left_ms = wait_ms - listening.elapsed_ms()
      if (left_ms <= 0) break
      await listening.wait(Math.min(left_ms, look_again_ms), context.signal)
      if (context.signal.aborted) break
      whole = await look()
    }
    return whole
  } finally {
    listening.close()
    leave()
  }
}
