import { protocols } from '../../generated/sdk-operations.ts'
import type { Catalogue } from '../../generated/sdk-types.ts'
import { SvcError } from './errors.ts'
import { readEvents } from './events.ts'
import { retryDelay } from './retry.ts'
import {
  type Answer,
  ask,
  type CallOptions,
  type DryRun,
  failed,
  readJson,
  sendDispatch,
  type Wire,
} from './send.ts'
import { type ClientSettings, resolveSettings } from './settings.ts'

type Operations<P extends keyof Catalogue> = {
  [O in keyof Catalogue[P]]: Catalogue[P][O] extends { input: infer Input; output: infer Output }
    ? (input: Input, options?: CallOptions) => Promise<Output>
    : never
}

/** `client.max.audit_query(...)`: every protocol by its name in lower case, every operation by its own. */
export type ProtocolClients = { readonly [P in keyof Catalogue as Lowercase<P & string>]: Operations<P> }

/** An event of a stream: any number of `progress`, then one `result`. A refusal is thrown. */
export type StreamEvent<Output = unknown> =
  | { readonly event: 'progress'; readonly data: Record<string, unknown> }
  | { readonly event: 'result'; readonly answer: Answer<Output> }

/** Who the caller is, and what it may call. */
export interface Whoami {
  agent_did: string
  tenant_id: string
  tier: string
  credential: string
  identity: {
    entity_kind: string
    name?: string
    conformance_level: string
    lineage_verified: boolean
    human_root_did?: string
    revoked: boolean
  }
  operations: {
    protocol: string
    operation: string
    capability: string
    may: 'yes' | 'no' | 'depends'
    reason?: string
    why_not?: string
  }[]
}

export interface DispatchClient {
  /** Any operation of any protocol, also of plugins: the output with what the service says about the call. */
  dispatch<P extends keyof Catalogue, O extends keyof Catalogue[P] & string>(
    protocol: P,
    operation: O,
    input: InputOf<P, O>,
    options?: CallOptions,
  ): Promise<Answer<OutputOf<P, O>>>
  dispatch(protocol: string, operation: string, input: unknown, options?: CallOptions): Promise<Answer>
  /** The same, with progress while it runs. Never retried: what has begun to answer is not asked twice. */
  stream(
    protocol: string,
    operation: string,
    input: unknown,
    options?: CallOptions,
  ): AsyncGenerator<StreamEvent, void, undefined>
  /** What would happen, stage by stage; nothing does. */
  dryRun(protocol: string, operation: string, input: unknown, options?: CallOptions): Promise<DryRun>
  whoami(options?: CallOptions): Promise<Whoami>
}

type InputOf<P extends keyof Catalogue, O extends keyof Catalogue[P]> = Catalogue[P][O] extends {
  input: infer I
}
  ? I
  : never
type OutputOf<P extends keyof Catalogue, O extends keyof Catalogue[P]> = Catalogue[P][O] extends {
  output: infer R
}
  ? R
  : never

export type Client = DispatchClient & ProtocolClients

export interface ClientOptions extends ClientSettings {
  /** Another `fetch` than the platform's, such as one that goes through a proxy. */
  fetch?: typeof globalThis.fetch
  /** Headers sent with every request. */
  headers?: Readonly<Record<string, string>>
  /** Waits between attempts; a test brings its own. */
  sleep?: (wait_ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * A client of one engine. Settings come from the arguments, then the environment, then `~/.svc/config.json`;
 * with none of them it fails here, in one sentence, and not at the first call.
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
 * console.log(records.length, output.seq, metadata.audit_head)
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  const settings = resolveSettings(options)
  const { sleep = wait, headers, fetch = globalThis.fetch.bind(globalThis) } = options
  const wire: Wire = { settings, fetch, headers }
  const envelopeOf = (protocol: string, operation: string, input: unknown, call: CallOptions) => ({
    protocol,
    version: call.version ?? versionOf(protocol),
    operation,
    input,
    tenant_id: call.tenantId ?? settings.tenant_id,
  })
  const client: DispatchClient = {
    async dispatch(protocol: string, operation: string, input: unknown, call: CallOptions = {}) {
      const envelope = envelopeOf(protocol, operation, input, call)
      const send = async () =>
        readJson<Answer<never>>(await sendDispatch(wire, envelope, call), settings.api_url, call)
      return isRead(protocol, operation) ? await repeat(send, sleep, call.signal) : await send()
    },
    async *stream(protocol, operation, input, call = {}) {
      const sse = { accept: 'text/event-stream' }
      const response = await sendDispatch(wire, envelopeOf(protocol, operation, input, call), call, sse)
      yield* streamed(response, call, settings.api_url)
    },
    async dryRun(protocol, operation, input, call = {}) {
      const dry = { 'x-svc-dry-run': 'true' }
      const response = await sendDispatch(wire, envelopeOf(protocol, operation, input, call), call, dry)
      return (await readJson<{ dry_run: DryRun }>(response, settings.api_url, call)).dry_run
    },
    async whoami(call = {}) {
      const send = async () =>
        readJson<Whoami>(await ask(wire, '/v1/whoami', { method: 'GET' }, call), settings.api_url, call)
      return await repeat(send, sleep, call.signal)
    },
  }
  return Object.assign(client, protocolClients(client))
}

function protocolClients(client: DispatchClient): ProtocolClients {
  const named = Object.entries(protocols).map(([id, { operations }]) => {
    const methods = Object.keys(operations).map((operation) => [
      operation,
      async (input: unknown, options?: CallOptions) =>
        (await client.dispatch(id as string, operation as string, input, options)).output,
    ])
    return [id.toLowerCase(), Object.freeze(Object.fromEntries(methods))]
  })
  return Object.fromEntries(named)
}

type Row = { readonly version: string; readonly operations: Readonly<Record<string, 'read' | 'write'>> }
const rows: ReadonlyMap<string, Row> = new Map(
  Object.entries(protocols).map(([id, row]) => [id.toUpperCase(), row]),
)

function versionOf(protocol: string): string {
  return rows.get(protocol.toUpperCase())?.version ?? 'v1'
}

/** What the catalogue does not know may change something, so it is never sent twice. */
function isRead(protocol: string, operation: string): boolean {
  const operations = rows.get(protocol.toUpperCase())?.operations
  return operations !== undefined && Object.hasOwn(operations, operation) && operations[operation] === 'read'
}

async function repeat<Result>(
  send: () => Promise<Result>,
  sleep: NonNullable<ClientOptions['sleep']>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      const wait_ms = error instanceof SvcError ? retryDelay(error, attempt, chance) : undefined
      if (wait_ms === undefined) throw error
      await sleep(wait_ms, signal)
    }
  }
}

/** From 0 to 1. */
function chance(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32
}

function wait(wait_ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }, wait_ms)
    signal?.addEventListener('abort', leave, { once: true })
  })
}

async function* streamed(
  response: Response,
  { signal, timeoutMs = 30_000 }: CallOptions,
  api_url: string,
): AsyncGenerator<StreamEvent, void, undefined> {
  try {
    for await (const { event, data } of readEvents(response.body!)) {
      const body = JSON.parse(data)
      if (event === 'progress') yield { event, data: body }
      else if (event === 'result') return yield { event, answer: body }
      else if (event === 'error') throw new SvcError(body.error)
    }
  } catch (cause) {
    throw failed(cause, signal, api_url, timeoutMs)
  }
  throw failed(new Error('the stream ended without a result'), signal, api_url, timeoutMs)
}
