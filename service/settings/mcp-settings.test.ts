import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMcpSettings } from './mcp-settings.ts'

function read(env: Record<string, string>, otherwise?: number) {
  return readMcpSettings(
    (name) => env[name],
    (sentence) => new Error(sentence),
    otherwise,
  )
}

test('8601 unless told; off is none; up takes its own', () => {
  assert.equal(read({}).mcp_port, 8601)
  assert.equal(read({}, 9002).mcp_port, 9002)
  assert.equal(read({ SVC_MCP_PORT: '7000' }, 9002).mcp_port, 7000)
  assert.equal(read({ SVC_MCP_PORT: 'off' }).mcp_port, undefined)
  for (const wrong of ['x', '-1', '65536', '1.5'])
    assert.throws(
      () => read({ SVC_MCP_PORT: wrong }),
      /^Error: SVC_MCP_PORT is .*; it must be a port, or off/,
    )
})

test('tokens travel there: https, or http on this machine, and an address clients can build on', () => {
  const good = ['https://svc.example/mcp', 'https://svc.example/a/b/mcp', 'http://127.0.0.1:8601/mcp']
  for (const url of good) assert.equal(read({ SVC_MCP_URL: url }).mcp_public_url, url)
  assert.equal(read({ SVC_MCP_URL: 'HTTPS://SVC.example/mcp' }).mcp_public_url, 'https://svc.example/mcp')
  assert.equal(read({}).mcp_public_url, undefined)
  const both = { SVC_MCP_URL: 'https://svc.example/mcp', SVC_PUBLIC_URL: 'https://SVC.example/mcp' }
  assert.throws(() => read(both), /are the same/)
  for (const wrong of [
    'http://svc.example/mcp',
    'https://svc.example',
    'https://svc.example/mcp/',
    'https://svc.example/mcp?x=1',
    'https://u:p@svc.example/mcp',
    'svc.example/mcp',
  ])
    assert.throws(
      () => read({ SVC_MCP_URL: wrong }),
      /^Error: SVC_MCP_URL is .*; it must be an https address/,
    )
})
