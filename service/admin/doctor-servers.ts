// Doctor check of the other servers an engine is told to use: whether each can be reached. Nobody signs in there.
import { connect } from 'node:net'
import type { Reader } from '../settings/reader.ts'
import { attempt, broken, type Finding, reasonOf, well } from './finding.ts'
import type { Target } from './target.ts'

const check = 'servers'
const answer_ms_max = 3_000

interface Server {
  readonly setting: string
  readonly what: string
  readonly host: string
  readonly port: number
}

const ports: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'mqtt:': 1883,
  'mqtts:': 8883,
  'smtp:': 587,
  'smtps:': 465,
}

const addresses = [
  ['SVC_OAS_URL', 'the identity node'],
  ['SVC_ARSENAL_URL', 'the node of tools'],
  ['SVC_AEGIS_URL', 'the node of safety'],
  ['SVC_VAULT_KEY', 'Vault'],
  ['SVC_MODEL_URL', 'the language model'],
  ['SVC_EMBEDDINGS_URL', 'the embedding model'],
  ['SVC_OTEL_ENDPOINT', 'the collector of traces'],
  ['SVC_MQTT_URL', 'the MQTT broker'],
  ['SVC_SMTP_URL', 'the mail server'],
] as const

export async function lookAtServers({ read }: Target): Promise<Finding[]> {
  const servers = [
    ...addresses.flatMap(([setting, what]) => serverOf(read, setting, what)),
    ...brokersOf(read),
  ]
  if (servers.length === 0) return [well(check, 'none is set besides database and Redis')]
  const faults = await Promise.all(
    servers.map(async (server) => ({ server, reason: await whyNotReached(server) })),
  )
  const away = faults.filter(({ reason }) => reason !== undefined)
  if (away.length === 0) return [well(check, `${servers.map(({ what }) => what).join(', ')}: reached`)]
  return away.map(({ server: { setting, what, host, port }, reason }) =>
    broken(check, `${what} at ${host}:${port} is not reached: ${reason}`, `start it, or correct ${setting}`),
  )
}

/** None where it is not set, or cannot be read: the check of the settings names that. */
function serverOf(read: Reader, setting: (typeof addresses)[number][0], what: string): Server[] {
  const url = URL.parse(attempt(() => read(setting)) ?? '')
  if (!url) return []
  const port = Number(url.port) || ports[url.protocol]
  return port === undefined ? [] : [{ setting, what, host: bare(url.hostname), port }]
}

function brokersOf(read: Reader): Server[] {
  const setting = 'SVC_KAFKA_BROKERS'
  if (attempt(() => read('SVC_AUDIT_SINK')) !== 'kafka') return []
  return (attempt(() => read(setting)) ?? []).map((broker) => {
    const colon = broker.lastIndexOf(':')
    return {
      setting,
      what: 'the Kafka broker',
      host: bare(broker.slice(0, colon)),
      port: Number(broker.slice(colon + 1)),
    }
  })
}

/** An IPv6 address without its brackets. */
function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}

/** Undefined where a connection was accepted. */
function whyNotReached({ host, port }: Server): Promise<string | undefined> {
  const socket = connect({ host, port })
  return new Promise<string | undefined>((resolve) => {
    socket.setTimeout(answer_ms_max, () => resolve(`no answer within ${answer_ms_max / 1000} s`))
    socket.once('connect', () => resolve(undefined))
    socket.once('error', (error) => resolve(reasonOf(error)))
  }).finally(() => socket.destroy())
}
