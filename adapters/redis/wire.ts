// A new connection to Redis: to one server, to a cluster, or to the master that sentinels name.
import { createClient, createCluster, RedisClient } from '@redis/client'
import type { ClientTls } from '@svc/contract/client-tls'
import { definedOf } from '../outbound/client-tls.ts'
import { lookWhileAwake, step_ms_max } from './awake-time.ts'
import { isSentinelUrl, sentinelsOf } from './sentinel.ts'

/** The longest wait for Redis while this process is awake; after it Redis counts as away. */
export const answer_ms_max = 200
const open_ms_max = 2_000
const redirections_max = 4

export interface RedisPlace {
  readonly url: string
  /** For rediss:, asked for each connection. */
  readonly tls: ClientTls
}

/** A server or a cluster, as far as a question needs it. */
export interface Wire {
  send(key: string, words: string[]): Promise<unknown>
  destroy(): void
}

type OnError = (error: Error, wire: Wire) => void

/** Opened, and quick enough: a slow one would be given up by the next call. */
export async function openWire(place: RedisPlace, script: string, onError: OnError): Promise<Wire> {
  const opening: { destroy?(): void } = {}
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no connection within ${open_ms_max} ms`)), open_ms_max)
  try {
    return await Promise.race([late, connect(place, script, onError, opening)])
  } catch (error) {
    opening.destroy?.()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function connect(
  place: RedisPlace,
  script: string,
  onError: OnError,
  opening: { destroy?(): void },
): Promise<Wire> {
  const url = await addressOf(place, opening)
  const server = serverWire({ ...place, url }, onError)
  opening.destroy = server.wire.destroy
  await server.connect()
  const info = String(await server.wire.send('', ['INFO', 'cluster']))
  if (info.includes('cluster_enabled:1')) {
    server.wire.destroy()
    const cluster = clusterWire(place, onError)
    opening.destroy = cluster.wire.destroy
    await cluster.connect()
    return probed(cluster.wire)
  }
  await server.wire.send('', ['SCRIPT', 'LOAD', script])
  return probed(server.wire)
}

/** Asked at each connection, because the master may have changed. All are asked at once: some may be gone. */
async function addressOf(place: RedisPlace, opening: { destroy?(): void }): Promise<string> {
  if (!isSentinelUrl(place.url)) return place.url
  const { name, sentinels, urlAt } = sentinelsOf(place.url)
  const wires = sentinels.map((url) => serverWire({ ...place, url }, () => {}))
  const destroyAll = () => {
    for (const { wire } of wires) wire.destroy()
  }
  opening.destroy = destroyAll
  try {
    const addresses = wires.map(async ({ wire, connect }) => {
      await connect()
      const address = await wire.send('', ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name])
      if (!Array.isArray(address)) throw new Error(`the sentinels know no master ${name}`)
      return urlAt(String(address[0]), String(address[1]))
    })
    return await Promise.any(addresses).catch((error: AggregateError) => {
      throw error.errors[0]
    })
  } finally {
    destroyAll()
  }
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

export function noAnswer(): Error {
  return new Error(`no answer within ${answer_ms_max} ms`)
}

/** Without the library's own reconnecting and queue: the link decides when to retry, and who waits. */
function optionsOf({ url, tls }: RedisPlace) {
  const { socket, ...rest } = RedisClient.parseURL(url)
  return {
    ...rest,
    socket: {
      ...socket,
      ...(socket?.tls && definedOf(tls())),
      connectTimeout: open_ms_max,
      reconnectStrategy: false as const,
    },
    disableOfflineQueue: true,
    maintNotifications: 'disabled' as const,
    commandOptions: { timeout: 0 },
  }
}

function serverWire(place: RedisPlace, onError: OnError) {
  const client = createClient(optionsOf(place) as Parameters<typeof createClient>[0])
  const wire: Wire = {
    send: (_key, words) => client.sendCommand(words),
    destroy: () => {
      if (client.isOpen) client.destroy()
    },
  }
  client.on('error', (error) => onError(error, wire))
  return { wire, connect: () => client.connect() }
}

function clusterWire(place: RedisPlace, onError: OnError) {
  const options = optionsOf(place)
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
