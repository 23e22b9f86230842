// An A2A agent made with the official SDK: what it does depends on the text it is sent.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AgentCard } from '@a2a-js/sdk'
import {
  AgentEvent,
  DefaultRequestHandler,
  defaultServerCallContextBuilder,
  type ExecutionEventBus,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type RequestContext,
} from '@a2a-js/sdk/server'

const states = { submitted: 1, working: 2, completed: 3, failed: 4, canceled: 5, input_required: 6 } as const
type State = keyof typeof states

export interface A2aAgent {
  readonly host: string
  readonly card_url: string
  /** The requests it got. */
  readonly requests: { readonly method: string; readonly headers: IncomingMessage['headers'] }[]
  /** Changed by tests. */
  readonly card: { description: string; skills: AgentCard['skills']; origin?: string }
  /** Ends the tasks that `wait` began. */
  finish(): void
  readonly canceled: string[]
  close(): Promise<void>
}

export const skill = {
  id: 'translate',
  name: 'Translate',
  description: 'Translates a text.',
  tags: [],
  examples: [],
  inputModes: [],
  outputModes: [],
  securityRequirements: [],
}

export async function startA2aAgent(): Promise<A2aAgent> {
  const requests: A2aAgent['requests'] = []
  const canceled: string[] = []
  const waiting: (() => void)[] = []
  const card: A2aAgent['card'] = { description: 'Speaks all languages.', skills: [skill] }
  let host = ''
  const cardNow = (): AgentCard => ({
    name: 'Polyglot',
    description: card.description,
    supportedInterfaces: [
      {
        url: `${card.origin ?? `http://${host}`}/rpc`,
        protocolBinding: 'JSONRPC',
        tenant: '',
        protocolVersion: '1.0',
      },
    ],
    provider: undefined,
    version: '1',
    capabilities: { streaming: false, pushNotifications: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: card.skills,
    signatures: [],
  })
  const executor = {
    execute: (context: RequestContext, bus: ExecutionEventBus) => execute(context, bus, waiting),
    async cancelTask(taskId: string, bus: ExecutionEventBus) {
      canceled.push(taskId)
      bus.publish(AgentEvent.statusUpdate(statusOf(taskId, '', 'canceled')))
      bus.finished()
    },
  }
  const rpc = new JsonRpcTransportHandler(
    new DefaultRequestHandler(cardNow(), new InMemoryTaskStore(), executor),
  )
  const server = createServer((req, res) => void serve(rpc, requests, cardNow, req, res))
  host = `127.0.0.1:${await listen(server)}`
  return {
    host,
    card_url: `http://${host}/.well-known/agent-card.json`,
    requests,
    card,
    canceled,
    finish: () => {
      for (const end of waiting.splice(0)) end()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function serve(
  rpc: JsonRpcTransportHandler,
  requests: A2aAgent['requests'],
  cardNow: () => AgentCard,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  if (req.method === 'GET') {
    requests.push({ method: 'card', headers: req.headers })
    return void res.setHeader('content-type', 'application/json').end(JSON.stringify(cardNow()))
  }
  const body = JSON.parse(Buffer.concat(chunks).toString())
  requests.push({ method: body.method, headers: req.headers })
  const context = defaultServerCallContextBuilder({
    headers: req.headers,
    requestedVersion: String(req.headers['a2a-version']),
  } as never)
  res.setHeader('content-type', 'application/json').end(JSON.stringify(await rpc.handle(body, context)))
}

const partOf = (text: string) => ({
  content: { $case: 'text' as const, value: text },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
})

function statusOf(taskId: string, contextId: string, state: State) {
  const status = { state: states[state], message: undefined, timestamp: new Date().toISOString() }
  return { taskId, contextId, status, metadata: undefined }
}

async function execute(
  { taskId, contextId, userMessage, task }: RequestContext,
  bus: ExecutionEventBus,
  waiting: (() => void)[],
): Promise<void> {
  const [part] = userMessage.parts
  const text = part?.content?.$case === 'text' ? part.content.value : ''
  const say = (state: State) => bus.publish(AgentEvent.statusUpdate(statusOf(taskId, contextId, state)))
  if (!task) {
    const { status } = statusOf(taskId, contextId, 'submitted')
    const history = [userMessage]
    bus.publish(
      AgentEvent.task({ id: taskId, contextId, status, artifacts: [], history, metadata: undefined }),
    )
  }
  say('working')
  if (text === 'wait') await new Promise<void>((resolve) => waiting.push(resolve))
  if (text === 'fail' || text === 'ask') say(text === 'fail' ? 'failed' : 'input_required')
  else {
    const artifact = { artifactId: 'a', name: 'result', description: '', parts: [partOf(`<${text}>`)] }
    bus.publish(
      AgentEvent.artifactUpdate({
        taskId,
        contextId,
        artifact: { ...artifact, metadata: undefined, extensions: [] },
        append: false,
        lastChunk: true,
        metadata: undefined,
      }),
    )
    say('completed')
  }
  bus.finished()
}
