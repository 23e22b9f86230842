import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readServeConfig } from './config.ts'

const complete = {
  SVC_AGENT_DID: `did:oas:operator:service:${'ab'.repeat(32)}`,
  SVC_TENANT_ID: 'operator',
  SVC_DB_URL: 'postgres://127.0.0.1/svc',
  SVC_MASTER_KEY: 'cd'.repeat(32),
  SVC_RATE_LIMIT_BACKEND: 'memory',
}

test('serve accepts a complete environment', () => {
  assert.equal(readServeConfig(complete).port, 8080)
  assert.equal(readServeConfig(complete).message_bytes_max, 5_242_880)
  assert.doesNotThrow(() => readServeConfig({ ...complete, SVC_AUDIT_SINK: 'production' }))
})

test('serve refuses what it would otherwise ignore, in one sentence that says what to set', () => {
  const refused = [
    [{ SVC_AUDIT_SINK: 'memory' }, /would lose all records at exit.*SVC_AUDIT_SINK=production/],
    [{ SVC_AUDIT_SINK: 'kafka' }, /needs SVC_KAFKA_BROKERS/],
    [{ SVC_AUDIT_SINK: 'kafka', SVC_KAFKA_BROKERS: 'http://x' }, /host:port separated by commas/],
    [{ SVC_AUDIT_SINK: 'kafka', SVC_KAFKA_BROKERS: 'a:1', SVC_KAFKA_TOPIC: 'a b' }, /SVC_KAFKA_TOPIC is a b/],
    [{ SVC_ALLOWED_NETWORKS: '10.0.0.0/33' }, /names 10.0.0.0\/33/],
    [{ SVC_TRUSTED_ENGINES: 'me' }, /names me; it must be DIDs/],
    [{ SVC_TLS_CA: '/nowhere' }, /SVC_TLS_CA names \/nowhere, which cannot be read/],
    [{ SVC_CALLS_MAX: '0' }, /a whole number above 0/],
    [{ SVC_AUDIT_SINK: 'paper' }, /it must be one of production, kafka, memory/],
    [{ SVC_RATE_LIMIT_BACKEND: 'redis', SVC_REDIS_URL: 'http://127.0.0.1' }, /SVC_REDIS_URL must be an/],
    [{ SVC_RATE_LIMIT_BACKEND: 'paper' }, /it must be one of redis, memory/],
    [{ SVC_RATE_LIMITS: 'off' }, /svc-engine up only/],
    [{ SVC_MASTER_KEY: 'short' }, /32 bytes/],
    [{ MIM_MAX_MESSAGE_SIZE_BYTES: '8000000' }, /a whole number from 1024 to 7340032/],
  ] as const
  for (const [change, sentence] of refused) {
    assert.throws(() => readServeConfig({ ...complete, ...change }), sentence)
  }
})

test('all missing settings are named at once', () => {
  assert.throws(
    () => readServeConfig({}),
    /needs SVC_DB_URL, SVC_MASTER_KEY, SVC_TENANT_ID, SVC_AGENT_DID, SVC_REDIS_URL;/,
  )
})
