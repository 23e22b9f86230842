// The methods of A2A as operations of MIM.
import type { CallEngine } from './engine-call.ts'
import { requireMediaTypes } from './media-types.ts'
import { pauseBetweenLooks } from './pause.ts'
import { type EndedTask, engineRefusal, RpcError } from './rpc-error.ts'
import type { Called, Fields, ListedPage, Sending, TaskFields, Wire } from './wire.ts'
import { isObject, readLength, renamed } from './wire.ts'
import { stateFrom } from './wire-v1.ts'

export const wait_ms = 20_000
/** A blocking send answers after about four minutes, with the task as it is then: many clients give up after five. */
const waits_max = 12
const page_size_default = 50
const page_size_max = 100

export interface Exchange {
  readonly agent_did: string
  readonly wire: Wire
  readonly params: Fields
  readonly call: CallEngine
  readonly signal: AbortSignal
  readonly idempotency_key?: string | undefined
}

interface About {
  readonly is_about_task: boolean
  readonly ended: EndedTask
}

const of_task: About = { is_about_task: true, ended: 'unsupported_operation' }

function outputOf(called: Called, about: About): Fields {
  if (called.ok) return called.output
  throw engineRefusal(called.error, called.status, about)
}

function taskIn(called: Called, about: About): TaskFields {
  return outputOf(called, about).task as TaskFields
}

export function isEnded({ state }: TaskFields): boolean {
  return ['completed', 'failed', 'canceled', 'rejected'].includes(state)
}

export function isSettled(task: TaskFields): boolean {
  return isEnded(task) || ['input_required', 'auth_required'].includes(task.state)
}

export async function beginTask(exchange: Exchange, sending: Sending): Promise<TaskFields> {
  const { agent_did, call, idempotency_key } = exchange
  const { message, task_id, context_id } = sending
  if (sending.wants_push) throw noPush()
  requireMediaTypes(message)
  const input = { agent_did, message, ...(task_id && { task_id }), ...(context_id && { context_id }) }
  const called = await call({ protocol: 'MIM', operation: 'task_send', input, idempotency_key })
  return taskIn(called, { ...of_task, is_about_task: task_id !== undefined })
}

export async function sendMessage(exchange: Exchange): Promise<unknown> {
  const sending = exchange.wire.readSending(exchange.params)
  let task = await beginTask(exchange, sending)
  for (let waits = 0; !sending.returns_at_once && !isSettled(task) && waits < waits_max; waits++) {
    if (waits > 0) await pauseBetweenLooks(exchange.signal)
    if (exchange.signal.aborted) break
    task = await readTask(exchange, { task_id: task.task_id, wait_ms })
  }
  return exchange.wire.answerOf(task, sending.history_length)
}

export async function readTask({ agent_did, call }: Exchange, input: Fields): Promise<TaskFields> {
  return taskIn(
    await call({ protocol: 'MIM', operation: 'task_get', input: { agent_did, ...input } }),
    of_task,
  )
}

export async function getTask(exchange: Exchange): Promise<unknown> {
  const history_length = readLength(exchange.params.historyLength)
  return exchange.wire.taskOf(await readTask(exchange, { task_id: idIn(exchange) }), history_length)
}

export async function cancelTask(exchange: Exchange): Promise<unknown> {
  const { agent_did, call, wire } = exchange
  const input = { agent_did, task_id: idIn(exchange) }
  const called = await call({ protocol: 'MIM', operation: 'task_cancel', input })
  return wire.taskOf(taskIn(called, { is_about_task: true, ended: 'task_not_cancelable' }))
}

export async function listTasks({ agent_did, call, wire, params }: Exchange): Promise<unknown> {
  const limit = pageSizeOf(params.pageSize)
  const history_length = readLength(params.historyLength)
  const { status, statusTimestampAfter: since, includeArtifacts } = params
  const input = {
    agent_did,
    limit,
    ...renamed(params, { contextId: 'context_id', pageToken: 'cursor' }),
    ...(history_length !== undefined && { history_length }),
    ...(status ? { state: stateIn(status) } : {}),
    ...(since ? { since: momentOf(since) } : {}),
    ...(includeArtifacts === true && { include_artifacts: true }),
  }
  const page = outputOf(await call({ protocol: 'MIM', operation: 'task_list', input }), {
    ...of_task,
    is_about_task: false,
  })
  return wire.listOf({ ...(page as unknown as ListedPage), page_size: limit })
}

function pageSizeOf(value: unknown): number {
  if (value === undefined || value === null || value === 0) return page_size_default
  if (Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= page_size_max)
    return value as number
  throw new RpcError('invalid_params', `pageSize must be a whole number from 1 to ${page_size_max}.`)
}

function stateIn(status: unknown): string {
  const state = stateFrom(status)
  if (state !== undefined) return state
  throw new RpcError('invalid_params', 'status must be a state of a task, such as TASK_STATE_WORKING.')
}

/** Any form of RFC 3339 becomes the one the engine reads. */
function momentOf(text: unknown): string {
  const moment_ms = Date.parse(String(text))
  if (Number.isFinite(moment_ms)) return new Date(moment_ms).toISOString()
  throw new RpcError('invalid_params', 'statusTimestampAfter must be a time such as 2026-01-01T00:00:00Z.')
}

export function idIn({ params }: Exchange): string {
  if (typeof params.id === 'string' && params.id !== '') return params.id
  throw new RpcError('invalid_params', 'params.id is missing; name the task.')
}

export function noPush(): RpcError {
  return new RpcError(
    'push_notification_not_supported',
    'Push notifications are not supported; read the task, or subscribe to it.',
  )
}

export function requireParams(params: unknown): Fields {
  if (params === undefined || params === null) return {}
  if (isObject(params)) return params
  throw new RpcError('invalid_params', 'params must be an object.')
}
