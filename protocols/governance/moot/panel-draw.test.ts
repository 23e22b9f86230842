// The record of a filing in the venue's audit log, which fixes what the panel is drawn from.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { entryOf, newFolder, openTestAuditLog, recorded } from '@svc/audit/test-audit-log'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { filingCheckpoint } from './panel-draw.ts'

let scene: TestStore
let audit_log: Awaited<ReturnType<typeof openTestAuditLog>>
before(async () => {
  scene = await openTestStore()
  audit_log = await openTestAuditLog(scene.database.url, await newFolder())
})
after(async () => {
  await audit_log.close()
  await scene.close()
})

test('a hundred filings under one correlation id do not hide the one that is drawn', async () => {
  const correlation_id = randomUUID()
  const begin_ms = Date.parse('2026-11-15T10:00:00.000Z')
  const filings = Array.from({ length: 101 }, (_, nth) => ({
    filed_at: new Date(begin_ms + nth),
    case_id: randomUUID(),
    eligible_hash: `sha256:${String(nth).padStart(64, '0')}`,
  }))
  for (const { filed_at, ...meta } of filings) {
    const filing = { event_type: 'CaseFiled', correlation_id, timestamp: filed_at.toISOString(), meta }
    const entry = entryOf('court', filing as Parameters<typeof entryOf>[1])
    if (meta.case_id === filings.at(-1)!.case_id) await recorded(audit_log, entry)
    else audit_log.record(entry)
  }
  const { filed_at, ...last } = filings.at(-1)!
  const draw = {
    ...last,
    correlation_id,
    seats: 1,
    eligible: [],
    follows: null,
    checkpoint: null,
    drawn_order: null,
  }
  const note = await filingCheckpoint(scene.store.engine, { venue: 'court', filed_at }, draw)
  assert.match(note ?? 'none', /^svc\/court\n101\n/)
})
