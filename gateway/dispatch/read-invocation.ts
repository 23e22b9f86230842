// Reads POST /invoke: its headers, its body, and whether they agree.
import { AgentCapability, type HeldCapability } from '@svc/contract/authority/capability'
import { InvokeContext, type TraceContext } from '@svc/contract/invoke-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, Did, ListOf, OneOf, TenantId } from '@svc/contract/schema'
import type { Invocation } from '@svc/engine/routing/record-served'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type DispatchHeaders, traceContextOf } from './headers.ts'

const held_max = 4_096
const depth_max = 64
const ceiling_names_max = 256

/** Printable ASCII: names are written to records and logs, where nothing may be invisible. */
const name_form = /^[\x21-\x7e]{1,128}$/
const key_form = /^[\x20-\x7e]{1,255}$/

/** Closed, so that an engine's signed answer cannot be sent back as a request: both are signed alike. */
const invocation_form = Compile(
  Closed({
    operation: Type.String({ maxLength: 128 }),
    payload: Type.Unknown(),
    ctx: Closed({ ...InvokeContext.properties, tenant_id: TenantId, agent_did: Did }),
  }),
)

const trusted_metadata_form = Compile(
  Type.Object({
    held: Type.Optional(
      ListOf(
        Closed({
          ...AgentCapability.properties,
          source: OneOf('declared', 'key', 'delegation', 'treaty', 'envelope', 'role'),
          source_ref: Type.Optional(Type.String({ maxLength: 256 })),
        }),
        0,
        held_max,
      ),
    ),
    depth: Type.Optional(Type.Integer({ minimum: 0, maximum: depth_max })),
    ceilings: Type.Optional(
      ListOf(ListOf(Type.String({ maxLength: 128 }), 0, ceiling_names_max), 0, depth_max),
    ),
  }),
)

const named = ['x-svc-protocol', 'x-svc-operation', 'x-svc-version', 'x-svc-correlation-id'] as const

export type InvokeHeaders = DispatchHeaders & Partial<Record<(typeof named)[number], string>>

/** The contract's own headers besides the usual ones; a repeated one is refused. */
export function readInvokeHeaders(raw: readonly string[], headers: DispatchHeaders): InvokeHeaders {
  const all: InvokeHeaders = { ...headers }
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase() as (typeof named)[number]
    if (!named.includes(name)) continue
    if (all[name] !== undefined)
      throw invalid('duplicate header', `Header ${name} was sent twice; send it once.`)
    if (!name_form.test(raw[i + 1]!)) throw invalid('header', `Header ${name} is no name; send one.`)
    all[name] = raw[i + 1]!
  }
  return all
}

interface Trusted {
  readonly held?: HeldCapability[]
  readonly depth?: number
  readonly ceilings?: string[][]
}

type Read = Omit<Invocation, 'engine_did' | 'signal'>

export function readInvocation(value: unknown, headers: InvokeHeaders, body_bytes: number): Read {
  if (!invocation_form.Check(value)) throw misshapen(invocation_form.Errors(value), '')
  const { operation, payload, ctx } = value
  if (!trusted_metadata_form.Check(ctx.metadata))
    throw misshapen(trusted_metadata_form.Errors(ctx.metadata), '/ctx/metadata')
  const protocol = headers['x-svc-protocol']
  if (protocol === undefined) throw invalid('header', 'X-SVC-Protocol says which protocol is meant; send it.')
  if (headers['x-svc-operation'] !== operation)
    throw invalid('headers and body differ', 'X-SVC-Operation and the body name different operations.')
  if (headers['x-svc-correlation-id'] !== ctx.correlation_id)
    throw invalid('headers and body differ', 'X-SVC-Correlation-Id and ctx name different correlations.')
  const { held = [], depth = 0, ceilings } = ctx.metadata as Trusted
  const trace_context = traceContextOf(headers) ?? traceContextOf(ctx.trace_context ?? {})
  return {
    protocol,
    version: headers['x-svc-version'],
    operation,
    payload,
    context: contextOf(ctx, trace_context),
    held,
    depth,
    ceilings,
    idempotency_key: keyOf(headers),
    trace_context,
    // The operation's own limit applies to what its caller sent, not to data between engines.
    payload_bytes: Math.max(0, body_bytes - Buffer.byteLength(JSON.stringify(ctx))),
  }
}

/** As the operation sees it: without data between engines, and without what only a plugin's loader may set. */
function contextOf(ctx: InvokeContext, trace_context: TraceContext | undefined): InvokeContext {
  const { held: _, plugin_config: __, ...metadata } = ctx.metadata
  return { ...ctx, trace_context, metadata }
}

function keyOf({ 'idempotency-key': key }: InvokeHeaders): string | undefined {
  if (key === undefined || key_form.test(key)) return key
  throw invalid('idempotency key', 'An Idempotency-Key has up to 255 printable characters.')
}

function misshapen(errors: readonly { instancePath: string; message: string }[], at: string): Refusal {
  const [first] = errors
  const where = `${at}${first?.instancePath ?? ''}` || 'the request'
  return invalid(
    'envelope',
    `The request is not an invocation: ${where} ${first?.message ?? 'does not fit'}. It needs operation, payload and ctx.`,
  )
}

function invalid(reason: string, sentence: string): Refusal {
  return refuse('invalid_request', sentence, { reason })
}
