// Settings of an engine among several: shared limits, networks, trust, and concurrency.
import type { KafkaOptions } from '@svc/adapters/sink/kafka'
import { ConfigError } from './config-error.ts'
import { OwnTls } from './own-tls.ts'
import type { Reader } from './reader.ts'
import { isLoopback } from './setting-types.ts'

export function readMeshSettings(read: Reader) {
  return {
    redis_url: redisUrl(read),
    kafka: kafkaSettings(read),
    trusted_engines: read('SVC_TRUSTED_ENGINES'),
    allowed_networks: read('SVC_ALLOWED_NETWORKS'),
    tls: OwnTls.of(read),
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
function kafkaSettings(read: Reader): KafkaOptions | undefined {
  const sink = read('SVC_AUDIT_SINK')
  if (sink === 'production') return undefined
  if (sink === 'memory')
    throw new ConfigError(
      'SVC_AUDIT_SINK=memory would lose all records at exit, so engines refuse it; set SVC_AUDIT_SINK=production.',
    )
  const brokers = read('SVC_KAFKA_BROKERS')
  if (!brokers?.length)
    throw new ConfigError('SVC_AUDIT_SINK=kafka needs SVC_KAFKA_BROKERS, host:port separated by commas.')
  const { files } = OwnTls.of(read)
  return {
    brokers,
    topic: read('SVC_KAFKA_TOPIC'),
    ...(read('SVC_KAFKA_TLS') && { tls: files }),
    sasl: kafkaLogin(read, brokers),
  }
}

function kafkaLogin(read: Reader, brokers: readonly string[]): KafkaOptions['sasl'] {
  const [username, password] = [read('SVC_KAFKA_USERNAME'), read('SVC_KAFKA_PASSWORD')]
  const mechanism = read('SVC_KAFKA_MECHANISM')
  if ((username === undefined) !== (password === undefined))
    throw new ConfigError('SVC_KAFKA_USERNAME and SVC_KAFKA_PASSWORD belong together; set both, or neither.')
  if (username === undefined || password === undefined) return undefined
  const is_here = brokers.every((broker) => isLoopback(broker.replace(/:\d+$/, '')))
  if (mechanism === 'PLAIN' && !read('SVC_KAFKA_TLS') && !is_here)
    throw new ConfigError(
      'SVC_KAFKA_MECHANISM=PLAIN would send the password unencrypted; set SVC_KAFKA_TLS=true, or use SCRAM-SHA-512.',
    )
  return { mechanism, username, password }
}
