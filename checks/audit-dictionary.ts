// Writes the dictionary that the audit log's pages are compressed with: records of every operation's example, without what is random.
// A dictionary never changes once a release has written with it: a better one is a new file and a new format (audit/pages/bodies.ts).
import { writeFileSync } from 'node:fs'
import { exportChain } from '@svc/audit/query/export'
import { catalogue } from '@svc/catalogue/catalogue'
import type { AuditBody } from '@svc/contract/audit/audit-record'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { Client } from 'pg'
import { dispatch } from './engines/running-engine.ts'
import { startExampleEngine } from './scenes/example-engine.ts'

/** More costs time for every small page, and saves little. */
const chars_max = 16 * 1024
const names_chars_max = 4 * 1024
const target = new URL('../audit/pages/dictionary-1.txt', import.meta.url)

/** Ids, hashes, times and what callers said: none of it comes again. */
const random =
  /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|(?<=T)\d\d:\d\d:\d\d\.\d{3}|(?<="credential":")[a-z2-7]{8}/g

function skeletonOf({ meta, ...record }: AuditBody): string {
  const { supplied: _, ...facts } = meta
  return canonicalJson({ ...record, meta: facts }).replaceAll(random, '')
}

async function exampleRecords(): Promise<AuditBody[]> {
  const service = await startExampleEngine()
  const tenants = new Set<string>([service.operator.tenant_id])
  for (const protocol of catalogue)
    for (const [operation, facts] of Object.entries(protocol.operations)) {
      const { you, input } = await service.prepare(facts)
      const call = { protocol: protocol.id, version: protocol.version, operation, tenant_id: you.tenant_id }
      await dispatch(you, { ...call, input })
      await dispatch(you, { ...call, input: { unknown: true } })
      tenants.add(you.tenant_id)
    }
  await service.service.audit_log.flush()
  const client = new Client({ connectionString: service.db_url })
  await client.connect()
  const records: AuditBody[] = []
  for (const tenant_id of tenants)
    for await (const line of exportChain(client, tenant_id)) {
      const { record } = JSON.parse(line)
      if (record) records.push(record)
    }
  await client.end()
  await service.stop()
  return records
}

/** The most frequent kinds last: what is near the end of a dictionary is cheapest to refer to. */
function dictionaryOf(records: readonly AuditBody[]): string {
  const kindOf = ({ event_type, outcome, meta }: AuditBody) => `${event_type} ${outcome} ${meta.grant_source}`
  const kinds = [...Map.groupBy(records, kindOf).values()].sort((a, b) => a.length - b.length)
  const samples = kinds.map(([first]) => skeletonOf(first!)).join('\n')
  const names = records.map(({ operation, protocol }) =>
    canonicalJson({ operation, outcome: 'success', protocol }),
  )
  const names_text = [...new Set(names)].join('\n').slice(0, names_chars_max)
  return names_text + samples.slice(names_text.length - chars_max)
}

const records = await exampleRecords()
writeFileSync(target, dictionaryOf(records))
process.exit(0)
