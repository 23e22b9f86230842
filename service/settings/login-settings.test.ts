import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from './config-error.ts'
import { readLoginSettings, readMcpSettings } from './login-settings.ts'
import { reader } from './reader.ts'

const read = (env: Record<string, string>) => readLoginSettings(reader(env, 'up'))

test('defaults: the listening address, no proxy, no issuer', () => {
  assert.deepEqual(read({}), { public_url: undefined, proxy_hops: 0, upstream: undefined })
})

test('set values are read', () => {
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

test('settings that would send secrets in plain text, or are invalid, are refused', () => {
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

function readMcp(env: Record<string, string>, otherwise?: number) {
  return readMcpSettings(reader(env, 'up'), otherwise)
}

test('8601 by default; off is none; up uses its own', () => {
  assert.equal(readMcp({}).mcp_port, 8601)
  assert.equal(readMcp({}, 9002).mcp_port, 9002)
  assert.equal(readMcp({ SVC_MCP_PORT: '7000' }, 9002).mcp_port, 7000)
  assert.equal(readMcp({ SVC_MCP_PORT: 'off' }).mcp_port, undefined)
  for (const wrong of ['x', '-1', '65536', '1.5'])
    assert.throws(
      () => readMcp({ SVC_MCP_PORT: wrong }),
      /^ConfigError: SVC_MCP_PORT is .*; it must be a port, or off/,
    )
})

test('tokens are sent there: https, or http on this machine, and a usable base address', () => {
  const good = ['https://svc.example/mcp', 'https://svc.example/a/b/mcp', 'http://127.0.0.1:8601/mcp']
  for (const url of good) assert.equal(readMcp({ SVC_MCP_URL: url }).mcp_public_url, url)
  assert.equal(readMcp({ SVC_MCP_URL: 'HTTPS://SVC.example/mcp' }).mcp_public_url, 'https://svc.example/mcp')
  assert.equal(readMcp({}).mcp_public_url, undefined)
  const both = { SVC_MCP_URL: 'https://svc.example/mcp', SVC_PUBLIC_URL: 'https://SVC.example/mcp' }
  assert.throws(() => readMcp(both), /are the same/)
  for (const wrong of [
    'http://svc.example/mcp',
    'https://svc.example',
    'https://svc.example/mcp/',
    'https://svc.example/mcp?x=1',
    'https://u:p@svc.example/mcp',
    'svc.example/mcp',
  ])
    assert.throws(
      () => readMcp({ SVC_MCP_URL: wrong }),
      /^ConfigError: SVC_MCP_URL (is .*; it )?must be an https address/,
    )
})
