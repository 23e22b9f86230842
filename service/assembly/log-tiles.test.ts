import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Query } from '@svc/audit/query/client-query'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { openLogTiles, public_cached_ms } from './log-tiles.ts'

test('whether a log is public is asked once in two seconds', async () => {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  let [queries, rows] = [0, [{ tenant_id: 'acme' }]]
  const query: Query = async <Row>() => {
    queries++
    return rows as Row[]
  }
  const log_tiles = openLogTiles(query, clock)
  assert.equal(await log_tiles.isPublic('acme'), true)
  rows = []
  clock.advance(public_cached_ms - 1)
  assert.equal(log_tiles.isPublic('acme'), true)
  assert.equal(queries, 1)
  clock.advance(1)
  assert.equal(await log_tiles.isPublic('acme'), false)
  assert.equal(log_tiles.isPublic('acme'), false)
  assert.equal(queries, 2)
})

test('a path that names no tile costs no query', async () => {
  const query: Query = () => assert.fail('the database was asked')
  const log_tiles = openLogTiles(query, manualClock('2026-11-15T10:00:00.000Z'))
  assert.equal(await log_tiles.tile('acme', '0/1'), undefined)
})
