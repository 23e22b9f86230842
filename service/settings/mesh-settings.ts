// Settings of an engine among several: shared limits, networks, trust, and concurrency.
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

/** Undefined if limits are counted in this process. */
function redisUrl(read: Reader): string | undefined {
  if (read('SVC_RATE_LIMIT_BACKEND') === 'memory') return undefined
  const url = read('SVC_REDIS_URL')
  if (url !== undefined) return url
  throw new ConfigError(
    'SVC_RATE_LIMIT_BACKEND=redis needs SVC_REDIS_URL, an address such as redis://cache.example:6379.',
  )
}

/** Undefined if committed records are not forwarded. */
function kafkaSettings(read: Reader) {
  const sink = read('SVC_AUDIT_SINK')
  if (sink === 'production') return undefined
  if (sink === 'memory')
    throw new ConfigError(
      'SVC_AUDIT_SINK=memory would lose all records at exit, so engines refuse it; set SVC_AUDIT_SINK=production.',
    )
  const brokers = read('SVC_KAFKA_BROKERS')
  if (!brokers?.length)
    throw new ConfigError('SVC_AUDIT_SINK=kafka needs SVC_KAFKA_BROKERS, host:port separated by commas.')
  return { brokers, topic: read('SVC_KAFKA_TOPIC') }
}
