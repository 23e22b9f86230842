// What makes one engine one of many: where limits are kept, who may be reached and believed, and how much is taken in at once.
import { BlockList, isIP } from 'node:net'
import { readAuthorities } from './authorities.ts'
import { ConfigError } from './config-error.ts'
import { didList } from './identity-settings.ts'

export interface MeshSettings {
  /** Undefined where buckets live in this process. */
  readonly redis_url: string | undefined
  /** Undefined where committed records are handed on to nobody. */
  readonly kafka: KafkaSettings | undefined
  /** Engines whose POST /invoke is served here, besides this one. */
  readonly trusted_engines: readonly string[]
  /** Networks that are not public and yet may hold services outside; CIDR blocks as the operator wrote them. */
  readonly allowed_networks: readonly string[]
  /** PEM of authorities that may certify services outside, besides those the system knows. */
  readonly tls_ca: string | undefined
  /** Calls taken in at once; the next is refused, so that those under way are answered. */
  readonly calls_max: number
  /** Bytes of request bodies held at once. */
  readonly body_bytes_max: number
}

export interface KafkaSettings {
  readonly brokers: readonly string[]
  readonly topic: string
}

type Read = (name: string) => string | undefined

const mib = 1024 * 1024

export function readMeshSettings(read: Read, backend_default: 'redis' | 'memory'): MeshSettings {
  return {
    redis_url: redisUrl(read, backend_default),
    kafka: kafkaSettings(read),
    trusted_engines: didList(read, 'SVC_TRUSTED_ENGINES'),
    allowed_networks: networks(read),
    tls_ca: readAuthorities(read('SVC_TLS_CA')),
    calls_max: count(read, 'SVC_CALLS_MAX', 1_000),
    body_bytes_max: count(read, 'SVC_BODY_BYTES_MAX', 256 * mib),
  }
}

function redisUrl(read: Read, backend_default: 'redis' | 'memory'): string | undefined {
  const backend = read('SVC_RATE_LIMIT_BACKEND') ?? backend_default
  if (backend === 'memory') return undefined
  if (backend !== 'redis')
    throw new ConfigError(`SVC_RATE_LIMIT_BACKEND is ${backend}; it may be redis, memory.`)
  const text = read('SVC_REDIS_URL')
  const url = URL.parse(text ?? '')
  if (url && ['redis:', 'rediss:'].includes(url.protocol)) return text
  // Not repeated: it may hold a password.
  throw new ConfigError('SVC_REDIS_URL must be an address such as redis://cache.example:6379.')
}

function kafkaSettings(read: Read): KafkaSettings | undefined {
  const sink = read('SVC_AUDIT_SINK') ?? 'production'
  if (sink === 'production') return undefined
  if (sink === 'memory')
    throw new ConfigError(
      'The audit sink memory keeps nothing past the process, so no engine runs on it; set SVC_AUDIT_SINK=production.',
    )
  if (sink !== 'kafka')
    throw new ConfigError(`SVC_AUDIT_SINK is ${sink}; it may be production, kafka, memory.`)
  const brokers = (read('SVC_KAFKA_BROKERS') ?? '').split(',').flatMap((broker) => broker.trim() || [])
  const wrong = brokers.find((broker) => !/^[^\s:@/]+:\d{1,5}$/.test(broker))
  if (brokers.length === 0 || wrong !== undefined)
    throw new ConfigError(
      'SVC_AUDIT_SINK=kafka needs SVC_KAFKA_BROKERS, host:port with commas between, such as kafka-1:9092,kafka-2:9092.',
    )
  const topic = read('SVC_KAFKA_TOPIC') ?? 'svc.audit'
  if (!/^[A-Za-z0-9._-]{1,249}$/.test(topic))
    throw new ConfigError(`SVC_KAFKA_TOPIC is ${topic}; a topic has letters, digits, dots, dashes.`)
  return { brokers, topic }
}

function networks(read: Read): readonly string[] {
  const blocks = (read('SVC_ALLOWED_NETWORKS') ?? '').split(',').flatMap((block) => block.trim() || [])
  const wrong = blocks.find((block) => !isBlock(block))
  if (wrong === undefined) return blocks
  throw new ConfigError(
    `SVC_ALLOWED_NETWORKS names ${wrong}; write blocks such as 10.0.0.0/8,fd00::/8 with commas between.`,
  )
}

function isBlock(block: string): boolean {
  const [net = '', prefix = ''] = block.split('/')
  const family = isIP(net)
  if (family === 0 || !/^\d{1,3}$/.test(prefix)) return false
  try {
    new BlockList().addSubnet(net, Number(prefix), family === 4 ? 'ipv4' : 'ipv6')
    return true
  } catch {
    return false
  }
}

function count(read: Read, name: string, otherwise: number): number {
  const text = read(name)
  const value = text === undefined ? otherwise : Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new ConfigError(`${name} is ${text}; it must be a whole number above 0.`)
}
