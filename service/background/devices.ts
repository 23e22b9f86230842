// Connects to the device broker, stores what devices report, and expires it.
import type { BrokerSettings } from '@svc/adapters/devices/broker-client'
import { Inbox } from '@svc/adapters/devices/inbox'
import { noDevices } from '@svc/adapters/devices/no-devices'
import { currentKeys, provisionTenant } from '@svc/audit/chain/keys'
import { queryOf } from '@svc/audit/query/query'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { ClientTls } from '@svc/contract/client-tls'
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import type { ChangeNotifications } from '@svc/contract/needs/change-notifications'
import type { CommandSigner, Devices } from '@svc/contract/needs/devices'
import { signText } from '@svc/contract/signing/signature'
import type { Clock, Log } from '@svc/engine/ports'
import { findNewest, stateNow } from '@svc/protocols/awareness/registry/api'
import {
  deviceAlarms,
  forgetOldRows,
  report_topics,
  sweepCommands,
  takeMessages,
} from '@svc/protocols/execution/mote/api'
import { type Config, portTaken } from '../settings/config.ts'
import type { MqttSettings } from '../settings/device-settings.ts'
import { every, tickOf } from './tick.ts'

const sweep_every_ms = 1_000
const forget_every_ms = 60_000
/** How long a device that left the registry is still heard. Commands check the registry each time. */
const registered_ms = 5_000
const remembered_max = 10_000

interface Parts {
  readonly root_keys: RootKeys
  readonly db: Database
  readonly clock: Clock
  readonly change_notifications: ChangeNotifications
  readonly log: Log
}

export async function openDevices(
  { mqtt, tls, tenant_id }: Pick<Config, 'mqtt' | 'tls' | 'tenant_id'>,
  { db, root_keys, clock, change_notifications, log }: Parts,
  closing: (() => Promise<unknown>)[],
): Promise<Devices> {
  if (!mqtt) return noDevices(clock)
  const isRegistered = registryOf(db, clock)
  const now = () => new Date(clock.now_ms())
  const alarms = deviceAlarms(tenant_id)
  const isHeard = remembering(isRegistered, clock)
  const inbox = new Inbox(async (messages) => {
    const intake = { db, ...tickOf(clock), alarms, isRegistered: isHeard }
    for (const topic of await takeMessages(intake, messages)) change_notifications.tell(topic)
  }, log)
  closing.push(() => inbox.close())
  const settings = await settle(mqtt, tls.client, { clock, log, isRegistered }, closing)
  const take = inbox.take.bind(inbox)
  // MQTT code is loaded only if devices are configured.
  const { BrokerClient } = await import('@svc/adapters/devices/broker-client')
  const signerOf = signersOf(db, root_keys)
  const parts = { settings, topics: report_topics, clock, log, isRegistered, signerOf, take }
  const client = new BrokerClient(parts)
  const sweep = async () => {
    for (const topic of await sweepCommands(db, now())) change_notifications.tell(topic)
  }
  const timers = [
    every(sweep_every_ms, sweep, log),
    every(forget_every_ms, () => forgetOldRows(db, now()), log),
  ]
  closing.push(async () => {
    for (const timer of timers) clearInterval(timer)
    await client.close()
  })
  return client
}

/** The external broker, or one started here. */
async function settle(
  mqtt: MqttSettings,
  tls: ClientTls,
  parts: { clock: Clock; log: Log; isRegistered(device_did: string): Promise<boolean> },
  closing: (() => Promise<unknown>)[],
): Promise<BrokerSettings> {
  if ('url' in mqtt) return { ...mqtt, tls }
  const { openEmbeddedBroker } = await import('@svc/adapters/devices/embedded-broker')
  const broker = await openEmbeddedBroker({ port: mqtt.port, ...parts }).catch((error) => {
    throw portTaken(error, mqtt.port)
  })
  closing.push(() => broker.close())
  parts.log.info({ port: broker.port }, 'devices may connect to a broker on this machine')
  mqtt.onListening?.(broker.port)
  return broker.settings
}

/** Read for each command: after a rotation the next one is signed with the new key, by every engine. */
function signersOf(db: Database, root_keys: RootKeys) {
  const query = queryOf(db)
  return async (tenant_id: string): Promise<CommandSigner> => {
    const inUse = async () => (await currentKeys(query, root_keys, [tenant_id])).get(tenant_id)
    // An organization without records gets its key now.
    const key = (await inUse()) ?? (await provisionTenant(query, root_keys, tenant_id).then(inUse))
    if (!key) throw new Error(`${tenant_id} has no audit key in use`)
    return { key_id: key.key_id, sign: (text) => signText(key.private_key, text) }
  }
}

/** MARS lists it, and the entry has neither expired nor been withdrawn. */
function registryOf(db: Database, clock: Pick<Clock, 'now_ms'>) {
  return async (device_did: string): Promise<boolean> => {
    const tenant_id = parseDid(device_did)?.namespace
    if (tenant_id === undefined) return false
    const newest = await findNewest(db, { tenant_id, kind: 'agent', subject: device_did })
    return newest !== undefined && stateNow(newest, new Date(clock.now_ms())) === 'LIVE'
  }
}

function remembering(ask: (did: string) => Promise<boolean>, clock: Pick<Clock, 'monotonic_ms'>) {
  const answers = new Map<string, { readonly answer: boolean; readonly until_ms: number }>()
  return async (did: string): Promise<boolean> => {
    const now_ms = clock.monotonic_ms()
    const cached = answers.get(did)
    if (cached && cached.until_ms > now_ms) return cached.answer
    const answer = await ask(did)
    if (answers.size >= remembered_max) answers.clear()
    // A negative answer is not cached: a device that was just registered is heard at once.
    if (answer) answers.set(did, { answer, until_ms: now_ms + registered_ms })
    else answers.delete(did)
    return answer
  }
}
