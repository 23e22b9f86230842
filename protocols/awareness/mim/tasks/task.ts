// A task: a message that expects an answer. Its content is a list of steps, each by its caller or by its agent. Pure.
import { refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, Did, described, ListOf, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { parts_max, step_bytes_max, steps_max } from './limits.ts'

export const ended_states = ['completed', 'failed', 'canceled', 'rejected'] as const
/** The agent waits for its caller. */
const interrupted_states = ['input_required', 'auth_required'] as const
export const task_states = ['submitted', 'working', ...interrupted_states, ...ended_states] as const
export type TaskState = (typeof task_states)[number]

export const State = Type.Enum([...task_states], {
  description: 'The states of A2A. completed, failed, canceled and rejected are final.',
})

const extensions = Type.Optional({
  ...ListOf(Text(256), 0, 16),
  description: 'Addresses of the A2A extensions that apply.',
})
const metadata = Type.Optional({ ...AnyObject, description: 'Whatever the parties agreed on.' })

export const Part = Closed(
  {
    text: Type.Optional(Type.String({ maxLength: step_bytes_max, description: 'A text.' })),
    raw: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9+/_-]*={0,2}$', description: 'Bytes of a file in base64.' }),
    ),
    url: Type.Optional(Text(2048, { description: 'Where a file is; the engine does not fetch it.' })),
    data: Type.Optional(Type.Unknown({ description: 'Any JSON.' })),
    media_type: Type.Optional(Text(256, { description: 'What it is, such as text/plain.' })),
    filename: Type.Optional(Text(256, { description: 'The name of the file.' })),
    metadata,
  },
  { description: 'One of text, raw, url and data.' },
)
type Part = Static<typeof Part>

const Parts = { ...ListOf(Part, 1, parts_max), description: 'The content, in order.' }

export const TaskMessage = Closed({
  message_id: Text(128, { description: 'Chosen by the sender.' }),
  parts: Parts,
  reference_task_ids: Type.Optional({
    ...ListOf(Text(128), 0, 64),
    description: 'Other tasks that the message is about.',
  }),
  extensions,
  metadata,
})
export type TaskMessage = Static<typeof TaskMessage>

const Artifact = Closed({
  artifact_id: Text(128, { description: 'Unique within the task.' }),
  name: Type.Optional(Text(256, { description: 'For people.' })),
  description: Type.Optional(Text(2000, { description: 'What it is.' })),
  parts: Parts,
  extensions,
  metadata,
})
type Artifact = Static<typeof Artifact>

const GivenArtifact = Closed({
  ...Artifact.properties,
  append: Type.Optional(Type.Boolean({ description: 'Add these parts to the artifact with this id.' })),
  last_chunk: Type.Optional(Type.Boolean({ description: 'No more parts follow.' })),
})

const Role = OneOf('user', 'agent')

/** What one party adds to a task. */
export const Step = Closed({
  n: Type.Integer({ minimum: 1, description: 'Its number within the task.' }),
  by: { ...Role, description: 'user is the caller of the task.' },
  at: described(Timestamp, 'When the step was added.'),
  state: State,
  message: Type.Optional(described(TaskMessage, 'What was said with this step.')),
  artifacts: Type.Optional({
    ...ListOf(GivenArtifact, 0, parts_max),
    description: 'Artifacts, or parts of them, that came with this step.',
  }),
  direct: Type.Optional(
    Type.Boolean({ description: 'The agent answered with a message alone, without a state.' }),
  ),
})
export type Step = Static<typeof Step>

export const Task = Closed({
  task_id: described(Uuid, 'Names the task.'),
  context_id: Text(128, { description: 'Tasks of one conversation share it.' }),
  agent_did: described(Did, 'Agent that works on it.'),
  state: State,
  created_at: described(Timestamp, 'When it was begun.'),
  changed_at: described(Timestamp, 'When its last step was added.'),
  steps: Type.Integer({ minimum: 0, description: 'How many steps it has so far.' }),
  status_message: Type.Optional({ ...TaskMessage, description: 'What the agent said with its last step.' }),
  history: Type.Optional({
    ...ListOf(Closed({ role: described(Role, 'Who sent it.'), ...TaskMessage.properties }), 0, steps_max),
    description: 'Earlier messages, oldest first.',
  }),
  artifacts: Type.Optional({ ...ListOf(Artifact, 0, parts_max), description: 'The results so far.' }),
  direct: Type.Optional(
    Type.Boolean({ description: 'The agent answered with a message alone: status_message is all there is.' }),
  ),
})
export type Task = Static<typeof Task>

export function isEnded(state: TaskState): boolean {
  return (ended_states as readonly string[]).includes(state)
}

/** Nothing happens until the caller acts: a blocking send returns then. */
export function isSettled(state: TaskState): boolean {
  return isEnded(state) || (interrupted_states as readonly string[]).includes(state)
}

/** The content of a task after these steps. The agent's last message stands beside the state, earlier ones are history. */
export function contentOf(
  steps: readonly Step[],
  history_length?: number,
): Pick<Task, 'status_message' | 'history' | 'artifacts' | 'direct'> {
  const last = steps.at(-1)
  const status_message = last?.by === 'agent' ? last.message : undefined
  const history = steps.flatMap((step) =>
    step.message && !(step === last && status_message) ? [{ role: step.by, ...step.message }] : [],
  )
  const artifacts = artifactsOf(steps)
  const newest =
    history_length === undefined ? history : history_length === 0 ? [] : history.slice(-history_length)
  return {
    ...(status_message && { status_message }),
    ...(newest.length > 0 && { history: newest }),
    ...(artifacts.length > 0 && { artifacts }),
    ...(last?.direct && artifacts.length === 0 && { direct: true }),
  }
}

function artifactsOf(steps: readonly Step[]): Artifact[] {
  const by_id = new Map<string, Artifact>()
  for (const { artifacts = [] } of steps)
    for (const { append, last_chunk: _, ...artifact } of artifacts) {
      const before = append ? by_id.get(artifact.artifact_id) : undefined
      const parts = before ? [...before.parts, ...artifact.parts].slice(0, parts_max) : artifact.parts
      by_id.set(artifact.artifact_id, { ...before, ...artifact, parts })
    }
  return [...by_id.values()].slice(0, parts_max)
}

const contents = ['text', 'raw', 'url', 'data'] as const

/** The first without exactly one content, or -1. */
export function unfitPart(parts: readonly Part[]): number {
  return parts.findIndex((part) => contents.filter((name) => part[name] !== undefined).length !== 1)
}

export function requireParts(parts: readonly Part[], pointer: string): void {
  const index = unfitPart(parts)
  if (index === -1) return
  const path = `${pointer}/${index}`
  throw refuse('invalid_payload', `${path} must have one of text, raw, url and data; send each as its own.`, {
    reason: 'content',
    path,
    faults: [{ pointer: path, message: 'must have one of text, raw, url and data' }],
  })
}
