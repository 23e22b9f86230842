// tools/call: resolves a tool name to an operation and calls the engine, which decides whether the caller may.
import {
  type CallToolResult,
  type ServerContext,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
} from '@modelcontextprotocol/server'
import { nearest } from '@svc/sdk/nearest'
import type { ToolEngine } from './engine.ts'
import type { KnownTools } from './known-tools.ts'
import { call_tool, search_tool } from './meta-tools.ts'
import { progressTo } from './progress.ts'
import { ownRefusal, resultOf } from './results.ts'
import { searchFault, searchTools } from './search.ts'
import { isWithin, type Offer, offersOf, type ToolRow } from './tools.ts'

/** The engine accepts bodies of 6 MiB, including the envelope. */
const arguments_bytes_max = 6 * 1024 * 1024 - 64 * 1024

/** The context of one request. */
export interface Calling {
  readonly engine: ToolEngine
  readonly tools: KnownTools
  readonly categories: readonly string[]
  readonly context: ServerContext
}

export interface Called {
  readonly result: CallToolResult
  /** The output schema announced for the result. */
  readonly schema?: Readonly<Record<string, unknown>>
}

type Arguments = Readonly<Record<string, unknown>>

export async function callTool(calling: Calling, name: string, args: Arguments): Promise<Called> {
  if (name === search_tool.name) return { result: await search(calling, args) }
  if (name === call_tool.name) return await callByName(calling, args)
  const { tool, refused } = await findTool(calling, name)
  if (!tool) return { result: refused }
  return { result: await callOperation(calling, tool, args), schema: tool.outputSchema }
}

async function callByName(calling: Calling, args: Arguments): Promise<Called> {
  const { name, arguments: inner = {}, ...more } = args
  const fits = typeof name === 'string' && isObject(inner) && Object.keys(more).length === 0
  if (!fits || name === call_tool.name) {
    const message = 'svc.call_tool takes the name of another tool and an object with its arguments.'
    return { result: ownRefusal('invalid_payload', message, 'wrong arguments') }
  }
  const { result } = await callTool(calling, name, inner)
  // Any tool may be called, so no output schema was announced.
  return { result }
}

/** All tools of the engine, with their descriptions and whether this caller may call them. */
export async function offersFor({ engine, tools }: Pick<Calling, 'engine' | 'tools'>, signal?: AbortSignal) {
  const { operations } = await engine.whoami(signal)
  return offersOf(operations, await tools.of(operations, signal))
}

async function search(calling: Calling, args: Arguments): Promise<CallToolResult> {
  const { categories, context } = calling
  const all = await offersFor(calling, context.mcpReq.signal)
  const offers = all.filter(({ tool }) => isWithin(tool, categories))
  const fault = searchFault(args, offers)
  if (fault !== undefined) return ownRefusal('invalid_payload', fault, 'wrong arguments')
  return resultOf({ ok: true, output: searchTools(offers, args), metadata: {} })
}

type Target = Pick<ToolRow, 'protocol' | 'operation' | 'version' | 'outputSchema'>
type Lookup = { tool: Target; refused?: undefined } | { tool?: undefined; refused: CallToolResult }

const tool_form = /^svc\.([a-z]{1,32})\.([a-z][a-z0-9_.]{0,127})$/

/** Resolves a tool name, or returns the refusal. Only unknown names are sent to the engine. */
async function findTool(calling: Calling, name: string): Promise<Lookup> {
  const { tools, categories, context } = calling
  const tool_row = tools.find(name)
  const offers = tool_row ? [] : await offersFor(calling, context.mcpReq.signal)
  const tool = tool_row ?? offers.find((offer) => offer.tool.name === name)?.tool
  if (tool && isWithin(tool, categories)) return { tool }
  if (tool || categories.length > 0) {
    const message = `This server is limited to ${categories.join(', ')}, and ${name.slice(0, 128)} is not among them.`
    return { refused: ownRefusal('unknown_operation', message, 'outside the categories') }
  }
  const [, protocol, operation] = tool_form.exec(name) ?? []
  // Unknown tools go to the engine, so that the refusal is recorded in the audit log.
  if (protocol && operation) return { tool: { protocol: protocol.toUpperCase(), operation } }
  return { refused: noTool(name, offers) }
}

function noTool(name: string, offers: readonly Offer[]): CallToolResult {
  const near = nearest(name, [search_tool.name, ...offers.map(({ tool }) => tool.name)])
  const meant = near === undefined ? 'find tools with svc.search_tools.' : `did you mean ${near}?`
  const message = `There is no tool ${name.slice(0, 128)}; ${meant}`
  return ownRefusal('unknown_operation', message, 'unknown tool')
}

async function callOperation(
  { engine, context }: Calling,
  { protocol, operation, version }: Target,
  input: Arguments,
): Promise<CallToolResult> {
  const { signal, _meta = {} } = context.mcpReq
  const { 'svc/idempotency_key': idempotency_key, 'svc/correlation_id': correlation_id } = _meta
  if (idempotency_key !== undefined && !isKey(idempotency_key)) {
    const message = '_meta["svc/idempotency_key"] must be a string of 1 to 255 printable ASCII characters.'
    return ownRefusal('invalid_request', message, 'bad idempotency key')
  }
  if (bytesOf(input) > arguments_bytes_max) {
    const message = `The arguments are larger than ${arguments_bytes_max} bytes, or nested too deeply; send less.`
    return ownRefusal('payload_too_large', message, 'arguments too large')
  }
  const onProgress = progressTo(context)
  const answer = await engine.call({
    protocol,
    operation,
    ...(version === undefined ? {} : { version }),
    input,
    signal,
    ...(idempotency_key === undefined ? {} : { idempotency_key }),
    ...(isUuid(correlation_id) ? { correlation_id } : {}),
    ...traceOf(_meta),
    ...(onProgress ? { onProgress } : {}),
  })
  return resultOf(answer)
}

const traceparent_form = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
/** Printable, because it becomes a header. */
const tracestate_form = /^[\t\x20-\x7e]{1,512}$/
const uuid_form = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const key_form = /^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/

/** An invalid trace is replaced, as W3C requires. */
function traceOf(_meta: Readonly<Record<string, unknown>>): { traceparent?: string; tracestate?: string } {
  const { [TRACEPARENT_META_KEY]: traceparent, [TRACESTATE_META_KEY]: tracestate } = _meta
  if (typeof traceparent !== 'string' || !traceparent_form.test(traceparent)) return {}
  const usable = typeof tracestate === 'string' && tracestate_form.test(tracestate)
  return usable ? { traceparent, tracestate } : { traceparent }
}

/** Any other value is dropped, because it would become a header; the engine then creates an id. */
function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuid_form.test(value)
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && key_form.test(value)
}

function isObject(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Infinity if it cannot be serialized, e.g. because deep nesting exhausts the stack. */
function bytesOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value))
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
