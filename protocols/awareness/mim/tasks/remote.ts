// Tasks of agents that answer elsewhere: passed on as a call of MAT, as this caller, if the organization approved the agent there.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, Refusal } from '@svc/contract/refusal'
import { approvedTools, findServers } from '../../../execution/mat/api.ts'
import { findPage } from '../../registry/api.ts'
import { type Added, isAnswer, type RemoteTask, storeStep, taskTopic } from './answer.ts'
import { readWhole, requireTask, type TaskNeed, type TaskRows, type WholeTask } from './read.ts'
import type { TaskRow } from './store.ts'
import { isEnded, isSettled, type Task, task_states } from './task.ts'

/** An answer that comes this soon is part of the send's own; later ones are read by task_get. */
const first_ms = 2_000
const look_ms = 5_000

export interface Sent extends WholeTask {
  readonly row: TaskRow
}

type Context = OperationContext<TaskNeed>

interface Endpoint {
  readonly kind: string
  readonly url: string
  readonly protocols: readonly string[]
}

/** The tool that speaks for this agent; undefined where it has a mailbox only. Refuses agents that the caller may not see. */
export async function routeOf(
  context: Context,
  agent_did: string,
  is_new: boolean,
): Promise<string | undefined> {
  const { tenant_id, vault } = context
  return context.apart(async ({ db }) => {
    const { entries } = await findPage(
      within(context, db),
      { subject: agent_did, kind: 'agent', versions: 'current' },
      1,
    )
    // A task that was begun goes on after its agent was withdrawn.
    if (!entries[0] && is_new) throw notFound('agent', agent_did)
    const endpoints = (entries[0]?.body.content.service_endpoints ?? []) as readonly Endpoint[]
    const urls = endpoints.flatMap(({ kind, url, protocols }) =>
      kind === 'a2a' || protocols.includes('a2a') ? [url] : [],
    )
    if (urls.length === 0) return undefined
    const servers = await findServers({ db, tenant_id })
    const server = servers.find(
      ({ transport, state, url }) => transport === 'a2a' && state === 'active' && urls.includes(url ?? ''),
    )
    const tools = server ? await approvedTools({ db, tenant_id, vault }) : []
    const tool = tools.find(({ server_id }) => server_id === server?.id)
    return tool && `a2a:${tool.server_id}/${tool.definition.name}`
  })
}

/** The message is committed before it is passed on, and no transaction is open meanwhile. */
export async function passOn(
  context: Context,
  tool_id: string,
  addMessage: (rows: TaskRows) => Promise<Sent>,
): Promise<Task> {
  const { task, remote, steps } = await context.apart(({ db }) => addMessage(within(context, db)))
  const { parts } = steps.at(-1)!.message!
  const { task_id, context_id } = remote ?? {}
  const ids = task_id === undefined ? {} : { task_id, ...(context_id !== undefined && { context_id }) }
  return ask(context, task, { tool_id, ...ids }, { parts, ...ids }, first_ms)
}

/** How far the other side is, unless it waits for its caller or has ended; undefined where the task was not passed on. */
export async function lookAtRemote(context: Context, { task, remote }: WholeTask): Promise<Task | undefined> {
  if (remote?.task_id === undefined || isSettled(task.state)) return undefined
  try {
    return await ask(context, task, remote, { task_id: remote.task_id }, look_ms)
  } catch (error) {
    // The next look may succeed; until then the task is as it was.
    if (error instanceof Refusal && error.row.retry !== 'never') return undefined
    throw error
  }
}

async function ask(
  context: Context,
  task: Task,
  remote: RemoteTask,
  args: Readonly<Record<string, unknown>>,
  timeout_ms: number,
): Promise<Task> {
  const call = { tool_id: remote.tool_id, arguments: args, timeout_ms }
  try {
    const output = (await context.call('MAT', 'tool', call)) as { readonly structured?: RemoteAnswer }
    return await keep(context, task, answerOf(output.structured, remote, context.newId()))
  } catch (error) {
    // The caller gets the refusal; the task says that nothing more comes of it. Without an id there, it could never be looked at.
    if (error instanceof Refusal && (error.row.retry === 'never' || remote.task_id === undefined))
      await keep(context, task, { state: 'failed' })
    throw error
  }
}

type Parts = NonNullable<Added['message']>['parts']

interface RemoteAnswer {
  readonly task_id?: string
  readonly context_id?: string
  readonly state: string
  readonly message?: Parts
  readonly artifacts?: readonly { readonly artifact_id?: string; readonly parts: Parts }[]
}

const unfit = 'The agent answered, but with what a task cannot hold.'

/** What it says is bounded like the answer of an agent here: content that no task may have would make this one unreadable. */
function answerOf(structured: RemoteAnswer | undefined, remote: RemoteTask, id: string): Added {
  const added = structured && asAdded(structured, remote, id)
  if (added && isAnswer(added)) return added
  return { state: 'failed', message: { message_id: id, parts: [{ text: unfit }] } }
}

/** An unknown state is none: then it is still at work. */
function asAdded(structured: RemoteAnswer, remote: RemoteTask, id: string): Added {
  const { task_id, context_id, message = [], artifacts = [] } = structured
  const whole = artifacts.filter(({ parts }) => parts.length > 0)
  const is_direct = task_id === undefined && remote.task_id === undefined && message.length > 0
  return {
    state: task_states.find((name) => name === structured.state) ?? 'working',
    remote: {
      tool_id: remote.tool_id,
      task_id: task_id ?? remote.task_id,
      context_id: context_id ?? remote.context_id,
    },
    ...(message.length > 0 && { message: { message_id: id, parts: message } }),
    ...(whole.length > 0 && {
      artifacts: whole.map((artifact, index) => ({
        ...artifact,
        artifact_id: artifact.artifact_id ?? `artifact-${index + 1}`,
      })),
    }),
    ...(is_direct && { direct: true }),
  }
}

/** A look that brings nothing new adds nothing. */
async function keep(context: Context, task: Task, added: Added): Promise<Task> {
  const { tenant_id } = context
  const { task_id, agent_did } = task
  const place = { tenant_id, task_id, step_id: context.newId() }
  const kept_task = await context.apart(async ({ db }) => {
    const rows = within(context, db)
    const before = await readWhole(rows, await requireTask(rows, { task_id }))
    const last = before.steps.at(-1)
    const is_same = last?.by === 'agent' && last.state === added.state
    if (is_same || isEnded(before.task.state)) return before.task
    const agent = { by: 'agent', did: agent_did } as const
    const { outcome } = await storeStep(rows, place, added, agent)
    if (outcome === 'full') await storeStep(rows, place, { state: 'failed' }, agent)
    return (await readWhole(rows, await requireTask(rows, { task_id }))).task
  })
  context.change_notifications.tell(taskTopic(tenant_id, task_id))
  return kept_task
}

/** In a transaction of its own. */
function within(context: Context, db: Context['db']): TaskRows {
  const { tenant_id, caller, now, mail, vault, telemetry } = context
  return {
    db,
    tenant_id,
    caller,
    now,
    mail,
    vault,
    telemetry,
    newId: () => context.newId(),
    alarm: (...words) => context.alarm(...words),
  }
}
