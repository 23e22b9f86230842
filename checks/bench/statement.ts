// A statement over a million events: read event by event, and from stored hours.
import { asOwner } from '@svc/audit/test-audit-log'
import type { GroupWord } from '@svc/protocols/economic/meal/statement'
import { statementOf } from '@svc/protocols/economic/meal/statement'
import { readUsage } from '@svc/protocols/economic/meal/statement-store'
import { keepHours } from '@svc/protocols/economic/usage/usage-hours'
import { openTestStore, type TestStore } from '../rehearsal/test-store.ts'

const tenant_id = 'bench'
const period = { from_ms: Date.UTC(2026, 9), to_ms: Date.UTC(2026, 10) }
const runs = 7

const fill = `
  INSERT INTO meter_events (tenant_id, at, seq, event_id, protocol, operation, caller_did, grant_name, origin,
    tokens_in, tokens_out, ms, uwh, bps_tokens, bps_seconds, bps_watts, rate, quanta)
  SELECT '${tenant_id}', '2026-10-01T00:00:00Z'::timestamptz + n * interval '31 days' / ($1::bigint + 1), n,
    gen_random_uuid(), 'PROTOCOL' || n % 20, 'operation' || n % 60, 'did:oas:bench:agent:' || repeat('ab', 31) || n % 10,
    'svc.*.*', 'http', n % 1000, n % 100, 1 + n % 50, n % 70, 10000, 10000, 0, 0,
    ((n % 1000 + n % 100) * 30000000000000 + (1 + n % 50) * 180000000000000)::numeric
  FROM generate_series(1, $1::bigint) n`

export async function measureStatement(events: number): Promise<Record<string, unknown>> {
  const store = await openTestStore()
  try {
    await asOwner(store.database.url, async (client) => {
      await client.query(fill, [events])
      await client.query('VACUUM ANALYZE meter_events')
    })
    const whole = await medianOf(store, [], true)
    const begun = performance.now()
    const hours = await keepHours(store.store.engine, tenant_id, period.to_ms + 3_600_000)
    const keep_ms = performance.now() - begun
    await asOwner(store.database.url, (client) => client.query('ANALYZE meter_sums; ANALYZE meter_hours'))
    const warm = await medianOf(store, [])
    const grouped = await medianOf(store, ['operation', 'agent', 'day'])
    if (warm.hash !== whole.hash) throw new Error('kept hours say something else than their events')
    console.log(
      `\nstatement over ${events} events: ${whole.ms.toFixed(0)} ms event by event, ` +
        `${warm.ms.toFixed(0)} ms with ${hours} kept hours (kept in ${keep_ms.toFixed(0)} ms), ` +
        `${grouped.ms.toFixed(0)} ms grouped by operation, agent and day`,
    )
    return { events, hours, whole_ms: whole.ms, keep_ms, kept_ms: warm.ms, grouped_ms: grouped.ms }
  } finally {
    await store.close()
  }
}

async function medianOf(store: TestStore, by: readonly GroupWord[], whole = false) {
  const times: number[] = []
  let hash = ''
  for (let run = 0; run < runs; run++) {
    const begun = performance.now()
    const usage = await store.as(tenant_id, (db) => readUsage(db, tenant_id, period, by, whole))
    hash = statementOf(usage).statement_hash
    times.push(performance.now() - begun)
  }
  return { ms: times.sort((a, b) => a - b)[Math.floor(runs / 2)]!, hash }
}
