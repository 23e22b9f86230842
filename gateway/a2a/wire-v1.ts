// A2A 1.0 over JSON-RPC: ProtoJSON of the specification's messages.
import {
  type Fields,
  inverse,
  isObject,
  type MethodKind,
  readLength,
  readMessage,
  renamed,
  taskWriter,
  type Wire,
} from './wire.ts'

const methods: ReadonlyMap<string, MethodKind> = new Map([
  ['SendMessage', 'send'],
  ['SendStreamingMessage', 'stream'],
  ['GetTask', 'get'],
  ['ListTasks', 'list'],
  ['CancelTask', 'cancel'],
  ['SubscribeToTask', 'subscribe'],
  ['CreateTaskPushNotificationConfig', 'push'],
  ['GetTaskPushNotificationConfig', 'push'],
  ['ListTaskPushNotificationConfigs', 'push'],
  ['DeleteTaskPushNotificationConfig', 'push'],
  ['GetExtendedAgentCard', 'extended_card'],
])

const part_names = {
  text: 'text',
  raw: 'raw',
  url: 'url',
  mediaType: 'media_type',
  filename: 'filename',
  metadata: 'metadata',
}

/** Text may be empty, and data null, and still be the content. */
function withNames(part: Fields, names: Readonly<Record<string, string>>): Fields {
  const { text, data } = part
  return { ...renamed(part, names), ...(text === '' && { text }), ...(data !== undefined && { data }) }
}

/** Readers of ProtoJSON accept the names of the .proto file as well. */
function camelled(fields: unknown): Fields {
  if (!isObject(fields)) return {}
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
}

const state_start = 'TASK_STATE_'

/** Undefined where it names no state. */
export function stateFrom(name: unknown): string | undefined {
  return typeof name === 'string' && name.startsWith(state_start)
    ? name.slice(state_start.length).toLowerCase()
    : undefined
}

const writer = taskWriter({
  partOf: (part) => withNames(part, inverse(part_names)),
  stateOf: (state) => state_start + state.toUpperCase(),
  roleOf: (role) => (role === 'agent' ? 'ROLE_AGENT' : 'ROLE_USER'),
  tagOf: () => ({}),
})

export const wire_v1: Wire = {
  version: '1.0',
  methods,
  readParams: camelled,
  readSending(params) {
    const message = params.message === undefined ? undefined : camelled(params.message)
    const configuration = camelled(params.configuration)
    return {
      message: readMessage(message, (part) => withNames(camelled(part), part_names)),
      ...renamed(message ?? {}, { taskId: 'task_id', contextId: 'context_id' }),
      history_length: readLength(configuration.historyLength),
      returns_at_once: configuration.returnImmediately === true,
      wants_push: isObject(configuration.taskPushNotificationConfig),
    }
  },
  answerOf: (task, history_length) =>
    task.direct && task.status_message
      ? { message: writer.messageOf(task.status_message, task, 'agent') }
      : { task: writer.taskOf(task, history_length) },
  taskOf: writer.taskOf,
  firstEvent: (task) => ({ task: writer.taskOf(task) }),
  eventsOf: (task, step) => [
    ...writer.artifactUpdates(task, step).map((artifactUpdate) => ({ artifactUpdate })),
    { statusUpdate: writer.statusUpdate(task, step) },
  ],
  listOf: ({ items, total, next_cursor = '', page_size }) => ({
    tasks: items.map((task) => writer.taskOf(task)),
    nextPageToken: next_cursor,
    pageSize: page_size,
    totalSize: total,
  }),
}
