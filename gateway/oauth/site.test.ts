import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mcpResourceAt, metadataUrlOf } from './metadata.ts'
import { openSite } from './site.ts'

test('an indicator names a surface by scheme, host, port and path, in any case and with or without a final slash', () => {
  const site = openSite()
  site.settle('https://svc.example/', 'https://mcp.example/a/mcp')
  const table: [string, ReturnType<typeof site.surfaceOf>][] = [
    ['https://svc.example', 'engine'],
    ['HTTPS://SVC.example:443/', 'engine'],
    ['https://mcp.example/a/mcp', 'mcp'],
    ['https://MCP.example/a/mcp/', 'mcp'],
    ['https://mcp.example/a/sse', 'mcp'],
    ['https://mcp.example/A/mcp', undefined],
    ['https://mcp.example', undefined],
    ['https://svc.example/mcp', undefined],
    ['http://svc.example', undefined],
    ['https://svc.example?x', undefined],
    ['https://svc.example#x', undefined],
    ['https://u@svc.example', undefined],
    ['svc.example', undefined],
    ['', undefined],
  ]
  for (const [indicator, surface] of table) assert.equal(site.surfaceOf(indicator), surface, indicator)
  assert.equal(openSite().surfaceOf(''), undefined)
})

test('metadata are where RFC 9728 puts them, and nowhere else', () => {
  const site = openSite()
  site.settle('https://svc.example', 'https://mcp.example/a/mcp')
  const root = '/.well-known/oauth-protected-resource'
  assert.equal(metadataUrlOf(site.mcp_url!), `https://mcp.example${root}/a/mcp`)
  const resourceAt = (path: string) => mcpResourceAt(site, path)?.resource
  for (const path of ['', '/mcp', '/a/mcp']) assert.equal(resourceAt(root + path), site.mcp_url)
  for (const path of ['/sse', '/a/sse']) assert.equal(resourceAt(root + path), 'https://mcp.example/a/sse')
  for (const path of [`${root}/b`, `${root}/`, `${root}x`, '/', `${root}/__proto__`])
    assert.equal(resourceAt(path), undefined, path)
  const none = openSite()
  none.settle('https://svc.example')
  assert.equal(mcpResourceAt(none, root), undefined)
})
