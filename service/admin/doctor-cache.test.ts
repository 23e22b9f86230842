import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openRedisLink } from '@svc/adapters/redis/link'
import { redis_clock, redisScript } from '@svc/adapters/redis/script'
import { freePorts } from '../../checks/engines/running-engine.ts'
import { startRedis, type TestRedis } from '../../checks/neighbours/test-redis.ts'
import { testTls } from '../../checks/neighbours/test-tls.ts'
import { OwnTls, type TlsFiles } from '../settings/own-tls.ts'
import { type Environment, reader } from '../settings/reader.ts'
import { lookAtCache } from './doctor-cache.ts'

let redis: TestRedis
before(async () => {
  redis = await startRedis()
})
after(() => redis.close())

async function look(url: string, more: Environment = {}): Promise<string> {
  const env = { ...more, SVC_RATE_LIMIT_BACKEND: 'redis', SVC_REDIS_URL: url }
  const [finding] = await lookAtCache({ env, data_dir: undefined, read: reader(env, 'serve') })
  return `${finding!.status}: ${finding!.seen}`
}

test('a real Redis: with and without a password, full, and absent', async () => {
  assert.match(await look(redis.url), /^ok: Redis answers at 127/)
  await redis.command('CONFIG SET maxmemory 1')
  assert.match(await look(redis.url), /^warn: .* refuses writes: -OOM/)
  await redis.command('CONFIG SET maxmemory 1000000000')
  assert.match(await look(redis.url), /^ok/)
  await redis.command('CONFIG SET maxmemory-policy allkeys-lru')
  assert.match(await look(redis.url), /^warn: .* may delete counts .* maxmemory-policy is allkeys-lru/)
  await redis.command('CONFIG SET maxmemory 0')
  assert.match(await look(redis.url), /^ok/)
  await redis.command('CONFIG SET requirepass s3cret%')
  const as = (login: string) => look(redis.url.replace('//', `//${login}@`))
  assert.match(await look(redis.url), /^warn: .* answers -NOAUTH/)
  assert.match(await as(':wrong'), /^warn: .* answers -WRONGPASS/)
  assert.match(await as(':s3cret%25'), /^ok/)
  assert.match(await as('default:s3cret%25'), /^ok/)
  assert.match(await look('redis://127.0.0.1:1'), /^fail: .*ECONNREFUSED/)
  assert.match(await look('http://127.0.0.1'), /^fail: SVC_REDIS_URL must be an address/)
})

test('a Redis with TLS is trusted by SVC_TLS_CA, and gets the certificate that it demands', async (t) => {
  const tls = testTls()
  t.after(() => tls.close())
  const { cert_file, key_file } = tls.issue('redis')
  const own = tls.issue('engine')
  const port = await freePorts()
  const files = ['--tls-cert-file', cert_file, '--tls-key-file', key_file, '--tls-ca-cert-file', tls.ca_file]
  const guarded = await startRedis(['--tls-port', String(port), ...files, '--tls-auth-clients', 'yes'])
  t.after(() => guarded.close())
  const url = `rediss://127.0.0.1:${port}`
  const env = { SVC_TLS_CA: tls.ca_file, SVC_TLS_CERT: own.cert_file, SVC_TLS_KEY: own.key_file }
  assert.match(await look(url), /^fail: .*certificate/)
  assert.match(await look(url, { SVC_TLS_CA: tls.ca_file }), /^fail: /)
  assert.match(await look(url, env), /^ok/)
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  const upWith = async (files: TlsFiles) => {
    const link = openRedisLink(url, redisScript(redis_clock), quiet, () => {}, new OwnTls(files).client)
    t.after(() => link.close())
    await link.tried
    return link.isUp()
  }
  const { ca_file } = tls
  assert.equal(await upWith({ ca_file, cert_file: own.cert_file, key_file: own.key_file }), true)
  assert.equal(await upWith({ ca_file }), false)
  assert.equal(await upWith({ cert_file: own.cert_file, key_file: own.key_file }), false)
})
