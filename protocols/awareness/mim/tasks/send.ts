// MIM task_send: begins a task or adds to one, and leaves its message in the agent's mailbox.
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, Did, Text, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { deliver } from '../mail-send.ts'
import { notAdded, storeStep, task_content_type, tellTask, threadOf } from './answer.ts'
import { kept_days, open_tasks_max } from './limits.ts'
import { contextName, readWhole, requireHome, requireTask, type TaskNeed, type TaskRows } from './read.ts'
import { passOn, routeOf, type Sent } from './remote.ts'
import { hasTooMany, insertTask, type TaskRow } from './store.ts'
import { isEnded, requireParts, Task, TaskMessage } from './task.ts'

const ttl_ms = kept_days * 86_400_000

export const TaskSendInput = Closed({
  agent_did: { ...Did, description: 'The registered agent that shall do it.' },
  message: { ...TaskMessage, description: 'What the agent is asked.' },
  task_id: Type.Optional({ ...Uuid, description: 'Adds the message to this task, which has not ended.' }),
  context_id: Type.Optional(
    Text(128, { description: 'The conversation it belongs to; a new one where absent.' }),
  ),
})
type TaskSendInput = Static<typeof TaskSendInput>

export const TaskSendOutput = Closed({ task: { ...Task, description: 'The task with this message.' } })

export async function sendTask(
  input: TaskSendInput,
  context: OperationContext<TaskNeed>,
): Promise<Static<typeof TaskSendOutput>> {
  requireHome(context)
  requireParts(input.message.parts, '/message/parts')
  const tool_id = await routeOf(context, input.agent_did, input.task_id === undefined)
  if (tool_id !== undefined)
    return { task: await passOn(context, tool_id, (rows) => addMessage(input, rows)) }
  const { row, task } = await addMessage(input, context)
  const { task_id, context_id } = task
  tellTask(context, { tenant_id: context.tenant_id, task_id })
  await notify(context, row, { task_id, context_id, message: input.message })
  return { task }
}

/** Begins the task where there is none yet. */
async function addMessage(input: TaskSendInput, context: TaskRows): Promise<Sent> {
  const task_id = input.task_id ?? (await begin(input, context))
  const row = await requireTask(context, { task_id, agent_did: input.agent_did })
  requireOpen(row, input, context)
  const place = { tenant_id: context.tenant_id, task_id, step_id: context.newId() }
  const added = { state: 'submitted', message: input.message } as const
  const { outcome } = await storeStep(context, place, added, { by: 'user', did: context.caller.did })
  if (outcome === 'ended' || outcome === 'full') throw notAdded(outcome)
  return { row, ...(await readWhole(context, await requireTask(context, { task_id }))) }
}

/** The agent receives it like any mail, and answers to `reply_to` in the same thread. */
export async function notify(
  context: OperationContext<TaskNeed>,
  { task_id, agent_did }: TaskRow,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const thread_id = threadOf(task_id)
  const letter = {
    to: agent_did,
    body,
    content_type: task_content_type,
    thread_id,
    ordering_key: thread_id,
    reply_to: context.caller.did,
    ttl_ms,
  }
  await deliver({ input: letter }, context)
}

async function begin({ agent_did, context_id }: TaskSendInput, context: TaskRows): Promise<string> {
  if (await hasTooMany(context, context.caller.did)) throw tooMany()
  const task_id = context.newId()
  const conversation = context_id ?? context.newId()
  await insertTask(context, {
    task_id,
    caller_did: context.caller.did,
    agent_did,
    context: context.vault.seal(contextName(task_id), conversation),
    context_key: contextKey(context, conversation),
    at: context.now,
  })
  return task_id
}

export function contextKey({ vault }: Pick<TaskRows, 'vault'>, context_id: string): string {
  return vault.blind(`task context ${context_id}`)
}

function requireOpen(row: TaskRow, { context_id }: TaskSendInput, context: TaskRows): void {
  if (isEnded(row.state)) throw notAdded('ended')
  if (context_id === undefined || contextKey(context, context_id) === row.context_key) return
  throw refuse(
    'invalid_payload',
    'context_id is not that of the task; leave it out, or name the right one.',
    {
      reason: 'other context',
      faults: [{ pointer: '/context_id', message: 'is not that of the task' }],
    },
  )
}

function tooMany(): Refusal {
  return refuse(
    'policy_denied',
    `You have ${open_tasks_max} tasks that have not ended, which is the most; cancel some, or wait for their answers.`,
    { reason: 'too many open tasks', denying_policy: 'MIM open tasks' },
  )
}
