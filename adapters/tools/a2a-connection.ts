// An A2A agent as a tool server: its skills are tools, and a call is a message whose task is waited for.
import { setTimeout as pause } from 'node:timers/promises'
import type { ToolAnswer, ToolCall, ToolDefinition, ToolServer, ToolWait } from '@svc/contract/foreign/tools'
import { addressGuard } from '../outbound/address-guard.ts'
import {
  type AgentAddress,
  type AgentAnswer,
  addressIn,
  answerIn,
  isFields,
  methods,
  sendingOf,
  skillsIn,
} from './a2a-wire.ts'
import { type GuardedFetch, guardedFetch } from './guarded-fetch.ts'
import { findSecret, type ServerSettings } from './server-access.ts'
import { pinnable, type ToolConnection, tools_max } from './tool-connection.ts'
import { ToolFault } from './tool-failure.ts'

const answer_bytes_max = 4 * 1024 * 1024
const connect_ms_max = 15_000
const cancel_ms_max = 2_000
/** The first look comes soon; later ones wait twice as long, up to this. */
const look_ms_min = 100
const look_ms_max = 2_000
const unsettled: readonly string[] = ['submitted', 'working', 'unspecified']
const failed: readonly string[] = ['failed', 'rejected', 'canceled']
/** Errors that say that nothing was begun: no such method, bad parameters, and those of A2A about what was asked. */
const not_begun: readonly number[] = [-32601, -32602, -32700, -32600, -32001, -32004, -32005, -32008, -32009]

const text_form = { type: 'string', minLength: 1 }
const input_schema = {
  type: 'object',
  properties: {
    text: { ...text_form, description: 'What the agent is asked.' },
    data: { type: 'object', description: 'Structured input, beside or instead of text.' },
    parts: {
      type: 'array',
      minItems: 1,
      maxItems: 256,
      items: { type: 'object' },
      description: 'More content: each has text, data, raw (base64) or url, and media_type and filename.',
    },
    task_id: {
      ...text_form,
      description: 'A task of an earlier answer: adds to it, or alone reads how far it is.',
    },
    context_id: { ...text_form, description: 'The conversation of an earlier answer.' },
  },
  minProperties: 1,
  additionalProperties: false,
}

interface Line {
  newId(): string
  readonly http: GuardedFetch
  readonly card_url: URL
  readonly headers: Readonly<Record<string, string>>
}

/** Only after `accessRefusal` allowed it. */
export async function openAgent(
  server: ToolServer,
  settings: ServerSettings,
  newId: () => string,
): Promise<ToolConnection> {
  const card_url = new URL(server.url!)
  const guard = addressGuard(settings.allowed_networks)
  const http = guardedFetch(card_url, { guard, ca: settings.tls?.authorities }, answer_bytes_max)
  const headers = { ...findSecret(settings, server, card_url)?.headers }
  const line: Line = { newId, http, card_url, headers }
  let is_closed = false
  const close = async () => {
    is_closed = true
    http.close()
  }
  try {
    let { address } = await readCard(line, AbortSignal.timeout(connect_ms_max))
    return {
      async list({ timeout_ms, signal }: ToolWait) {
        const card = await readCard(line, within(timeout_ms, signal))
        address = card.address
        return card.tools
      },
      call: (call) => callSkill(line, address, call),
      get is_closed() {
        return is_closed
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function within(timeout_ms: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)])
}

interface Card {
  readonly address: AgentAddress
  readonly tools: readonly ToolDefinition[]
}

async function readCard(line: Line, signal: AbortSignal): Promise<Card> {
  const card = await request(line, line.card_url.href, { method: 'GET' }, '1.0', signal)
  const address = isFields(card) ? addressIn(card) : undefined
  if (!isFields(card) || !address) throw unreadable('its card names no JSON-RPC interface of A2A 1.0 or 0.3')
  // The secret headers are for this host only, and so is the permission of the operator.
  if (URL.parse(address.url)?.origin !== line.card_url.origin)
    throw unreadable('its card names an address on another host')
  const tools = new Map<string, ToolDefinition>()
  for (const { id: name, description } of skillsIn(card).slice(0, tools_max)) {
    const definition = pinnable({ name, description, inputSchema: input_schema })
    if (definition && !tools.has(name)) tools.set(name, definition)
  }
  return { address, tools: [...tools.values()] }
}

async function callSkill(line: Line, address: AgentAddress, call: ToolCall): Promise<ToolAnswer> {
  const { parts, ...words } = call.arguments
  const { text, data, task_id, context_id } = words as Readonly<Record<string, string | undefined>>
  const limit = AbortSignal.timeout(call.timeout_ms)
  const signal = AbortSignal.any([call.signal, limit])
  const names = methods[address.version]
  const is_look = text === undefined && data === undefined && parts === undefined && task_id !== undefined
  const wish = { message_id: line.newId(), skill: call.name, text, data, parts, task_id, context_id }
  let answer = is_look
    ? await ask(line, address, names.get, { id: task_id }, signal)
    : await ask(line, address, names.send, sendingOf(address.version, wish), signal)
  let look_ms = look_ms_min
  while (answer.task_id !== undefined && unsettled.includes(answer.state)) {
    await pause(look_ms, undefined, { signal }).catch(() => undefined)
    if (call.signal.aborted) {
      await cancel(line, address, answer.task_id)
      throw new ToolFault('late', 'the caller left', 'unknown', call.signal.reason)
    }
    // The task goes on: its id lets the caller look again.
    if (limit.aborted) break
    look_ms = Math.min(look_ms * 2, look_ms_max)
    const look = ask(line, address, names.get, { id: answer.task_id }, signal)
    answer = await look.catch((error: unknown) => {
      if (limit.aborted && !call.signal.aborted) return answer
      throw error
    })
  }
  return asToolAnswer(answer)
}

async function cancel(line: Line, address: AgentAddress, id: string): Promise<void> {
  const { cancel: method } = methods[address.version]
  await ask(line, address, method, { id }, AbortSignal.timeout(cancel_ms_max)).catch(() => undefined)
}

function asToolAnswer(answer: AgentAnswer): ToolAnswer {
  const { message = [], artifacts = [], state } = answer
  const parts = [...artifacts.flatMap((artifact) => artifact.parts as readonly object[]), ...message]
  const content = parts.flatMap((part) =>
    'text' in part && typeof part.text === 'string' ? [{ type: 'text', text: part.text }] : [],
  )
  return { content, structured: answer, is_error: failed.includes(state) }
}

async function ask(
  line: Line,
  { url, version }: AgentAddress,
  method: string,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<AgentAnswer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await request(line, url, { method: 'POST', body }, version, signal)
  if (!isFields(reply)) throw unreadable('its answer is not JSON-RPC')
  if (isFields(reply.error)) {
    const code = Number.isSafeInteger(reply.error.code) ? (reply.error.code as number) : 0
    const performed = not_begun.includes(code) ? 'no' : 'unknown'
    throw new ToolFault('answered', `it answered with the JSON-RPC error ${code}`, performed, reply.error)
  }
  const answer = readAnswer(reply.result)
  if (!answer) throw unreadable('its answer is neither a task nor a message')
  return answer
}

function readAnswer(result: unknown): AgentAnswer | undefined {
  try {
    return answerIn(result)
  } catch (error) {
    throw unreadable(`its answer cannot be read: ${(error as Error).message}`)
  }
}

async function request(
  { http, headers }: Line,
  url: string,
  init: { readonly method: string; readonly body?: string },
  version: AgentAddress['version'],
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const response = await http.fetch(url, {
      ...init,
      signal,
      headers: {
        ...headers,
        accept: 'application/json',
        'a2a-version': version,
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
      },
    })
    const text = await response.text()
    if (!response.ok && !text.startsWith('{')) throw unreadable(`it answered with HTTP ${response.status}`)
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof ToolFault) throw error
    if (error instanceof SyntaxError) throw unreadable('its answer is not JSON')
    if (signal.aborted) throw new ToolFault('late', 'it did not answer in time', 'unknown', error)
    const code = (error as NodeJS.ErrnoException).code
    const fault = typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'no connection'
    throw new ToolFault('broken', fault, 'unknown', error)
  }
}

function unreadable(fault: string): ToolFault {
  return new ToolFault('answered', fault, 'unknown', undefined)
}
