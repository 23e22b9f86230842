// Committed records as messages of a Kafka topic: the key is the tenant, so that a chain stays in one partition and
// in order.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { compatibilityPartitioner, findErrorBy, Producer, stringSerializers } from '@platformatic/kafka'
import type { HandedRecord } from '@svc/audit/sinks/fan-out-store'
import { type Outlet, TooLarge } from './forwarder.ts'

/** Plain data, because a thread gets it. */
export interface KafkaOptions {
  readonly brokers: readonly string[]
  readonly topic: string
  /** Undefined for a connection without TLS. */
  readonly tls?: KafkaFiles | undefined
  readonly sasl?:
    | {
        readonly mechanism: 'SCRAM-SHA-512' | 'SCRAM-SHA-256' | 'PLAIN'
        readonly username: string
        readonly password: string
      }
    | undefined
}

/** Read for each producer: it is replaced when its connection is refused, and then has the renewed files. */
interface KafkaFiles {
  readonly ca_file?: string | undefined
  readonly cert_file?: string | undefined
  readonly key_file?: string | undefined
}

const connect_ms_max = 3_000
const request_ms_max = 10_000
const send_ms_max = 15_000
/** Within one send, without duplicates: the producer is idempotent. After them the forwarder starts over. */
const retries_max = 2
const retry_ms = 200

export function openKafka(options: KafkaOptions): Outlet {
  const { topic } = options
  let producer: Producer<string, string, string, string> | undefined
  const drop = () => {
    // After a failure a producer has lost its sequence; the next send uses a new one.
    producer?.close(true).catch(() => {})
    producer = undefined
  }
  return {
    async send(records) {
      producer ??= openProducer(options)
      try {
        const messages = records.map((record) => messageOf(record, topic))
        await inTime(producer.send({ messages }))
      } catch (error) {
        drop()
        throw explain(error, topic)
      }
    },
    async close() {
      drop()
    },
  }
}

function openProducer({ brokers, tls: files, sasl }: KafkaOptions): Producer<string, string, string, string> {
  // A name tells a proxy which broker is meant; an IP address must not be one.
  const is_named = brokers.every((broker) => isIP(broker.replace(/:\d+$/, '')) === 0)
  return new Producer({
    ...(files && { tls: readTls(files), tlsServerName: is_named }),
    ...(sasl && { sasl: { ...sasl } }),
    clientId: 'svc-audit',
    bootstrapBrokers: [...brokers],
    serializers: stringSerializers,
    // As Kafka's own clients choose it, so that others can find a tenant's partition.
    partitioner: compatibilityPartitioner,
    idempotent: true,
    retries: retries_max,
    retryDelay: retry_ms,
    connectTimeout: connect_ms_max,
    requestTimeout: request_ms_max,
    autocreateTopics: false,
  })
}

function readTls({ ca_file, cert_file, key_file }: KafkaFiles) {
  return {
    ...(ca_file !== undefined && { ca: readFileSync(ca_file) }),
    ...(cert_file !== undefined && { cert: readFileSync(cert_file) }),
    ...(key_file !== undefined && { key: readFileSync(key_file) }),
    minVersion: 'TLSv1.2' as const,
  }
}

function messageOf(
  { tenant_id, seq, event_type, record_id, previous_hash, line }: HandedRecord,
  topic: string,
) {
  const headers = { event_type, seq: String(seq), record_id, previous_hash }
  return { topic, key: tenant_id, value: line, headers }
}

async function inTime(sent: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`the broker did not acknowledge in ${send_ms_max} ms`)),
    send_ms_max,
  )
  try {
    await Promise.race([sent, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function explain(error: unknown, topic: string): Error {
  for (const id of ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'])
    if (findErrorBy(error as Error, 'apiId', id)) return new TooLarge(innermost(error), { cause: error })
  const unknown = findErrorBy(error as Error, 'apiId', 'UNKNOWN_TOPIC_OR_PARTITION')
  if (unknown || innermost(error).startsWith('Unknown topic'))
    return new Error(`the broker has no topic ${topic}; create it`, { cause: error })
  return new Error(innermost(error), { cause: error })
}

/** The library nests errors several levels deep; the innermost says what happened. */
function innermost(error: unknown, depth_max = 8): string {
  const { message, cause, errors } = error as Error & { errors?: readonly unknown[] }
  const inner = errors?.at(-1) ?? cause
  return inner === undefined || depth_max === 0 ? message : innermost(inner, depth_max - 1)
}
