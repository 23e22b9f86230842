// What the agents do that kits test: each kit names it in the message, by the start of its id or by the first word.
import type { Fields, Respond } from './a2a-scene.ts'

const words = (text: string) => ({ message_id: `answer ${text}`, parts: [{ text }] })
const artifact = (part: Fields, more: Fields = {}) => ({ artifact_id: 'artifact-1', parts: [part], ...more })
const file = { filename: 'output.txt', media_type: 'text/plain' }

const completedWith = (part: Fields): Fields[] => [{ state: 'completed', artifacts: [artifact(part)] }]
const streamed = (...artifacts: Fields[]): Fields[] => [
  { state: 'working' },
  ...artifacts.map((one) => ({ state: 'working', artifacts: [one] })),
  { state: 'completed' },
]

/** The first that fits; longer starts stand before shorter ones. */
const scenarios: readonly (readonly [start: string, answers: readonly Fields[]])[] = [
  ['tck-artifact-text', completedWith({ text: 'Generated text content' })],
  ['tck-artifact-file-url', completedWith({ url: 'https://example.com/output.txt', ...file })],
  ['tck-artifact-file', completedWith({ raw: Buffer.from('content').toString('base64'), ...file })],
  ['tck-artifact-data', completedWith({ data: { key: 'value', count: 42 } })],
  ['tck-message-response', [{ message: words('Direct message response') }]],
  ['tck-input-required', [{ state: 'input_required', message: words('More, please') }]],
  ['tck-reject-task', [{ state: 'rejected', message: words('rejected') }]],
  ['tck-stream-002', [{ state: 'completed' }]],
  [
    'tck-stream-artifact-file',
    streamed(artifact({ raw: Buffer.from('content').toString('base64'), ...file })),
  ],
  [
    'tck-stream-artifact-chunked',
    streamed(
      artifact({ text: 'chunk-1 ' }),
      artifact({ text: 'chunk-2' }, { append: true, last_chunk: true }),
    ),
  ],
  ['tck-stream', streamed(artifact({ text: 'Stream hello from TCK' }))],
]
const otherwise: readonly Fields[] = [{ state: 'completed', message: words('Hello from TCK') }]

export const respondToTck: Respond = async ({ body }, send) => {
  const { message_id = '' } = body.message ?? {}
  if (body.canceled) return
  const [, answers] = scenarios.find(([start]) => message_id.startsWith(start)) ?? ['', otherwise]
  for (const answer of answers) await send({ body: answer })
}

const json = { media_type: 'application/json' }
const asking = (state: string): Fields[] => [{ state, message: words('More, please') }]

/** By the first word of the text, as the package dummy-a2a names its commands; `slow` is never done. */
const commands: Readonly<Record<string, readonly Fields[]>> = {
  fail: [{ state: 'failed', message: words('A failure on purpose') }],
  reject: [{ state: 'rejected', message: words('No') }],
  ask: asking('input_required'),
  auth: asking('auth_required'),
  slow: [{ state: 'working', message: words('One step') }],
  stream: streamed(artifact({ text: 'hello' })),
  file: completedWith({ raw: Buffer.from('content').toString('base64'), ...file }),
  data: completedWith({ data: { key: 'value' }, ...json }),
  multi: [
    {
      state: 'completed',
      artifacts: ['a', 'b', 'c'].map((artifact_id) => ({ artifact_id, parts: [{ text: artifact_id }] })),
    },
  ],
}

export const respondToDummy: Respond = async ({ body }, send) => {
  if (body.canceled) return
  const text: string = body.message.parts[0].text
  const [word = '', ...rest] = text.split(' ')
  const answers = commands[word] ?? completedWith({ text: rest.join(' ') || word })
  for (const answer of answers) await send({ body: answer })
}
