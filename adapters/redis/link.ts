// One connection to Redis, or none: a caller who would wait too long is answered at once, and reconnecting runs in
// the background.
import { hash } from 'node:crypto'
import { createClient, createCluster, RedisClient } from '@redis/client'
import type { Log } from '@svc/engine/ports'
import { system_clock } from '../clock/system.ts'
import { lookWhileAwake, step_ms_max } from './awake-time.ts'

/** The longest wait for Redis while this process is awake; after it Redis counts as away. */
const answer_ms_max = 200
const open_ms_max = 2_000
const retry_ms_min = 50
const retry_ms_max = 1_000
/** A connection that lasted this long was good: the next failure counts as the first again. */
const steady_ms = 5_000
const in_flight_max = 10_000
const redirections_max = 4

/** A server or a cluster, as far as a question needs it. */
interface Wire {
  send(key: string, words: string[]): Promise<unknown>
  destroy(): void
}

export interface RedisLink {
  isUp(): boolean
  /**
   * Runs the script on keys of one slot. Undefined if nobody should wait; rejects if the link broke meanwhile. A reply
   * that `read` throws at breaks it: those after it may belong to other questions, too.
   */
  run<Reply>(
    keys: readonly string[],
    words: readonly string[],
    read: (reply: unknown) => Reply,
  ): Promise<Reply> | undefined
  /** Resolves after the first attempt, successful or not. */
  readonly tried: Promise<void>
  close(): void
}

/** `onUp` is called for every new connection, which may lead to other data than the last. */
export function openRedisLink(url: string, script: string, log: Log, onUp: () => void = () => {}): RedisLink {
  return new Link(url, script, log, onUp)
}

const now_ms = () => system_clock.monotonic_ms()

class Link implements RedisLink {
  readonly tried: Promise<void>
  readonly #url: string
  readonly #script: string
  readonly #hash: string
  readonly #log: Log
  readonly #onUp: () => void
  /** Requests in flight, and until when, in awake time. */
  readonly #waiting = new Set<{ readonly until_ms: number }>()
  #awake_ms = 0
  #is_watching = false
  #wire: Wire | undefined
  #up_since_ms = 0
  #failures = 0
  #is_closed = false
  #retry: NodeJS.Timeout | undefined

  constructor(url: string, script: string, log: Log, onUp: () => void) {
    this.#url = url
    this.#script = script
    this.#hash = hash('sha1', script, 'hex')
    this.#log = log
    this.#onUp = onUp
    this.tried = this.#attempt()
  }

  isUp(): boolean {
    return this.#wire !== undefined
  }

  run<Reply>(
    keys: readonly string[],
    words: readonly string[],
    read: (reply: unknown) => Reply,
  ): Promise<Reply> | undefined {
    const wire = this.#wire
    return wire && this.#waiting.size < in_flight_max ? this.#send(wire, keys, words, read) : undefined
  }

  close(): void {
    this.#is_closed = true
    clearTimeout(this.#retry)
    this.#wire?.destroy()
    this.#wire = undefined
  }

  async #send<Reply>(
    wire: Wire,
    keys: readonly string[],
    words: readonly string[],
    read: (reply: unknown) => Reply,
  ): Promise<Reply> {
    const pending = { until_ms: this.#awake_ms + step_ms_max + answer_ms_max }
    this.#waiting.add(pending)
    if (!this.#is_watching) {
      this.#is_watching = true
      lookWhileAwake(this.#watch)
    }
    const [key = ''] = keys
    const rest = [String(keys.length), ...keys, ...words]
    try {
      const reply = await wire.send(key, ['EVALSHA', this.#hash, ...rest]).catch((error: Error) => {
        if (!error.message.startsWith('NOSCRIPT')) throw error
        return wire.send(key, ['EVAL', this.#script, ...rest])
      })
      return read(reply)
    } catch (error) {
      this.#broke(wire, error as Error)
      throw error
    } finally {
      this.#waiting.delete(pending)
    }
  }

  readonly #watch = (awake_ms: number): boolean => {
    this.#awake_ms += awake_ms
    const [oldest] = this.#waiting
    const is_late = oldest !== undefined && oldest.until_ms <= this.#awake_ms
    if (is_late && this.#wire) this.#broke(this.#wire, noAnswer())
    this.#is_watching = oldest !== undefined && this.#wire !== undefined
    return this.#is_watching
  }

  #broke(wire: Wire, error: Error): void {
    if (this.#wire !== wire) return
    this.#wire = undefined
    if (now_ms() - this.#up_since_ms >= steady_ms) this.#failures = 0
    wire.destroy()
    this.#log.warn({ error: error.message }, 'Redis is away; this engine counts its share of the limits')
    this.#tryLater()
  }

  #tryLater(): void {
    if (this.#is_closed) return
    const wait_ms = Math.min(retry_ms_max, retry_ms_min * 2 ** this.#failures)
    this.#failures++
    // 50 % jitter either way, so that engines do not reconnect all at once.
    this.#retry = setTimeout(() => void this.#attempt(), wait_ms * (0.5 + system_clock.random()))
  }

  async #attempt(): Promise<void> {
    try {
      const opened = await openWire(this.#url, this.#script, (error, wire) => this.#broke(wire, error))
      if (this.#is_closed) return opened.destroy()
      this.#wire = opened
      this.#up_since_ms = now_ms()
      this.#log.info({}, 'Redis counts the limits')
      this.#onUp()
    } catch (error) {
      const { message } = error as Error
      if (this.#failures === 0) this.#log.warn({ error: message }, 'Redis cannot be reached; it is tried on')
      this.#tryLater()
    }
  }
}

type OnError = (error: Error, wire: Wire) => void

/** Opened, and quick enough: a slow one would be given up by the next call. */
async function openWire(url: string, script: string, onError: OnError): Promise<Wire> {
  const opening: { destroy?(): void } = {}
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no connection within ${open_ms_max} ms`)), open_ms_max)
  try {
    return await Promise.race([late, connect(url, script, onError, opening)])
  } catch (error) {
    opening.destroy?.()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function connect(
  url: string,
  script: string,
  onError: OnError,
  opening: { destroy?(): void },
): Promise<Wire> {
  const server = serverWire(url, onError)
  opening.destroy = server.wire.destroy
  await server.connect()
  const info = String(await server.wire.send('', ['INFO', 'cluster']))
  if (info.includes('cluster_enabled:1')) {
    server.wire.destroy()
    const cluster = clusterWire(url, onError)
    opening.destroy = cluster.wire.destroy
    await cluster.connect()
    return probed(cluster.wire)
  }
  await server.wire.send('', ['SCRIPT', 'LOAD', script])
  return probed(server.wire)
}

/** A write, so that a read-only server (a replica, a full memory) is not accepted. */
async function probed(wire: Wire): Promise<Wire> {
  const key = 'svc:{probe}'
  const { promise: late, reject } = Promise.withResolvers<never>()
  let left_ms = step_ms_max + answer_ms_max
  let is_waiting = true
  lookWhileAwake((awake_ms) => {
    left_ms -= awake_ms
    if (left_ms <= 0) reject(noAnswer())
    return is_waiting && left_ms > 0
  })
  try {
    await Promise.race([late, wire.send(key, ['SET', key, '1', 'PX', '1000'])])
    return wire
  } finally {
    is_waiting = false
  }
}

function noAnswer(): Error {
  return new Error(`no answer within ${answer_ms_max} ms`)
}

/** Without the library's own reconnecting and queue: the link decides when to retry, and who waits. */
function optionsOf(url: string) {
  const { socket, ...rest } = RedisClient.parseURL(url)
  return {
    ...rest,
    socket: { ...socket, connectTimeout: open_ms_max, reconnectStrategy: false as const },
    disableOfflineQueue: true,
    maintNotifications: 'disabled' as const,
    commandOptions: { timeout: 0 },
  }
}

function serverWire(url: string, onError: OnError) {
  const client = createClient(optionsOf(url) as Parameters<typeof createClient>[0])
  const wire: Wire = {
    send: (_key, words) => client.sendCommand(words),
    destroy: () => client.destroy(),
  }
  client.on('error', (error) => onError(error, wire))
  return { wire, connect: () => client.connect() }
}

function clusterWire(url: string, onError: OnError) {
  const options = optionsOf(url)
  const cluster = createCluster({
    rootNodes: [options],
    defaults: { ...options, socket: { ...options.socket, host: undefined, port: undefined } },
    maxCommandRedirections: redirections_max,
  } as unknown as Parameters<typeof createCluster>[0])
  const wire: Wire = {
    send: (key, words) => cluster.sendCommand(key, false, words),
    destroy: () => cluster.destroy(),
  }
  cluster.on('error', (error) => onError(error, wire))
  return { wire, connect: () => cluster.connect() }
}
