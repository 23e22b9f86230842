import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSentinelUrl, sentinelsOf } from './sentinel.ts'

test('sentinels and the login of the servers are read from one address', () => {
  const place = sentinelsOf('rediss+sentinel://svc:p%40ss@one:26379,10.0.0.2:26380/shared-1')
  assert.deepEqual(
    [place.name, place.sentinels],
    ['shared-1', ['rediss://one:26379', 'rediss://10.0.0.2:26380']],
  )
  assert.equal(place.urlAt('10.0.0.9', '6379'), 'rediss://svc:p%40ss@10.0.0.9:6379')
  assert.equal(sentinelsOf('redis+sentinel://one:1/m').urlAt('::1', '6379'), 'redis://[::1]:6379')
})

test('an address without a master, a port or sentinels is none', () => {
  for (const text of [
    'redis+sentinel://one:1',
    'redis+sentinel://one/m',
    'redis+sentinel:///m',
    'redis://one:1/m',
  ])
    assert.equal(isSentinelUrl(text), false, text)
})
