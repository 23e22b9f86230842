// Clients of tool servers, one per tenant and server: created on first use, shared by its calls, closed when idle or
// broken.

import type { ToolDefinition, ToolServer, Tools, ToolWait } from '@svc/contract/foreign/tools'
import { refuse } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import type { Clock } from '@svc/engine/ports'
import { openAgent } from './a2a-connection.ts'
import { accessRefusal, type ServerSettings } from './server-access.ts'
import { type ServerBreaker, serverBreaker } from './server-breaker.ts'
import type { ToolConnection } from './tool-connection.ts'
import { callFailure, connectFailure, isServerFault, refusedAddress, type Wish } from './tool-failure.ts'

const connections_max = 64
const connections_of_tenant_max = 8
const calls_at_once_max = 16
const idle_ms_max = 300_000
const sweep_every_ms = 30_000
const listed_ms_max = 60_000

interface Entry {
  readonly key: string
  readonly server: ToolServer
  readonly connecting: Promise<ToolConnection>
  in_flight: number
  used_at_ms: number
  listed: { readonly at_ms: number; readonly tools: Promise<readonly ToolDefinition[]> } | undefined
}

type Work<Result> = (connection: ToolConnection, entry: Entry) => Promise<Result>

// A class because it must be closed.
export class McpPool implements Tools {
  readonly #settings: ServerSettings
  readonly #clock: Pick<Clock, 'monotonic_ms' | 'uuid'>
  readonly #breaker: ServerBreaker
  readonly #entries = new Map<string, Entry>()
  readonly #endings = new Set<Promise<unknown>>()
  readonly #sweeping: NodeJS.Timeout
  #is_closed = false

  constructor(settings: ServerSettings, clock: Pick<Clock, 'monotonic_ms' | 'uuid'>) {
    this.#settings = settings
    this.#clock = clock
    this.#breaker = serverBreaker(clock)
    this.#sweeping = setInterval(() => this.#closeIdle(), sweep_every_ms).unref()
  }

  refusalOf(server: ToolServer): string | undefined {
    return accessRefusal(server, this.#settings)
  }

  list(server: ToolServer, wait: ToolWait & { readonly is_fresh?: boolean }) {
    return this.#use(server, { what: 'The list', is_call: false }, wait, async (connection, entry) => {
      const now_ms = this.#clock.monotonic_ms()
      const { listed } = entry
      if (listed && !wait.is_fresh && now_ms - listed.at_ms < listed_ms_max) return listed.tools
      // Shared by concurrent callers, so no single caller's leaving may end it.
      const tools = connection.list({ timeout_ms: wait.timeout_ms, signal: new AbortController().signal })
      entry.listed = { at_ms: now_ms, tools }
      tools.catch(() => {
        if (entry.listed?.tools === tools) entry.listed = undefined
      })
      return untilAborted(tools, wait.signal)
    })
  }

  call(server: ToolServer, call: Parameters<Tools['call']>[1]) {
    const what = `The tool ${call.name}`
    return this.#use(server, { what, is_call: true }, call, (connection) => connection.call(call))
  }

  async disconnect({ tenant_id, id }: ToolServer): Promise<void> {
    for (const entry of this.#entries.values())
      if (entry.server.tenant_id === tenant_id && entry.server.id === id) this.#end(entry)
  }

  stopwatch(): () => number {
    const begun_ms = this.#clock.monotonic_ms()
    return () => Math.max(0, Math.round(this.#clock.monotonic_ms() - begun_ms))
  }

  async close(): Promise<void> {
    this.#is_closed = true
    clearInterval(this.#sweeping)
    for (const entry of this.#entries.values()) this.#end(entry)
    await Promise.allSettled(this.#endings)
  }

  async #use<Result>(server: ToolServer, wish: Wish, wait: ToolWait, work: Work<Result>): Promise<Result> {
    const entry = this.#enter(server)
    entry.in_flight++
    try {
      const connection = await this.#connected(entry, wait)
      const result = await work(connection, entry)
      // A server that lists its tools but fails at each of them is unhealthy.
      if (wish.is_call) this.#breaker.succeeded(entry.key)
      else this.#breaker.learntNothing(entry.key)
      return result
    } catch (error) {
      throw this.#judge(entry, wish, error, wait.signal)
    } finally {
      entry.in_flight--
      entry.used_at_ms = this.#clock.monotonic_ms()
    }
  }

  /** The connection of this server, or its pending start. */
  #enter(server: ToolServer): Entry {
    const refused = this.#is_closed ? 'engine is stopping' : this.refusalOf(server)
    if (refused !== undefined)
      throw refuse(
        'policy_denied',
        `The tool server ${server.id} may not be used: ${refused}; ask the operator of this engine.`,
        { reason: refused, performed: 'no' },
      )
    const key = contentHash(server)
    const blocked = this.#breaker.refusal(key, server.id)
    if (blocked) throw blocked
    const existing = this.#entries.get(key)
    if (existing && existing.in_flight < calls_at_once_max) return existing
    if (existing || !this.#makeRoom(server.tenant_id)) {
      this.#breaker.learntNothing(key)
      throw noRoom(server)
    }
    return this.#begin(key, server)
  }

  #begin(key: string, server: ToolServer): Entry {
    const entry: Entry = {
      key,
      server,
      connecting: this.#open(server, () => entry),
      in_flight: 0,
      used_at_ms: this.#clock.monotonic_ms(),
      listed: undefined,
    }
    this.#entries.set(key, entry)
    // Counted once, however many wait for it.
    entry.connecting.catch((error) => {
      this.#forget(entry)
      if (refusedAddress(error) === undefined) this.#breaker.failed(key)
      else this.#breaker.learntNothing(key)
    })
    return entry
  }

  async #open(server: ToolServer, entryOf: () => Entry): Promise<ToolConnection> {
    if (server.transport === 'a2a') return openAgent(server, this.#settings, () => this.#clock.uuid())
    // Loading the client takes longer than most calls, and many engines never use a tool.
    const { openConnection } = await import('./mcp-connection.ts')
    return openConnection({
      server,
      settings: this.#settings,
      onListChanged: () => {
        entryOf().listed = undefined
      },
      onClose: () => this.#forget(entryOf()),
    })
  }

  async #connected({ connecting, server }: Entry, { signal, timeout_ms }: ToolWait): Promise<ToolConnection> {
    try {
      return await untilAborted(connecting, AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]))
    } catch (error) {
      throw connectFailure(server, error)
    }
  }

  /** What a failure means for the server, and for the caller. */
  #judge(entry: Entry, wish: Wish, error: unknown, signal: AbortSignal) {
    const failure = callFailure(entry.server, wish, error, signal)
    // Before it was connected, or because a caller left: this says nothing about the server.
    if (failure === error || failure.code === 'policy_denied' || signal.aborted)
      this.#breaker.learntNothing(entry.key)
    else if (!isServerFault(error)) this.#breaker.succeeded(entry.key)
    else {
      this.#breaker.failed(entry.key)
      // An ended session, or a stream out of step, is not fixed by a retry.
      if (failure.code !== 'timeout') this.#end(entry)
    }
    return failure
  }

  #makeRoom(tenant_id: string): boolean {
    const all = [...this.#entries.values()]
    const own = all.filter(({ server }) => server.tenant_id === tenant_id)
    const crowd =
      own.length >= connections_of_tenant_max ? own : all.length >= connections_max ? all : undefined
    if (!crowd) return true
    const idle = crowd.filter(({ in_flight }) => in_flight === 0)
    const oldest = idle.sort((a, b) => a.used_at_ms - b.used_at_ms)[0]
    if (oldest) this.#end(oldest)
    return oldest !== undefined
  }

  #closeIdle(): void {
    const oldest_ms = this.#clock.monotonic_ms() - idle_ms_max
    for (const entry of this.#entries.values())
      if (entry.in_flight === 0 && entry.used_at_ms < oldest_ms) this.#end(entry)
  }

  #forget(entry: Entry): void {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key)
  }

  #end(entry: Entry): void {
    this.#forget(entry)
    const ending = entry.connecting.then((connection) => connection.close()).catch(() => {})
    this.#endings.add(ending)
    ending.then(() => this.#endings.delete(ending))
  }
}

function noRoom({ id }: ToolServer) {
  return refuse(
    'no_endpoint_available',
    `The tool server ${id} cannot be asked now: too many calls of tools are under way; try again.`,
    { reason: 'too many calls', performed: 'no' },
  )
}

/** The work itself continues; only this caller stops waiting. */
async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = () => reject(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
