// Run as a separate process by a test: records calls of a busy, a middling and a quiet tenant for ever, and reports what is written.
import { entryOf, openTestAuditLog } from '@svc/audit/test-audit-log'
import { usage_projection, usageMeta } from '@svc/protocols/economic/usage/test-usage'

const [url, dir] = process.argv.slice(2)
if (!url || !dir) throw new Error('writing-records.ts <database> <folder>')
const turns = { busy: 300, middling: 20, quiet: 1 }
const audit_log = await openTestAuditLog(url, dir, { projection_modules: [usage_projection] })
for (const tenant_id of Object.keys(turns)) await audit_log.ready(tenant_id)
for (;;) {
  const ids: string[] = []
  for (const [tenant_id, records] of Object.entries(turns))
    for (let place = 0; place < records; place++) {
      const entry = entryOf(tenant_id, { meta: usageMeta('180000000000000') })
      audit_log.record(entry)
      ids.push(`${tenant_id}/${entry.id}`)
    }
  await audit_log.written()
  process.stdout.write(`${ids.join(' ')} end\n`)
}
