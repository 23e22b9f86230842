// A built-in broker, on this machine only: MQTT 3.1.1, devices limited to their own topics, nothing persistent.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { didOfDevice } from '@svc/contract/needs/devices'
import type { Clock, Log } from '@svc/engine/ports'
import { Aedes, type AedesOptions, type AedesPublishPacket, type Client } from 'aedes'
import type { BrokerSettings } from './broker-client.ts'
import { deviceOfLogin } from './device-login.ts'
import { guardPackets } from './packet-guard.ts'

const engine_name = 'svc-engine'
const connections_max = 256
const packet_bytes_max = 128 * 1024
const client_id_chars_max = 160
const connect_ms_max = 10_000
const may_publish = ['descriptor', 'telemetry', 'ack', 'state']

export interface EmbeddedBroker {
  readonly port: number
  /** How the engine itself connects. */
  readonly settings: BrokerSettings
  close(): Promise<void>
}

interface Parts {
  readonly port: number
  readonly clock: Pick<Clock, 'now_ms'>
  readonly log: Log
  isRegistered(device_did: string): Promise<boolean>
}

export async function openEmbeddedBroker({ port, clock, log, isRegistered }: Parts): Promise<EmbeddedBroker> {
  const secret = randomBytes(32)
  const broker = await Aedes.createBroker({
    connectTimeout: connect_ms_max,
    maxClientsIdLength: client_id_chars_max,
    maxTopicLevels: 8,
    ...rights(secret, clock, isRegistered),
  })
  broker.on('clientError', (client, error) =>
    log.debug({ client: client.id, error: error.message }, 'a device broke off'),
  )
  broker.on('connectionError', () => undefined)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    broker.handle(guardPackets(socket, packet_bytes_max))
  })
  server.maxConnections = connections_max
  const taken = await listen(server, port)
  return {
    port: taken,
    settings: {
      url: `mqtt://127.0.0.1:${taken}`,
      username: engine_name,
      password: secret.toString('base64url'),
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((done) => broker.close(done))
      await new Promise((done) => server.close(done))
    },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve((server.address() as { port: number }).port)
    })
  })
}

function rights(
  secret: Buffer,
  clock: Pick<Clock, 'now_ms'>,
  isRegistered: Parts['isRegistered'],
): AedesOptions {
  const engines = new WeakSet<Client>()
  const devices = new WeakMap<Client, string>()
  const isOwn = (client: Client, topic: string, kinds: readonly string[]) => {
    const [root, tenant_id = '', name = '', kind = '', ...more] = topic.split('/')
    const did = devices.get(client)
    const is_self = did !== undefined && didOfDevice(tenant_id, name) === did
    return root === 'svc' && is_self && kinds.includes(kind) && more.length <= 1
  }
  return {
    authenticate(client, name, password, done) {
      const shown = password?.toString() ?? ''
      if (name === engine_name) {
        const is_engine = isSame(Buffer.from(shown, 'base64url'), secret)
        if (is_engine) engines.add(client)
        return done(null, is_engine)
      }
      // Sessions belong to client ids: under another's id, a client would get that one's messages.
      const did = name === client.id ? deviceOfLogin(name, shown, clock.now_ms()) : undefined
      if (did === undefined) return done(null, false)
      devices.set(client, did)
      isRegistered(did).then(
        (is_known) => done(null, is_known),
        () => done(null, false),
      )
    },
    authorizePublish(client, packet, done) {
      const may = client && (engines.has(client) || isOwn(client, packet.topic, may_publish))
      done(may ? null : new Error('a topic of another'))
    },
    authorizeSubscribe(client, subscription, done) {
      // Null: the subscription is answered with a failure, and the others of the same packet continue.
      done(null, engines.has(client) || isOwn(client, subscription.topic, ['command']) ? subscription : null)
    },
    authorizeForward(client, packet) {
      if (engines.has(client)) return packet
      return isOwn(client, packet.topic, ['command']) && !isExpired(packet, clock.now_ms()) ? packet : null
    },
  }
}

/** A command whose device came back too late. */
function isExpired({ payload }: AedesPublishPacket, now_ms: number): boolean {
  try {
    const { expires_at } = JSON.parse(payload.toString()) as { expires_at?: string }
    return expires_at !== undefined && !(Date.parse(expires_at) > now_ms)
  } catch {
    return false
  }
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
