import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from './config.ts'
import { ConfigError } from './config-error.ts'

const read = (env: Record<string, string>) => readSettings(env).login

test('nothing set: the listening address, no proxy, no issuer', () => {
  assert.deepEqual(read({}), { public_url: undefined, proxy_hops: 0, upstream: undefined })
})

test('what is set is read', () => {
  const env = {
    SVC_PUBLIC_URL: 'https://svc.example',
    SVC_PROXY_HOPS: '2',
    SVC_OIDC_ISSUER: 'https://login.example',
    SVC_OIDC_CLIENT_ID: 'svc',
    SVC_OIDC_CLIENT_SECRET: 's',
    SVC_OIDC_TENANT: 'acme',
  }
  assert.deepEqual(read(env), {
    public_url: 'https://svc.example',
    proxy_hops: 2,
    upstream: { issuer: 'https://login.example', client_id: 'svc', client_secret: 's', tenant_id: 'acme' },
  })
  for (const url of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])
    assert.equal(read({ SVC_PUBLIC_URL: url }).public_url, url)
})

test('what would send secrets in the clear, or makes no sense, is refused', () => {
  const faulty: Record<string, string>[] = [
    { SVC_PUBLIC_URL: 'http://svc.example' },
    { SVC_PUBLIC_URL: 'svc.example' },
    { SVC_PUBLIC_URL: 'https://svc.example?x=1' },
    { SVC_PUBLIC_URL: 'https://user@svc.example' },
    { SVC_PROXY_HOPS: '-1' },
    { SVC_PROXY_HOPS: 'many' },
    { SVC_OIDC_ISSUER: 'https://login.example' },
    { SVC_OIDC_CLIENT_ID: 'svc' },
    { SVC_OIDC_ISSUER: 'http://login.example', SVC_OIDC_CLIENT_ID: 'svc' },
  ]
  for (const env of faulty) assert.throws(() => read(env), ConfigError, JSON.stringify(env))
})
