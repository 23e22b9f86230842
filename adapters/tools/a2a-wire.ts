// What an A2A agent says and is told, in either version of the protocol. Everything it says is untrusted data.
import { asPlainData } from './plain-data.ts'

type Fields = Readonly<Record<string, unknown>>

export interface AgentAddress {
  readonly url: string
  readonly version: '1.0' | '0.3'
}

export interface Skill {
  readonly id: string
  readonly description: string
}

/** The state of a task and its results, as far as the agent has said. */
export interface AgentAnswer {
  readonly task_id?: string
  readonly context_id?: string
  readonly state: string
  readonly message?: readonly Fields[]
  readonly artifacts?: readonly Fields[]
}

export const methods = {
  '1.0': { send: 'SendMessage', get: 'GetTask', cancel: 'CancelTask' },
  '0.3': { send: 'message/send', get: 'tasks/get', cancel: 'tasks/cancel' },
} as const

const state_start = 'TASK_STATE_'
const skill_chars_max = 4_000
const list_max = 256

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const listIn = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.slice(0, list_max).filter(isFields) : []
const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.toWellFormed() : undefined

/** JSON-RPC, the newest version first; undefined where the agent offers neither. */
export function addressIn(card: Fields): AgentAddress | undefined {
  const offered = listIn(card.supportedInterfaces)
    .filter(({ protocolBinding }) => protocolBinding === 'JSONRPC')
    .flatMap(({ url, protocolVersion }): AgentAddress[] => {
      const version = versionOf(protocolVersion)
      return typeof url === 'string' && version ? [{ url, version }] : []
    })
  const best = offered.find(({ version }) => version === '1.0') ?? offered[0]
  if (best) return best
  const { url, preferredTransport = 'JSONRPC' } = card
  return typeof url === 'string' && preferredTransport === 'JSONRPC' ? { url, version: '0.3' } : undefined
}

function versionOf(text: unknown): AgentAddress['version'] | undefined {
  if (typeof text !== 'string') return undefined
  if (/^1(\.0)?(\.\d+)?$/.test(text)) return '1.0'
  return /^0\.3(\.\d+)?$/.test(text) ? '0.3' : undefined
}

/** The agent's own words belong to what is approved: if they change, the approval ends. */
export function skillsIn(card: Fields): Skill[] {
  const about = [card.name, card.description].filter((text) => typeof text === 'string').join(': ')
  return listIn(card.skills).flatMap(({ id, name, description }): Skill[] => {
    if (typeof id !== 'string') return []
    const words = [about, [name, description].filter((text) => typeof text === 'string').join(': ')]
    return [{ id, description: words.join('\n').slice(0, skill_chars_max).toWellFormed() }]
  })
}

export interface Wish {
  readonly message_id: string
  readonly skill: string
  readonly text?: string | undefined
  readonly data?: unknown
  readonly parts?: unknown
  readonly task_id?: string | undefined
  readonly context_id?: string | undefined
}

/** The agent answers at once with a task, which is then looked at until it is settled. */
export function sendingOf(version: AgentAddress['version'], wish: Wish): Fields {
  const is_old = version === '0.3'
  const { text, data } = wish
  const own = [...(text === undefined ? [] : [{ text }]), ...(data === undefined ? [] : [{ data }])]
  const parts = [...own, ...listIn(wish.parts)].map(is_old ? partOfOld : partOfNew)
  const message = {
    ...(is_old && { kind: 'message' }),
    messageId: wish.message_id,
    role: is_old ? 'user' : 'ROLE_USER',
    parts,
    metadata: { skill: wish.skill },
    ...(wish.task_id !== undefined && { taskId: wish.task_id }),
    ...(wish.context_id !== undefined && { contextId: wish.context_id }),
  }
  return { message, configuration: is_old ? { blocking: false } : { returnImmediately: true } }
}

function partOfNew(part: Fields): Fields {
  const { text, data, raw, url, media_type, filename } = part
  const mediaType = media_type ?? (data === undefined ? undefined : 'application/json')
  return definedOnly({ text, data, raw, url, mediaType, filename })
}

function partOfOld(part: Fields): Fields {
  const { text, data, raw: bytes, url: uri, media_type: mimeType, filename: name } = part
  if (text !== undefined) return { kind: 'text', text }
  if (data !== undefined) return { kind: 'data', data }
  return { kind: 'file', file: definedOnly({ bytes, uri, mimeType, name }) }
}

/** Undefined where it is neither a task nor a message. */
export function answerIn(result: unknown): AgentAnswer | undefined {
  if (!isFields(result)) return undefined
  const { task = result, message } = result
  if (isFields(message)) return { state: 'completed', message: partsIn(message) }
  if (!isFields(task)) return undefined
  if (task.kind === 'message' || (task.parts !== undefined && task.status === undefined))
    return { state: 'completed', message: partsIn(task) }
  const { status } = task
  const task_id = textIn(task.id)
  if (!isFields(status) || typeof status.state !== 'string' || task_id === undefined) return undefined
  const context_id = textIn(task.contextId)
  return {
    task_id,
    ...(context_id !== undefined && { context_id }),
    state: stateOf(status.state),
    ...(isFields(status.message) && { message: partsIn(status.message) }),
    artifacts: listIn(task.artifacts).map(artifactOf),
  }
}

function stateOf(name: string): string {
  const word = name.startsWith(state_start) ? name.slice(state_start.length) : name
  return word.toLowerCase().replaceAll('-', '_').toWellFormed()
}

function artifactOf(artifact: Fields): Fields {
  const { artifactId, name, description } = artifact
  const words = { artifact_id: textIn(artifactId), name: textIn(name), description: textIn(description) }
  return { ...definedOnly(words), parts: partsIn(artifact) }
}

function partsIn({ parts }: Fields): Fields[] {
  return listIn(parts).map(partOf)
}

/** Both versions in the form of MIM: text, data, or a file as bytes or address. */
function partOf(part: Fields): Fields {
  const file = isFields(part.file) ? part.file : {}
  const named = {
    text: typeof part.text === 'string' ? part.text : undefined,
    data: part.data,
    raw: textIn(part.raw) ?? textIn(file.bytes),
    url: textIn(part.url) ?? textIn(file.uri),
    media_type: textIn(part.mediaType) ?? textIn(file.mimeType),
    filename: textIn(part.filename) ?? textIn(file.name),
  }
  return asPlainData(definedOnly(named)) as Fields
}

function definedOnly(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
