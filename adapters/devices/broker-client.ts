// The engine's client of a broker. Each connection is a new client: what one could not deliver, the next does not
// send again.
import type { ClientTls } from '@svc/contract/client-tls'
import type { ArrivedMessage, CommandSigner, DeviceMessage, Devices } from '@svc/contract/needs/devices'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock, Log } from '@svc/engine/ports'
import { connect, type IClientOptions, type MqttClient } from 'mqtt'
import { within } from '../clock/within.ts'
import { definedOf } from '../outbound/client-tls.ts'

const connect_ms_max = 5_000
const keepalive_s = 15
const retry_ms_min = 200
const retry_ms_max = 10_000
/** More than any report may have; a larger one is truncated, and is then no valid report. */
const payload_bytes_max = 128 * 1024

export interface BrokerSettings {
  readonly url: string
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** If set, the broker stores what arrives while this engine is away. Each replica needs its own. */
  readonly client_id?: string | undefined
  /** Asked for each connection: whom to trust instead of the system's authorities, and the certificate to show. */
  readonly tls?: ClientTls | undefined
}

export interface BrokerParts {
  readonly settings: BrokerSettings
  readonly topics: readonly string[]
  readonly clock: Clock
  readonly log: Log
  isRegistered(device_did: string): Promise<boolean>
  signerOf(tenant_id: string): Promise<CommandSigner>
  /** The next message waits until this is done. */
  take(message: ArrivedMessage): Promise<void> | void
}

export class BrokerClient implements Devices {
  readonly #parts: BrokerParts
  #client: MqttClient | undefined
  #is_listening = false
  #is_closed = false
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #is_known_away = false

  constructor(parts: BrokerParts) {
    this.#parts = parts
    this.#connect()
  }

  state() {
    return this.#is_listening ? 'connected' : 'away'
  }

  now_ms(): number {
    return this.#parts.clock.now_ms()
  }

  signerOf(tenant_id: string): Promise<CommandSigner> {
    return this.#parts.signerOf(tenant_id)
  }

  isRegistered(device_did: string): Promise<boolean> {
    return this.#parts.isRegistered(device_did)
  }

  async publish({ topic, payload, retain = false, expires_at, wait_ms }: DeviceMessage) {
    const client = this.#client
    if (!client || !this.#is_listening || !client.connected) throw away(false)
    if (expires_at !== undefined && !(Date.parse(expires_at) > this.now_ms())) return 'expired'
    try {
      await within(wait_ms, client.publishAsync(topic, payload, { qos: 1, retain }))
      return 'taken'
    } catch (cause) {
      throw away(true, cause)
    }
  }

  async close(): Promise<void> {
    this.#is_closed = true
    clearTimeout(this.#timer)
    await this.#drop()
  }

  #connect(): void {
    const { settings, topics, take, log } = this.#parts
    const client = connect(settings.url, optionsOf(settings, this.#parts.clock))
    this.#client = client
    client.handleMessage = ({ topic, payload }, done) => {
      const bytes = Buffer.from(payload).subarray(0, payload_bytes_max)
      Promise.resolve(take({ topic, payload: bytes })).then(
        () => done(),
        (error: Error) => done(error),
      )
    }
    client.on('connect', () => {
      client.subscribeAsync([...topics], { qos: 1 }).then(
        (grants) =>
          this.#listens(
            client,
            grants.some(({ qos }) => qos > 2),
          ),
        () => this.#retry(client),
      )
    })
    client.on('error', (error) => log.debug({ error: error.message }, 'the broker said no'))
    client.on('close', () => this.#retry(client))
  }

  #listens(client: MqttClient, is_refused: boolean): void {
    if (client !== this.#client || this.#is_closed) return
    const { log } = this.#parts
    if (is_refused)
      log.warn({}, 'the broker refuses some of what devices report; check what this user may read')
    else if (this.#is_known_away) log.warn({}, 'the broker of devices is back')
    this.#is_known_away = false
    this.#failures = 0
    this.#is_listening = true
  }

  #retry(client: MqttClient): void {
    if (client !== this.#client || this.#is_closed) return
    const { clock, log } = this.#parts
    if (!this.#is_known_away) log.warn({}, 'the broker of devices is away; it is tried again')
    this.#is_known_away = true
    void this.#drop()
    const wait_ms = Math.min(retry_ms_max, retry_ms_min * 2 ** Math.min(this.#failures++, 10))
    this.#timer = setTimeout(() => this.#connect(), wait_ms * (0.5 + clock.random() / 2)).unref()
  }

  async #drop(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    this.#is_listening = false
    await client?.endAsync(true).catch(() => undefined)
  }
}

function optionsOf({ username, password, client_id, tls }: BrokerSettings, clock: Clock): IClientOptions {
  return {
    protocolVersion: 4,
    reconnectPeriod: 0,
    connectTimeout: connect_ms_max,
    keepalive: keepalive_s,
    queueQoSZero: false,
    clean: client_id === undefined,
    clientId: client_id ?? `svc-engine-${clock.uuid()}`,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...definedOf(tls?.() ?? {}),
  }
}

function away(in_doubt: boolean, cause?: unknown): Refusal {
  const sentence = in_doubt
    ? 'The broker did not say that it took the message, so the device may or may not get it; read back before you try again.'
    : 'The broker of devices cannot be reached, so nothing was sent; try again shortly.'
  return refuse('adapter_error', sentence, { reason: 'broker away', in_doubt }, cause)
}
