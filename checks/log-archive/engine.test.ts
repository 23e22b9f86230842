// An engine with an archive: it archives by itself, answers from the archive, and refuses while that is away.
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { asOwner, newFolder } from '@svc/audit/test-audit-log'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { type Answer, dispatch } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'

let service: InProcessService
let folder: string
before(async () => {
  folder = await newFolder()
  const log_archive = { place: { kind: 'file', folder }, hot_days: 1e-9 } as const
  service = await startInProcess({
    config: { log_archive, limits: 'off' },
    caller: { capabilities: ['svc.max.*'] },
  })
})
after(() => service.stop())

const ask = (operation: string, input: object): Promise<Answer> =>
  dispatch(service, { protocol: 'MAX', operation, input })

const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }

async function archivedPages(): Promise<number> {
  const sql = 'SELECT count(*)::int AS pages FROM audit_pages WHERE tenant_id = $1 AND bytes IS NULL'
  const { rows } = await asOwner(service.db_url, (client) => client.query(sql, [service.tenant_id]))
  return rows[0].pages
}

test('an engine archives old pages, refuses what needs them while the archive is away, and answers from it', async () => {
  const first = await ask('audit_query', { before_seq: 1_000_000, limit: 1 })
  assert.equal(first.status, 200)
  const correlation_id = first.headers.get('x-correlation-id')!
  for (let call = 0; call < 560; call += 40)
    await Promise.all(
      Array.from({ length: 40 }, () => ask('audit_query', { before_seq: 1_000_000, limit: 1 })),
    )
  await until('two pages are full and archived', async () => (await archivedPages()) >= 2)

  // Nothing has read them yet, so that nothing is in memory.
  await rename(folder, `${folder}-away`)
  try {
    const { status, body } = await ask('audit_query', { after_seq: 0, limit: 10 })
    assert.deepEqual(
      [status, body.error.code, body.error.details.unavailable],
      [503, 'unavailable', 'log_archive'],
    )
    assert.match(body.error.message, /The archive of the audit log cannot be reached now/)
    assert.equal((await ask('audit_query', { before_seq: 1_000_000, limit: 1 })).status, 200)
  } finally {
    await rename(`${folder}-away`, folder)
  }

  const oldest = await ask('audit_query', { after_seq: 156, limit: 200, verify: true })
  assert.deepEqual([oldest.status, oldest.body.output?.verified], [200, { ok: true }])
  assert.equal(oldest.body.output.records.length, 200)
  assert.ok(oldest.body.output.records.every(({ meta }: { meta: object }) => !('unreadable' in meta)))
  const proved = await ask('audit_query', { after_seq: 200, limit: 100, include_proofs: true })
  assert.deepEqual([proved.status, proved.body.output?.proofs.length], [200, 100])
  const why = await ask('explainability_request', { correlation_id })
  assert.deepEqual([why.status, why.body.output?.decision], [200, 'allowed'])
  const report = await ask('compliance_report', { period })
  assert.deepEqual([report.status, report.body.output?.chain_verified], [200, true])
  const metrics = await (await fetch(service.metrics_url)).text()
  assert.match(metrics, /^svc_log_archive_pages_total [2-9]/m)
  assert.match(metrics, /^svc_log_archive_read_failures_total [1-9]/m)
})
