import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { listMotions } from './motion-store.ts'

let scene: TestStore

before(async () => {
  scene = await openTestStore()
})
after(() => scene?.close())

test('a motion stored by an engine of the previous version is listed in its place', async () => {
  const motions = ['10', '12', '11'].map((hour) => ({
    motion_id: `5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a${hour}`,
    convened_at: `2026-11-15T${hour}:00:00.000Z`,
  }))
  const listed_motions = await scene.as('acme', async (db) => {
    for (const body of motions)
      await sql`
        INSERT INTO motions (tenant_id, motion_id, council_id, motion_hash, body, state, next_at)
        VALUES ('acme', ${body.motion_id}, ${body.motion_id}, 'h', ${canonicalJson(body)}, 'OPEN', NULL)`.execute(
        db,
      )
    const now = '2026-11-16T00:00:00.000Z'
    return listMotions(db, 'acme', { now, since: motions[2]!.convened_at, before: null, limit: 10 })
  })
  assert.deepEqual(
    listed_motions.map(({ body }) => body.convened_at),
    [motions[1]!.convened_at, motions[2]!.convened_at],
  )
})
