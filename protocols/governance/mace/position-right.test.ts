import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeldCapability } from '@svc/contract/authority/capability'
import { mayVoteItself } from './position-right.ts'

const now = '2026-11-15T10:00:00Z'
const heldBy = (source: HeldCapability['source'], more: Partial<HeldCapability> = {}): HeldCapability => ({
  name: 'svc.mace.*',
  caveats: [],
  source,
  ...more,
})

test('a delegation token cannot vote, whatever its holder may do otherwise', () => {
  assert.ok(!mayVoteItself([heldBy('delegation'), heldBy('delegation', { name: 'svc.*.*' })], now))
  assert.ok(!mayVoteItself([heldBy('delegation'), heldBy('key', { name: 'svc.mace.tally' })], now))
  assert.ok(!mayVoteItself([heldBy('delegation'), heldBy('declared', { expires_at: now })], now))
  for (const source of ['key', 'declared', 'envelope'] as const)
    assert.ok(mayVoteItself([heldBy('delegation'), heldBy(source)], now), source)
})
