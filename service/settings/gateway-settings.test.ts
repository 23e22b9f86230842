import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { makeCertificate } from '../../checks/neighbours/test-certificate.ts'
import { readCertificate } from './certificate.ts'
import { readSettings } from './config.ts'
import { makeGatewayKey, readGatewayConfig } from './gateway-settings.ts'
import { reader } from './reader.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-gateway-settings-'))
after(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const seed = Buffer.alloc(32, 7)
const good = {
  SVC_API_URL: 'https://engine.example:8443',
  SVC_DB_URL: 'postgresql://db/svc',
  SVC_TENANT_ID: 'operator',
  SVC_ENGINE_DID: newIdentity('operator', 'service').did,
  SVC_GATEWAY_KEY: seed.toString('hex'),
  SVC_TLS_CERT: '/etc/svc/tls.crt',
  SVC_TLS_KEY: '/etc/svc/tls.key',
}

test('the settings of a gateway, with their defaults', () => {
  const config = readGatewayConfig(good)
  assert.deepEqual([config.host, config.port], ['0.0.0.0', 443])
  const { cert_file, key_file } = config.tls.files
  assert.deepEqual([cert_file, key_file], ['/etc/svc/tls.crt', '/etc/svc/tls.key'])
  assert.deepEqual(
    [config.silence_ms_max, config.shutdown_grace_ms, config.tls.files.ca_file],
    [120_000, 30_000, undefined],
  )
  assert.match(config.signer.did, /^did:oas:operator:service:[0-9a-f]{64}$/)
  for (const SVC_GATEWAY_KEY of [seed.toString('base64url'), pemOf('ed25519')])
    assert.match(readGatewayConfig({ ...good, SVC_GATEWAY_KEY }).signer.did, /^did:oas:operator:service:/)
})

function pemOf(kind: 'ed25519' | 'x25519'): string {
  const { privateKey } = generateKeyPairSync(kind as 'ed25519')
  return privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
}

test('all missing settings are named in one sentence', () => {
  assert.throws(() => readGatewayConfig({}), {
    message:
      'svc-engine gateway needs SVC_API_URL, SVC_ENGINE_DID, SVC_GATEWAY_KEY, SVC_DB_URL, SVC_TENANT_ID, ' +
      'SVC_TLS_CERT, SVC_TLS_KEY; set them and start again.',
  })
})

test('plain HTTP is for this machine only', () => {
  const { SVC_TLS_CERT: _, SVC_TLS_KEY: __, ...bare } = good
  const plain = { ...bare, SVC_GATEWAY_PLAIN: 'loopback' }
  assert.deepEqual([readGatewayConfig(plain).host, readGatewayConfig(plain).is_plain], ['127.0.0.1', true])
  for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', 'localhost'])
    readGatewayConfig({ ...plain, APP_BIND_ADDR: `${host}:8443` })
  for (const host of ['0.0.0.0', '10.0.0.1', '[::]', '127.0.0.1.example.com'])
    assert.throws(
      () => readGatewayConfig({ ...plain, APP_BIND_ADDR: `${host}:8443` }),
      /on this machine only/,
    )
  assert.throws(() => readGatewayConfig({ ...good, SVC_GATEWAY_PLAIN: 'yes' }), /it must be one of loopback/)
})

test('invalid settings are refused with what to write, and no secret is repeated', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ SVC_API_URL: 'engine:8080' }, /^SVC_API_URL names engine:8080; it must be addresses of engines/],
    [{ SVC_API_URL: 'https://engine/v1' }, /^SVC_API_URL names/],
    [{ SVC_API_URL: 'ftp://engine' }, /^SVC_API_URL names/],
    [{ SVC_API_URL: 'https://user@engine' }, /^SVC_API_URL must be addresses/],
    [{ SVC_API_URL: 'https://a:1, https://b:1,https://a:1/' }, /^SVC_API_URL names https:\/\/a:1 twice/],
    [{ SVC_ENGINE_DID: 'did:web:engine' }, /^SVC_ENGINE_DID is did:web:engine/],
    [{ SVC_GATEWAY_KEY: 'my secret' }, /^SVC_GATEWAY_KEY is not an Ed25519 private key/],
    [{ SVC_GATEWAY_KEY: pemOf('x25519') }, /^SVC_GATEWAY_KEY is not an Ed25519 private key/],
    [{ SVC_TENANT_ID: 'No Tenant' }, /^SVC_TENANT_ID is No Tenant, which cannot be part of a DID/],
    [{ SVC_TLS_CA: join(folder, 'none') }, /^SVC_TLS_CA names .*which cannot be read/],
    [{ SVC_TLS_KEY: '' }, /needs SVC_TLS_KEY/],
    [{ SVC_TLS_CA: file('ca', 'no certificate') }, /^SVC_TLS_CA names .*contains no certificate/],
    [{ SVC_GATEWAY_WAIT_SECONDS: '0' }, /^SVC_GATEWAY_WAIT_SECONDS is 0/],
    [{ APP_BIND_ADDR: 'here' }, /^APP_BIND_ADDR is here/],
  ]
  for (const [change, sentence] of wrong) {
    assert.throws(
      () => readGatewayConfig({ ...good, ...change }),
      (error: Error) => {
        assert.match(error.message, sentence)
        assert.ok(!error.message.includes('my secret'))
        return error.name === 'ConfigError'
      },
    )
  }
})

test('an engine trusts the configured gateways, by DID, and requires one only if there is one', () => {
  const dids = [newIdentity('operator', 'service').did, newIdentity('operator', 'service').did]
  const SVC_TRUSTED_GATEWAYS = ` ${dids.join(' , ')},`
  assert.deepEqual(readSettings(reader({ SVC_TRUSTED_GATEWAYS }, 'up')).trusted_gateways, dids)
  assert.deepEqual(readSettings(reader({}, 'up')).trusted_gateways, [])
  assert.equal(
    readSettings(reader({ SVC_TRUSTED_GATEWAYS, SVC_REQUIRE_GATEWAY: 'true' }, 'up')).require_gateway,
    true,
  )
  assert.throws(
    () => readSettings(reader({ SVC_REQUIRE_GATEWAY: 'true' }, 'up')),
    /needs SVC_TRUSTED_GATEWAYS/,
  )
  assert.throws(() => readSettings(reader({ SVC_REQUIRE_GATEWAY: 'yes' }, 'up')), /it must be true or false/)
  assert.throws(
    () => readSettings(reader({ SVC_TRUSTED_GATEWAYS: 'gateway.example' }, 'up')),
    /names gateway.example; it must be DIDs/,
  )
})

test('a new key is written once, for its owner only, and its DID is the one the gateway will have', () => {
  const path = join(folder, 'gateway.key')
  const did = makeGatewayKey(path, good)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const { SVC_GATEWAY_KEY: _, ...rest } = good
  assert.equal(readGatewayConfig({ ...rest, SVC_GATEWAY_KEY_FILE: path }).signer.did, did)
  const stored = readFileSync(path, 'utf8')
  assert.throws(() => makeGatewayKey(path, good), /could not be written .*choose another file/)
  assert.equal(readFileSync(path, 'utf8'), stored)
  assert.throws(() => makeGatewayKey(join(folder, 'other'), {}), /set SVC_TENANT_ID/)
})

test('a certificate and its key are accepted only as a pair that is valid now', () => {
  const now_ms = Date.parse('2027-01-02T03:04:05Z')
  const day_ms = 86_400_000
  const valid = { from_ms: now_ms - day_ms, to_ms: now_ms + day_ms }
  const pair = makeCertificate({ name: 'a', hosts: ['a.example'], ...valid })
  const other = makeCertificate({ name: 'b', hosts: ['b.example'], ...valid })
  const cert_file = file('a.crt', pair.cert + other.cert)
  const key_file = file('a.key', pair.key)
  assert.equal(readCertificate({ cert_file, key_file }, now_ms).key, pair.key)
  const encrypted = pair.private_key.export({
    format: 'pem',
    type: 'pkcs8',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  })
  const faults: [Partial<{ cert_file: string; key_file: string }>, RegExp, number?][] = [
    [{ cert_file: join(folder, 'none') }, /^SVC_TLS_CERT names .*none, which cannot be read/],
    [{ key_file: join(folder, 'none') }, /^SVC_TLS_KEY names .*none, which cannot be read/],
    [{ cert_file: key_file }, /^SVC_TLS_CERT names .*contains no certificate/],
    [{ key_file: cert_file }, /^SVC_TLS_KEY names .*contains no private key/],
    [{ key_file: file('locked.key', encrypted as string) }, /without a passphrase/],
    [{ key_file: file('b.key', other.key) }, /is not the key of the certificate/],
    [{}, /expired on/, now_ms + 2 * day_ms],
    [{}, /is valid only from/, now_ms - 2 * day_ms],
  ]
  for (const [change, sentence, at = now_ms] of faults) {
    const error = { name: 'ConfigError', message: sentence }
    assert.throws(() => readCertificate({ cert_file, key_file, ...change }, at), error)
  }
})
