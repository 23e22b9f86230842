import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import type { FastifyRequest } from 'fastify'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { addressOf, openThrottle } from './address.ts'

function from(remoteAddress: string, forwarded?: string): FastifyRequest {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return { headers, socket: { remoteAddress } } as unknown as FastifyRequest
}

test('the address is the one our own proxy saw, whatever precedes it', () => {
  assert.equal(addressOf(from('192.0.2.1'), 0), '192.0.2.1')
  assert.equal(
    addressOf(from('192.0.2.1', '203.0.113.9'), 0),
    '192.0.2.1',
    'without a proxy nobody is believed',
  )
  assert.equal(addressOf(from('10.0.0.1', '6.6.6.6, 203.0.113.9'), 1), '203.0.113.9')
  assert.equal(addressOf(from('10.0.0.1', '6.6.6.6, 203.0.113.9, 10.0.0.2'), 2), '203.0.113.9')
  assert.equal(addressOf(from('10.0.0.1'), 1), '10.0.0.1')
  assert.equal(addressOf(from('10.0.0.1', 'x'.repeat(500)), 1).length, 64)
})

test('one IPv6 network is one address', () => {
  const same = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:2:3:4:5:6'].map((ip) =>
    addressOf(from(ip), 0),
  )
  assert.deepEqual(new Set(same), new Set(['2001:db8:1:2::/64']))
  assert.notEqual(addressOf(from('2001:db8:1:3::1'), 0), same[0])
  assert.equal(addressOf(from('::ffff:192.0.2.1'), 0), '::ffff:192.0.2.1')
})

test('each address has its own limit per minute', () => {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const throttle = openThrottle(3, clock)
  for (let i = 0; i < 3; i++) throttle.take('a')
  assert.throws(
    () => throttle.take('a'),
    (thrown) =>
      thrown instanceof Refusal && thrown.code === 'rate_limited' && thrown.details.retry_after_ms === 60_000,
  )
  throttle.take('b')
  clock.advance(60_001)
  throttle.take('a')
})
