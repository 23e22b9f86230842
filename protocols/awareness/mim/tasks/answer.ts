// An agent's answer to a task: a message to its caller in the task's thread becomes a step of the task instead of mail.
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, ListOf } from '@svc/contract/schema'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { uuid_form } from '@svc/contract/text-form'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Mailbox } from '../mail-address.ts'
import { type Written, wrong } from '../mail-letter.ts'
import type { Posted } from '../mail-store.ts'
import { parts_max, step_bytes_max } from './limits.ts'
import { addStep, type Stepped } from './store.ts'
import { requireParts, State, Step, TaskMessage, unfitPart } from './task.ts'

const thread_start = 'task:'
export const task_content_type = 'application/a2a+json'

const Answer = Closed({
  state: Type.Optional(State),
  message: Type.Optional(TaskMessage),
  artifacts: Type.Optional(ListOf(Step.properties.artifacts.items, 0, parts_max)),
})
const answer_form = Compile(Answer)

/** What a party adds, before it has a place. */
export type Added = Pick<Step, 'state' | 'message' | 'artifacts' | 'direct'> & {
  readonly remote?: RemoteTask
}

/** Where the task was passed on to, and under which ids. Not shown to its caller. */
export interface RemoteTask {
  readonly tool_id: string
  readonly task_id?: string | undefined
  readonly context_id?: string | undefined
}

export function threadOf(task_id: string): string {
  return `${thread_start}${task_id}`
}

export function taskTopic(tenant_id: string, task_id: string): string {
  return `task/${tenant_id}/${task_id}`
}

export function stepName(task_id: string, step_id: string): string {
  return `task/${task_id}/${step_id}`
}

type Context = Pick<OperationContext<'mail'>, 'db' | 'mail' | 'now'>

/** Undefined where the thread is no task of this recipient with this sender: then it is mail. */
export async function answerTask(
  written: Written,
  context: OperationContext<'mail' | 'change_notifications'>,
  mailbox: Mailbox,
): Promise<Posted | undefined> {
  const task_id = written.thread_id?.startsWith(thread_start) && written.thread_id.slice(thread_start.length)
  if (!task_id || !uuid_form.test(task_id)) return undefined
  const step_id = context.newId()
  const added = readAnswer(written, step_id)
  const { tenant_id } = mailbox
  const agent = { by: 'agent', did: context.caller.did } as const
  const { outcome, place } = await storeStep(context, { tenant_id, task_id, step_id }, added, agent)
  if (outcome === 'added') tellTask(context, { tenant_id, task_id })
  if (outcome === 'none') return undefined
  if (outcome !== 'added') throw notAdded(outcome)
  return { outcome: 'sent', kept_id: step_id, kept_seq: place! }
}

interface Place {
  readonly tenant_id: string
  readonly task_id: string
  readonly step_id: string
}

export async function storeStep(
  context: Context,
  { tenant_id, task_id, step_id }: Place,
  { state, ...content }: Added,
  party: { readonly by: Step['by']; readonly did: string },
): Promise<Stepped> {
  const text = canonicalJson(content)
  const bytes = Buffer.byteLength(text)
  if (bytes > step_bytes_max) throw tooLarge(bytes)
  return addStep(context.db, {
    tenant_id,
    task_id,
    step_id,
    state,
    by_agent: party.by === 'agent',
    party_did: party.did,
    bytes,
    at: context.now,
    ...context.mail.vaultOf(tenant_id).seal(stepName(task_id, step_id), text),
  })
}

export function tellTask(
  context: OperationContext<'change_notifications'>,
  { tenant_id, task_id }: Pick<Place, 'tenant_id' | 'task_id'>,
): void {
  context.afterCommit(async () => context.change_notifications.tell(taskTopic(tenant_id, task_id)))
}

/** A plain body is the result; the form of tasks can also say how far the agent is. */
function readAnswer({ body, content_type, encrypted }: Written, step_id: string): Added {
  if (encrypted)
    throw wrong('/encrypted', 'cannot answer a task: its caller reads it through the engine', 'content')
  if (content_type === task_content_type) return readForm(body)
  const type = content_type?.split(';', 1)[0]
  const is_json = type === undefined || type === 'application/json' || type.endsWith('+json')
  const media = content_type === undefined ? {} : { media_type: content_type }
  const part =
    typeof body === 'string' && (type === undefined || type.startsWith('text/'))
      ? { text: body, ...media }
      : is_json
        ? { data: body, ...media }
        : { raw: body as string, ...media }
  return { state: 'completed', artifacts: [{ artifact_id: step_id, parts: [part] }] }
}

function readForm(body: unknown): Added {
  if (!answer_form.Check(body)) {
    const [first] = answer_form.Errors(body)
    throw wrong(`/body${first?.instancePath ?? ''}`, first?.message ?? 'does not fit', 'content')
  }
  const { state, message, artifacts }: Static<typeof Answer> = body
  if (!state && !message && !artifacts)
    throw wrong('/body', 'says nothing; send state, message or artifacts', 'content')
  if (message) requireParts(message.parts, '/body/message/parts')
  for (const [index, { parts }] of (artifacts ?? []).entries())
    requireParts(parts, `/body/artifacts/${index}/parts`)
  const is_direct = state === undefined && artifacts === undefined
  return {
    state: state ?? (is_direct ? 'completed' : 'working'),
    ...(message && { message }),
    ...(artifacts && { artifacts }),
    ...(is_direct && { direct: true }),
  }
}

/** Whether an agent here could have answered the same. */
export function isAnswer({ state, message, artifacts = [] }: Added): boolean {
  const lists = [...(message ? [message.parts] : []), ...artifacts.map(({ parts }) => parts)]
  const content = { state, artifacts, ...(message && { message }) }
  return answer_form.Check(content) && lists.every((parts) => unfitPart(parts) === -1)
}

export function notAdded(outcome: 'ended' | 'full'): Refusal {
  if (outcome === 'ended')
    return refuse('invalid_payload', 'The task has ended, so nothing can be added to it; send a new one.', {
      reason: 'task ended',
    })
  return refuse('policy_denied', 'The task holds all the steps or bytes it may hold; send a new one.', {
    reason: 'task full',
    denying_policy: 'MIM task size',
  })
}

function tooLarge(bytes: number): Refusal {
  return refuse(
    'invalid_payload',
    `One step of a task may have ${step_bytes_max} bytes, and this has ${bytes}; send less, or a reference to it.`,
    { reason: 'too_large', size: bytes, bytes_max: step_bytes_max },
  )
}
