// What makes one engine one of many: where limits are kept, who may be reached and believed, and how much is taken in at once.
import { ConfigError } from './config-error.ts'
import type { Reader } from './reader.ts'

export function readMeshSettings(read: Reader) {
  return {
    redis_url: redisUrl(read),
    kafka: kafkaSettings(read),
    trusted_engines: read('SVC_TRUSTED_ENGINES'),
    allowed_networks: read('SVC_ALLOWED_NETWORKS'),
    tls_ca: read('SVC_TLS_CA'),
    calls_max: read('SVC_CALLS_MAX'),
    body_bytes_max: read('SVC_BODY_BYTES_MAX'),
  }
}

/** Undefined where buckets live in this process. */
function redisUrl(read: Reader): string | undefined {
  if (read('SVC_RATE_LIMIT_BACKEND') === 'memory') return undefined
  const url = read('SVC_REDIS_URL')
  if (url !== undefined) return url
  throw new ConfigError(
    'SVC_RATE_LIMIT_BACKEND=redis needs SVC_REDIS_URL, an address such as redis://cache.example:6379.',
  )
}

/** Undefined where committed records are handed on to nobody. */
function kafkaSettings(read: Reader) {
  const sink = read('SVC_AUDIT_SINK')
  if (sink === 'production') return undefined
  if (sink === 'memory')
    throw new ConfigError(
      'The audit sink memory keeps nothing past the process, so no engine runs on it; set SVC_AUDIT_SINK=production.',
    )
  const brokers = read('SVC_KAFKA_BROKERS')
  if (!brokers?.length)
    throw new ConfigError('SVC_AUDIT_SINK=kafka needs SVC_KAFKA_BROKERS, host:port with commas between.')
  return { brokers, topic: read('SVC_KAFKA_TOPIC') }
}
