// Streams of a task as server-sent events. Each look at the task is a call of its own, so a revoked key ends its streams.
import type { ServerResponse } from 'node:http'
import { refuse } from '@svc/contract/refusal'
import type { Credential } from '@svc/engine/call'
import { beginTask, type Exchange, idIn, isEnded, isSettled, readTask, wait_ms } from './methods.ts'
import { pauseBetweenLooks, untilRead } from './pause.ts'
import { engineRefusal, RpcError } from './rpc-error.ts'
import type { StepFields, TaskFields } from './wire.ts'

/** An hour of silence; then the client subscribes again. */
const looks_max = 180
const retry_after_ms = 1_000
const streams_max = 512
const streams_of_tenant_max = 128
const streams_of_caller_max = 32

export interface Streams {
  /** A slot for one stream, to be released; refuses where there are too many. */
  enter(caller: Pick<Credential, 'did' | 'tenant_id'>): () => void
}

/** Counted by who calls, not by key: whoever has many keys, or renews a token, is still one caller. */
export function openStreams(): Streams {
  const open = new Set<Pick<Credential, 'did' | 'tenant_id'>>()
  return {
    enter({ did, tenant_id }) {
      const slot = { did, tenant_id }
      const of_tenant = [...open].filter((each) => each.tenant_id === tenant_id)
      const own = of_tenant.filter((each) => each.did === did)
      const is_free = open.size < streams_max && of_tenant.length < streams_of_tenant_max
      if (!is_free || own.length >= streams_of_caller_max)
        throw refuse('rate_limited', 'Too many streams of tasks are open; close some, or try again.', {
          reason: 'too many streams',
          retry_after_ms,
        })
      open.add(slot)
      return () => void open.delete(slot)
    },
  }
}

export interface EventStream {
  readonly res: ServerResponse
  /** Headers of the answer, sent with the first event. */
  readonly headers: Readonly<Record<string, string>>
  /** Wraps a result or an error in the answer to this request. */
  envelope(answer: { readonly result: unknown } | { readonly error: unknown }): string
  isStopping(): boolean
}

/** The first event is the task; a refusal before it is thrown, and answered without a stream. */
export async function streamMessage(exchange: Exchange, stream: EventStream): Promise<void> {
  const task = await beginTask(exchange, exchange.wire.readSending(exchange.params))
  await follow(exchange, stream, task, isSettled)
}

export async function subscribe(exchange: Exchange, stream: EventStream): Promise<void> {
  const task = await readTask(exchange, { task_id: idIn(exchange), history_length: 0 })
  if (isEnded(task))
    throw new RpcError('unsupported_operation', 'The task has ended, so nothing follows; read it instead.')
  await follow(exchange, stream, task, isEnded)
}

async function follow(
  exchange: Exchange,
  stream: EventStream,
  first: TaskFields,
  isOver: (task: TaskFields) => boolean,
): Promise<void> {
  const { wire, signal } = exchange
  const { res } = stream
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...stream.headers,
  })
  let task = first
  await write(stream, { result: wire.firstEvent(task) })
  for (let looks = 0; !isOver(task) && looks < looks_max; looks++) {
    const steps = await nextSteps(exchange, task)
    if (signal.aborted || stream.isStopping()) break
    if (steps instanceof RpcError) {
      await write(stream, { error: steps })
      break
    }
    task = steps.task
    for (const step of steps.new_steps)
      for (const event of wire.eventsOf(task, step)) await write(stream, { result: event })
    if (steps.new_steps.length > 0) looks = 0
    else {
      res.write(': nothing new\n\n')
      await pauseBetweenLooks(signal)
    }
  }
  res.end()
}

interface NextSteps {
  readonly task: TaskFields
  readonly new_steps: readonly StepFields[]
}

async function nextSteps(
  { agent_did, call }: Exchange,
  { task_id, steps }: TaskFields,
): Promise<NextSteps | RpcError> {
  const input = { agent_did, task_id, after: steps, wait_ms, history_length: 0 }
  const called = await call({ protocol: 'MIM', operation: 'task_get', input })
  if (called.ok) return called.output as unknown as NextSteps
  return engineRefusal(called.error, called.status, { is_about_task: true, ended: 'unsupported_operation' })
}

/** A client that does not read is waited for, so that nothing piles up here. */
async function write({ res, envelope }: EventStream, answer: Parameters<EventStream['envelope']>[0]) {
  if (res.destroyed || res.write(`data: ${envelope(answer)}\n\n`)) return
  await untilRead(res)
}
