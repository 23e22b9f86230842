// A2A 0.3 over JSON-RPC: the same tasks, with `kind` in every object and lower-case states.
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
  ['message/send', 'send'],
  ['message/stream', 'stream'],
  ['tasks/get', 'get'],
  ['tasks/cancel', 'cancel'],
  ['tasks/resubscribe', 'subscribe'],
  ['tasks/pushNotificationConfig/set', 'push'],
  ['tasks/pushNotificationConfig/get', 'push'],
  ['tasks/pushNotificationConfig/list', 'push'],
  ['tasks/pushNotificationConfig/delete', 'push'],
  ['agent/getAuthenticatedExtendedCard', 'extended_card'],
])

const file_names = { bytes: 'raw', uri: 'url', mimeType: 'media_type', name: 'filename' }
const unfinished: readonly string[] = ['submitted', 'working']

function readPart(part: Fields): Fields {
  const { kind, text, data, file } = part
  const metadata = renamed(part, { metadata: 'metadata' })
  if (kind === 'text') return { text, ...metadata }
  if (kind === 'data') return { data, ...metadata }
  if (kind === 'file' && isObject(file)) return { ...renamed(file, file_names), ...metadata }
  return {}
}

function partOf(part: Fields): Fields {
  const metadata = renamed(part, { metadata: 'metadata' })
  if (part.text !== undefined) return { kind: 'text', text: part.text, ...metadata }
  if (part.data !== undefined) return { kind: 'data', data: dataOf(part.data), ...metadata }
  return { kind: 'file', file: renamed(part, inverse(file_names)), ...metadata }
}

/** Data was always an object in 0.3. */
function dataOf(data: unknown): Fields {
  return isObject(data) ? data : { value: data }
}

const writer = taskWriter({
  partOf,
  stateOf: (state) => state.replace('_', '-'),
  roleOf: (role) => role,
  tagOf: (kind) => ({ kind }),
})

export const wire_v03: Wire = {
  version: '0.3',
  methods,
  readParams: (params) => params,
  readSending(params) {
    const message = isObject(params.message) ? params.message : {}
    const configuration = isObject(params.configuration) ? params.configuration : {}
    return {
      message: readMessage(params.message, readPart),
      ...renamed(message, { taskId: 'task_id', contextId: 'context_id' }),
      history_length: readLength(configuration.historyLength),
      returns_at_once: configuration.blocking === false,
      wants_push: isObject(configuration.pushNotificationConfig),
    }
  },
  answerOf: (task, history_length) =>
    task.direct && task.status_message
      ? writer.messageOf(task.status_message, task, 'agent')
      : writer.taskOf(task, history_length),
  taskOf: writer.taskOf,
  firstEvent: (task) => writer.taskOf(task),
  eventsOf: (task, step) => [
    ...writer.artifactUpdates(task, step),
    { ...writer.statusUpdate(task, step), final: !unfinished.includes(step.state) },
  ],
  listOf: ({ items }) => items.map((task) => writer.taskOf(task)),
}
