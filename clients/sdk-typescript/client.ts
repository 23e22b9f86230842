import { protocols } from '../../generated/sdk-operations.ts'
import type { Catalogue } from '../../generated/sdk-types.ts'
import { type Answer, answerOf, type DryRun, dryRunOf, type Whoami, whoamiOf } from './answer.ts'
import { withApproval } from './approval.ts'
import type { CallOptions } from './call-options.ts'
import { refusalOf, SvcError } from './errors.ts'
import { type KeyClient, keyClient } from './key-changes.ts'
import { nameOperations, type ProtocolClients, refuseUnknownProtocols } from './named-operations.ts'
import type { Request } from './request.ts'
import { repeat, type Sleep, wait } from './retry.ts'
import { askEvents, askJson, openWire, type Wire } from './send.ts'
import { type ClientSettings, resolveSettings } from './settings.ts'

/** A protocol of the catalogue, or any other of an engine. */
export type ProtocolName = keyof Catalogue | (string & {})
/** The operations of a protocol of the catalogue; of any other, any. */
export type OperationName<P> = P extends keyof Catalogue ? keyof Catalogue[P] & string : string
type Shape<P, O> = P extends keyof Catalogue
  ? O extends keyof Catalogue[P]
    ? Catalogue[P][O]
    : never
  : never
/** The input of an operation; any if it is not in the catalogue. */
export type InputOf<P, O> = Shape<P, O> extends { input: infer Input } ? Input : unknown
/** The output of an operation; unknown if it is not in the catalogue. */
export type OutputOf<P, O> = Shape<P, O> extends { output: infer Output } ? Output : unknown

/** An event of a stream: any number of `progress`, then one `result`. A refusal is thrown. */
export type StreamEvent<Output = unknown> =
  | { readonly event: 'progress'; readonly data: Record<string, unknown> }
  | { readonly event: 'result'; readonly answer: Answer<Output> }

/** The methods of a client for any operation of any protocol. */
export interface DispatchClient {
  /**
   * Calls an operation, including a plugin's, and returns its output with metadata. Input and
   * output are typed for the catalogue's protocols; for another version, widen the name to `string`.
   */
  dispatch<P extends ProtocolName, O extends OperationName<P>>(
    protocol: P,
    operation: O,
    input: InputOf<P, O>,
    options?: CallOptions,
  ): Promise<Answer<OutputOf<P, O>>>
  /** The same, with progress while it runs. Never retried. */
  stream<P extends ProtocolName, O extends OperationName<P>>(
    protocol: P,
    operation: O,
    input: InputOf<P, O>,
    options?: CallOptions,
  ): AsyncGenerator<StreamEvent<OutputOf<P, O>>, void, undefined>
  /** Checks a call stage by stage without executing it. */
  dryRun<P extends ProtocolName, O extends OperationName<P>>(
    protocol: P,
    operation: O,
    input: InputOf<P, O>,
    options?: CallOptions,
  ): Promise<DryRun>
  /** The caller's identity and permissions. */
  whoami(options?: CallOptions): Promise<Whoami>
}

/** A client of one engine: `dispatch` and related methods, changes of keys, and every operation of the catalogue by name. */
export type Client = DispatchClient & KeyClient & ProtocolClients

/** Settings and injected dependencies of a client. */
export interface ClientOptions extends ClientSettings {
  /** Replaces the platform's `fetch`, e.g. to use a proxy. */
  fetch?: typeof globalThis.fetch
  /** Headers sent with every request. */
  headers?: Readonly<Record<string, string>>
  /** Returns the trace of a call that names none itself. */
  traceparent?: () => string | undefined
  /** The default of every call. */
  timeoutMs?: number
  /** The default of every call. */
  retry?: boolean
  /** Waits between attempts; replaceable in tests. */
  sleep?: Sleep
}

/**
 * A client of one engine. Settings come from the arguments, then the environment, then `~/.svc/config.json`;
 * without them it throws here, not at the first call.
 *
 * @example
 * ```ts
 * import { createClient } from '@svc/sdk'
 *
 * const client = createClient()
 * const { records } = await client.max.audit_query({ outcome: 'refused', limit: 10 })
 * const { output, metadata } = await client.dispatch('MAX', 'audit_log_entry', {
 *   event_type: 'custom.shift_started',
 *   meta: { shift: 'night' },
 * })
 * console.log(records.length, output.stored_event_type, metadata.replayed)
 * ```
 *
 * ```output
 * … custom.shift_started false
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  const { headers, fetch = (...args) => globalThis.fetch(...args) } = options
  const wire = openWire({ settings: resolveSettings(options), fetch, ...(headers ? { headers } : {}) })
  const calls = callsOver(wire, options)
  const named = nameOperations(async (...args) => (await calls.dispatch(...args)).output)
  return refuseUnknownProtocols({
    ...calls,
    ...keyClient({ ...wire, macs: named.macs, prove: calls.whoami }),
    ...named,
  })
}

function callsOver(wire: Wire, options: ClientOptions): DispatchClient {
  const { sleep = wait } = options
  const withDefaults = (call: CallOptions): CallOptions => {
    const { timeoutMs, retry, traceparent } = options
    const given_options = Object.entries(call).filter(([, value]) => value !== undefined)
    return { timeoutMs, retry, traceparent: traceparent?.(), ...Object.fromEntries(given_options) }
  }
  const read = <Result>(send: () => Promise<Result>, call: CallOptions) =>
    call.retry === false ? send() : repeat(send, sleep, call.signal)
  const { tenant_id } = wire.settings
  const approvalState =
    ({ timeoutMs, signal }: CallOptions) =>
    (approval_id: string, decided_in: string) =>
      decided_in === tenant_id
        ? stateOf(wire, approval_id, { timeoutMs, signal })
        : Promise.resolve(undefined)

  return {
    async dispatch(protocol, operation, input, options = {}) {
      const call = withDefaults(options)
      const request = requestOf({ protocol, operation, input, tenant_id }, call)
      const send = async () => answerOf<never>(await askJson(wire, request, call))
      const sendOnce = () => (isRead(protocol, operation, call.version) ? read(send, call) : send())
      const { waitForApprovalMs: within_ms = 0, signal } = call
      if (within_ms <= 0) return await sendOnce()
      return await withApproval(sendOnce, { within_ms, sleep, signal, stateOf: approvalState(call) })
    },
    async *stream(protocol, operation, input, options = {}) {
      const call = withDefaults(options)
      const request = requestOf({ protocol, operation, input, tenant_id }, call, {
        accept: 'text/event-stream',
      })
      yield* streamed(wire, request, call)
    },
    async dryRun(protocol, operation, input, options = {}) {
      const call = withDefaults(options)
      const dry = { 'x-svc-dry-run': 'true' }
      const request = requestOf({ protocol, operation, input, tenant_id }, call, dry)
      return dryRunOf(await askJson(wire, { ...request, changes: false }, call))
    },
    async whoami(options = {}) {
      const call = withDefaults(options)
      const { traceparent, tracestate } = call
      const request: Request = {
        method: 'GET',
        path: '/v1/whoami',
        headers: { traceparent, tracestate },
        changes: false,
      }
      return await read(async () => whoamiOf(await askJson(wire, request, call)), call)
    },
  }
}

/** Undefined where it cannot be read: then repeating the call tells it. */
async function stateOf(wire: Wire, approval_id: string, call: CallOptions): Promise<string | undefined> {
  const { tenant_id } = wire.settings
  const question = { protocol: 'MAXIM', operation: 'approval_get', input: { approval_id }, tenant_id }
  try {
    const { output } = answerOf<{ state: string }>(await askJson(wire, requestOf(question, call), call))
    return output.state
  } catch (error) {
    if (error instanceof SvcError) return undefined
    throw error
  }
}

interface CallRequest {
  readonly protocol: string
  readonly operation: string
  readonly input: unknown
  readonly tenant_id: string
}

function requestOf(
  request: CallRequest,
  call: CallOptions,
  more: Readonly<Record<string, string>> = {},
): Request {
  const { protocol, operation, input, tenant_id } = request
  const version = call.version ?? versionOf(protocol)
  const envelope = { protocol, version, operation, input, tenant_id: call.tenantId ?? tenant_id }
  const { idempotencyKey, correlationId, traceparent, tracestate, waitForAudit } = call
  return {
    method: 'POST',
    path: '/v1/dispatch',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
      'x-correlation-id': correlationId,
      traceparent,
      tracestate,
      prefer: waitForAudit ? 'wait=audit' : undefined,
      ...more,
    },
    body: asJson(envelope),
    changes: idempotencyKey === undefined && !isRead(protocol, operation, call.version),
  }
}

function asJson(envelope: { readonly protocol: string; readonly operation: string }): string {
  try {
    return JSON.stringify(envelope)
  } catch (cause) {
    const { protocol, operation } = envelope
    const why = (cause as Error).message
    const message = `The input of ${protocol} ${operation} cannot be written as JSON (${why}).`
    throw new SvcError({ code: 'invalid_payload', message, reason: 'not JSON' }, cause)
  }
}

type Row = { readonly version: string; readonly operations: Readonly<Record<string, 'read' | 'write'>> }
const rows: ReadonlyMap<string, Row> = new Map(
  Object.entries(protocols).map(([id, row]) => [id.toUpperCase(), row]),
)

/** Untyped callers may pass any name; the service refuses it. */
function rowOf(protocol: string): Row | undefined {
  return rows.get(String(protocol).toUpperCase())
}

function versionOf(protocol: string): string {
  return rowOf(protocol)?.version ?? 'v1'
}

/** Operations that are not in the catalogue may be writes, so they are not retried. */
function isRead(protocol: string, operation: string, version = versionOf(protocol)): boolean {
  const row = rowOf(protocol)
  if (!row || String(version).split('.')[0] !== row.version.split('.')[0]) return false
  return Object.hasOwn(row.operations, operation) && row.operations[operation] === 'read'
}

async function* streamed(
  wire: Wire,
  request: Request,
  call: CallOptions,
): AsyncGenerator<StreamEvent<never>, void, undefined> {
  for await (const reply of askEvents(wire, request, call)) {
    const { event, body, headers, api_url } = reply
    if (event === 'progress') yield { event, data: body as Record<string, unknown> }
    else if (event === 'result') return yield { event, answer: answerOf(reply) }
    // It came in a stream that had begun well, so there is no other status.
    else if (event === 'error') throw refusalOf(body, 200, null, { api_url, headers })
  }
}
