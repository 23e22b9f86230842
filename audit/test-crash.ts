// Run as a separate process by a test: writes records, reports which answers were sent, and dies abruptly.
import { writeSync } from 'node:fs'
import { entryOf, openTestAuditLog } from './test-audit-log.ts'

const [db_url, dir, turns] = process.argv.slice(2)
if (!db_url || !dir) throw new Error('test-crash.ts <database> <folder> <turns>')
const audit_log = await openTestAuditLog(db_url, dir, { segment_bytes: 20_000 })
for (let turn = 0; turn < Number(turns); turn++) {
  const entries = ['crash-a', 'crash-b', 'crash-a'].map((tenant) => entryOf(tenant, { meta: { turn } }))
  for (const entry of entries) audit_log.record(entry)
  await audit_log.written()
  writeSync(1, entries.map((entry) => `${entry.tenant_id} ${entry.id}\n`).join(''))
}
process.kill(process.pid, 'SIGKILL')
