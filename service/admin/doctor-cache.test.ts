import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { openRedisLink } from '@svc/adapters/redis/link'
import { redis_clock, redisScript } from '@svc/adapters/redis/script'
import { freePorts } from '../../checks/engines/running-engine.ts'
import { makeCertificate } from '../../checks/neighbours/test-certificate.ts'
import { startRedis, type TestRedis } from '../../checks/neighbours/test-redis.ts'
import { reader } from '../settings/reader.ts'
import { lookAtCache } from './doctor-cache.ts'

let redis: TestRedis
before(async () => {
  redis = await startRedis()
})
after(() => redis.close())

async function look(url: string): Promise<string> {
  const env = { SVC_RATE_LIMIT_BACKEND: 'redis', SVC_REDIS_URL: url }
  const [finding] = await lookAtCache({ env, data_dir: undefined, read: reader(env, 'serve') })
  return `${finding!.status}: ${finding!.seen}`
}

test('a real Redis: with and without a password, full, and absent', async () => {
  assert.match(await look(redis.url), /^ok: Redis answers at 127/)
  await redis.command('CONFIG SET maxmemory 1')
  assert.match(await look(redis.url), /^warn: .* refuses writes: -OOM/)
  await redis.command('CONFIG SET maxmemory 0')
  await redis.command('CONFIG SET requirepass s3cret%')
  const as = (login: string) => look(redis.url.replace('//', `//${login}@`))
  assert.match(await look(redis.url), /^warn: .* answers -NOAUTH/)
  assert.match(await as(':wrong'), /^warn: .* answers -WRONGPASS/)
  assert.match(await as(':s3cret%25'), /^ok/)
  assert.match(await as('default:s3cret%25'), /^ok/)
  assert.match(await look('redis://127.0.0.1:1'), /^fail: .*ECONNREFUSED/)
  assert.match(await look('http://127.0.0.1'), /^fail: SVC_REDIS_URL must be an address/)
})

test('a Redis behind TLS is trusted by its certificate, by the doctor and by the limiter', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-redis-tls-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const authority = makeCertificate({ name: 'authority of the test' })
  const { cert, key } = makeCertificate({ name: 'redis', issuer: authority, hosts: ['127.0.0.1'] })
  const [cert_file, key_file] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(cert_file, cert)
  writeFileSync(key_file, key)
  const port = await freePorts()
  const files = ['--tls-cert-file', cert_file, '--tls-key-file', key_file, '--tls-ca-cert-file', cert_file]
  const guarded = await startRedis(['--tls-port', String(port), ...files, '--tls-auth-clients', 'no'])
  t.after(() => guarded.close())
  const url = `rediss://127.0.0.1:${port}`
  assert.match(await look(url), /^fail: .*certificate/)
  const certificates = getCACertificates('default')
  t.after(() => setDefaultCACertificates(certificates))
  setDefaultCACertificates([...certificates, authority.cert])
  assert.match(await look(url), /^ok/)
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  const link = openRedisLink(url, redisScript(redis_clock), quiet)
  t.after(() => link.close())
  await link.tried
  assert.equal(link.isUp(), true)
})
