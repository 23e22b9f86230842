// What both versions of A2A have in common: tasks in the words of MIM, and how a version reads and writes them.
import { type EngineError, RpcError } from './rpc-error.ts'

/** A JSON object of a caller or of an operation's answer. */
export type Fields = Readonly<Record<string, unknown>>

export interface TaskFields extends Fields {
  readonly task_id: string
  readonly context_id: string
  readonly state: string
  readonly changed_at: string
  readonly steps: number
  readonly status_message?: Fields
  readonly history?: readonly Fields[]
  readonly artifacts?: readonly Fields[]
  readonly direct?: boolean
}

export interface StepFields extends Fields {
  readonly at: string
  readonly by: 'user' | 'agent'
  readonly state: string
  readonly message?: Fields
  readonly artifacts?: readonly Fields[]
}

export interface Sending {
  readonly message: Fields
  readonly task_id?: string | undefined
  readonly context_id?: string | undefined
  readonly history_length?: number | undefined
  readonly returns_at_once: boolean
  readonly wants_push: boolean
}

export type MethodKind =
  | 'send'
  | 'stream'
  | 'get'
  | 'list'
  | 'cancel'
  | 'subscribe'
  | 'push'
  | 'extended_card'

export interface Wire {
  readonly version: '1.0' | '0.3'
  readonly methods: ReadonlyMap<string, MethodKind>
  readParams(params: Fields): Fields
  readSending(params: Fields): Sending
  /** The answer of a send: a task, or a message. */
  answerOf(task: TaskFields, history_length?: number): unknown
  taskOf(task: TaskFields, history_length?: number): unknown
  /** The events of a stream: the first has the task, later ones have steps. */
  firstEvent(task: TaskFields): unknown
  eventsOf(task: TaskFields, step: StepFields): readonly unknown[]
  listOf(page: ListedPage): unknown
}

export interface ListedPage {
  readonly items: readonly TaskFields[]
  readonly total: number
  readonly next_cursor?: string
  readonly page_size: number
}

export type Called =
  | { readonly ok: true; readonly output: Fields }
  | { readonly ok: false; readonly error: EngineError; readonly status: number }

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Fields of these names, under their other names; empty ones are left out, as ProtoJSON does. */
export function renamed(fields: Fields, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([from, to]) => {
      const value = fields[from]
      const is_empty = value === undefined || value === null || value === ''
      return is_empty || (Array.isArray(value) && value.length === 0) ? [] : [[to, value]]
    }),
  )
}

export function inverse(names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([from, to]) => [to, from]))
}

/** How a version names things. */
interface Words {
  partOf(part: Fields): Fields
  stateOf(state: string): string
  roleOf(role: string): string
  /** In 0.3 every object says what it is. */
  tagOf(kind: string): Fields
}

const message_names = {
  message_id: 'messageId',
  extensions: 'extensions',
  reference_task_ids: 'referenceTaskIds',
  metadata: 'metadata',
}
const artifact_names = {
  artifact_id: 'artifactId',
  name: 'name',
  description: 'description',
  extensions: 'extensions',
  metadata: 'metadata',
}

export interface TaskWriter {
  messageOf(message: Fields, task: TaskFields, role: string): Fields
  taskOf(task: TaskFields, history_length?: number): Fields
  statusUpdate(task: TaskFields, step: StepFields): Fields
  artifactUpdates(task: TaskFields, step: StepFields): readonly Fields[]
}

export function taskWriter({ partOf, stateOf, roleOf, tagOf }: Words): TaskWriter {
  const partsOf = (parts: unknown) => (parts as readonly Fields[]).map(partOf)
  const artifactOf = (artifact: Fields) => ({
    ...renamed(artifact, artifact_names),
    parts: partsOf(artifact.parts),
  })
  const messageOf: TaskWriter['messageOf'] = (message, { task_id, context_id }, role) => ({
    ...tagOf('message'),
    ...renamed(message, message_names),
    contextId: context_id,
    taskId: task_id,
    role: roleOf(role),
    parts: partsOf(message.parts),
  })
  const statusOf = (task: TaskFields, state: string, at: string, message: Fields | undefined) => ({
    state: stateOf(state),
    timestamp: at,
    ...(message && { message: messageOf(message, task, 'agent') }),
  })
  return {
    messageOf,
    taskOf(task, history_length) {
      const history = newest(task.history, history_length)
      return {
        ...tagOf('task'),
        id: task.task_id,
        contextId: task.context_id,
        status: statusOf(task, task.state, task.changed_at, task.status_message),
        ...(task.artifacts && { artifacts: task.artifacts.map(artifactOf) }),
        ...(history.length > 0 && {
          history: history.map((message) => messageOf(message, task, String(message.role))),
        }),
      }
    },
    statusUpdate: (task, { by, state, at, message }) => ({
      ...tagOf('status-update'),
      taskId: task.task_id,
      contextId: task.context_id,
      status: statusOf(task, state, at, by === 'agent' ? message : undefined),
    }),
    artifactUpdates: (task, { artifacts = [] }) =>
      artifacts.map((artifact) => ({
        ...tagOf('artifact-update'),
        taskId: task.task_id,
        contextId: task.context_id,
        artifact: artifactOf(artifact),
        append: artifact.append === true,
        lastChunk: artifact.last_chunk === true,
      })),
  }
}

/** A message as sent; its form is checked by the operation it becomes the input of. */
export function readMessage(message: unknown, readPart: (part: Fields) => Fields): Fields {
  if (!isObject(message)) throw new RpcError('invalid_params', 'params.message is missing; send one.')
  const parts = Array.isArray(message.parts) ? message.parts : []
  return {
    ...renamed(message, inverse(message_names)),
    parts: parts.map((part) => (isObject(part) ? readPart(part) : {})),
  }
}

export function readLength(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new RpcError('invalid_params', 'historyLength must be a whole number from 0.')
}

/** The newest messages; all where the caller names no number. */
function newest(history: readonly Fields[] = [], length?: number): readonly Fields[] {
  if (length === undefined) return history
  return length === 0 ? [] : history.slice(-length)
}
