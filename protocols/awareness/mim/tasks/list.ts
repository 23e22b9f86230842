// MIM task_list: the caller's tasks, the last changed first.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, described, ListOf, Text } from '@svc/contract/schema'
import { uuid_form } from '@svc/contract/text-form'
import { type Static, Type } from 'typebox'
import { history_length } from './get.ts'
import { counted_max, page_bytes_max } from './limits.ts'
import { bareTask, openStep, requireHome } from './read.ts'
import { contextKey } from './send.ts'
import { countTasks, listTasks, readSteps, type TaskRow } from './store.ts'
import { contentOf, State, Task } from './task.ts'

export const TaskListInput = Closed({
  agent_did: Type.Optional({ ...Did, description: 'Only tasks of this agent.' }),
  context_id: Type.Optional(Text(128, { description: 'Only tasks of this conversation.' })),
  state: Type.Optional(State),
  history_length,
  include_artifacts: Type.Optional(
    Type.Boolean({
      description: 'With artifacts. Tasks beyond 5 MiB of a page come without content; get them one by one.',
    }),
  ),
  ...page_fields,
})

export const TaskListOutput = Closed({
  items: described(ListOf(Task, 0, page_max), 'Your tasks, the last changed first.'),
  total: Type.Integer({ minimum: 0, description: `All that fit, counted up to ${counted_max}.` }),
  next_cursor,
})

export async function listOwnTasks(
  { agent_did, context_id, state, history_length, include_artifacts, ...page }: Static<typeof TaskListInput>,
  context: OperationContext<'vault'>,
): Promise<Static<typeof TaskListOutput>> {
  requireHome(context)
  const filter = {
    caller_did: context.caller.did,
    agent_did,
    state,
    context_key: context_id === undefined ? undefined : contextKey(context, context_id),
  }
  const listed = await listing(page, context, {
    id_form: uuid_form,
    read: (bounds) => listTasks(context, filter, bounds),
    placeOf: ({ changed_at, task_id }: TaskRow) => ({ at: changed_at.toISOString(), id: task_id }),
    view: (rows) => viewTasks(context, rows, history_length ?? 0, include_artifacts === true),
  })
  return { ...listed, total: await countTasks(context, filter, page.since) }
}

async function viewTasks(
  context: OperationContext<'vault'>,
  rows: readonly TaskRow[],
  length: number,
  with_artifacts: boolean,
): Promise<Task[]> {
  let bytes = 0
  const fitting = rows.filter((row) => {
    bytes += row.bytes
    return bytes <= page_bytes_max
  })
  const steps = await readSteps(
    context,
    fitting.map(({ task_id }) => task_id),
  )
  const by_task = Map.groupBy(steps, ({ task_id }) => task_id)
  return rows.map((row) => {
    const own = (by_task.get(row.task_id) ?? []).filter(({ n }) => n <= row.steps)
    const opened = own.map((step) => openStep(context.vault, step))
    const { artifacts, ...content } = contentOf(opened, length)
    return {
      ...bareTask(context.vault, row),
      ...content,
      ...(with_artifacts && artifacts && { artifacts }),
    }
  })
}
