// Doctor checks of TLS: which links to other machines are without it, by the settings alone, and the own certificate.
import { X509Certificate } from 'node:crypto'
import { isSentinelUrl } from '@svc/adapters/redis/sentinel'
import type { Clock } from '@svc/engine/ports'
import { databaseUrl, isEncrypted } from '../settings/database-url.ts'
import { OwnTls } from '../settings/own-tls.ts'
import type { Reader } from '../settings/reader.ts'
import { isLoopback } from '../settings/setting-types.ts'
import { attempt, broken, doubtful, type Finding, reasonOf, well } from './finding.ts'
import type { Target } from './target.ts'

const check = 'links'

interface Link {
  readonly to: string
  readonly what: string
  readonly advice: string
}

/** Settings that cannot be read are reported by the check of the settings. */
export function lookAtLinks({ read, data_dir }: Target): Finding[] {
  if (data_dir !== undefined) return [well(check, 'development: everything listens on this machine')]
  const plain = [listener, database, redis, kafka, ...addresses.map(plainAddress)].flatMap(
    (look) => attempt(() => look(read)) ?? [],
  )
  if (plain.length === 0) return [well(check, 'every link to another machine uses TLS')]
  return plain.map(({ to, what, advice }) => doubtful(check, `${to}: ${what}`, advice))
}

const renew_days = 14
const day_ms = 86_400_000

/** None where there is no certificate, which is a matter of the links. */
export function lookAtCertificate({ read, data_dir }: Target, clock: Pick<Clock, 'now_ms'>): Finding[] {
  const name = 'certificate'
  if (data_dir !== undefined) return []
  try {
    const { cert } = OwnTls.of(read).client()
    if (cert === undefined) return []
    const days = Math.floor((new X509Certificate(cert).validToDate.getTime() - clock.now_ms()) / day_ms)
    const observation = `it is valid for ${days} ${days === 1 ? 'day' : 'days'} more`
    if (days >= renew_days) return [well(name, observation)]
    return [doubtful(name, observation, 'renew it: new files are used without a restart')]
  } catch (error) {
    return [broken(name, reasonOf(error), 'put the right files there: new ones are used without a restart')]
  }
}

function listener(read: Reader): Link | undefined {
  const [host] = read('APP_BIND_ADDR')
  if (read('SVC_TLS_CERT') !== undefined || isLoopback(host)) return undefined
  const what = `calls, MCP and metrics are accepted without TLS on ${host}`
  return {
    to: 'callers',
    what,
    advice: 'set SVC_TLS_CERT and SVC_TLS_KEY, or keep it behind the gateway on a private network',
  }
}

function database(read: Reader): Link | undefined {
  const url = new URL(databaseUrl(read)!)
  if (url.hostname === '' || isLoopback(url.hostname)) return undefined
  const advice = 'add sslmode=verify-full to SVC_DB_URL, and name the authority of the server in SVC_TLS_CA'
  if (!isEncrypted(url)) return { to: 'PostgreSQL', what: 'not encrypted', advice }
  if (url.searchParams.get('sslmode') !== 'no-verify') return undefined
  return { to: 'PostgreSQL', what: 'encrypted, but the server is not verified (sslmode=no-verify)', advice }
}

function redis(read: Reader): Link | undefined {
  const url = read('SVC_REDIS_URL')
  if (url === undefined || read('SVC_RATE_LIMIT_BACKEND') === 'memory' || url.startsWith('rediss'))
    return undefined
  if (!isSentinelUrl(url) && isLoopback(new URL(url).hostname)) return undefined
  const what = /@/.test(url) ? 'not encrypted, and its password is sent in plain text' : 'not encrypted'
  return {
    to: 'Redis',
    what,
    advice: 'write rediss: in SVC_REDIS_URL, and name the authority of the server in SVC_TLS_CA',
  }
}

function kafka(read: Reader): Link | undefined {
  if (read('SVC_AUDIT_SINK') !== 'kafka' || read('SVC_KAFKA_TLS')) return undefined
  const brokers = read('SVC_KAFKA_BROKERS') ?? []
  if (brokers.every((broker) => isLoopback(broker.replace(/:\d+$/, '')))) return undefined
  return { to: 'Kafka', what: 'not encrypted', advice: 'set SVC_KAFKA_TLS=true' }
}

/** What is configured by an address: MQTT and mail refuse plain ones themselves. */
const addresses = [
  { name: 'SVC_OAS_URL', to: 'the identity node' },
  { name: 'SVC_ARSENAL_URL', to: 'the node of tools' },
  { name: 'SVC_AEGIS_URL', to: 'the node of safety' },
  { name: 'SVC_MODEL_URL', to: 'the language model' },
  { name: 'SVC_EMBEDDINGS_URL', to: 'the embedding model' },
  { name: 'SVC_OTEL_ENDPOINT', to: 'the collector of traces' },
  { name: 'AWS_ENDPOINT_URL_S3', to: 'the log archive' },
  { name: 'AWS_ENDPOINT_URL', to: 'the log archive' },
] as const

function plainAddress({ name, to }: (typeof addresses)[number]): (read: Reader) => Link | undefined {
  return (read) => {
    const url = URL.parse(read(name) ?? '')
    if (url?.protocol !== 'http:' || isLoopback(url.hostname)) return undefined
    return { to, what: 'not encrypted', advice: `use https in ${name}` }
  }
}
