// The audit log alone: the cost of a record to the caller, how fast chains grow and verify, and whether
// queries stay fast as they grow.
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { startEmbeddedPostgres } from '@svc/adapters/store/embedded-postgres'
import { exportChain } from '@svc/audit/query/export'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Credential } from '@svc/engine/call'
import { default_limits } from '@svc/engine/limits/limits'
import { verifyExport } from '@svc/sdk/verify/export'
import { assemble, type Service } from '../../service/assembly/assemble.ts'
import { openLog } from '../../service/assembly/log.ts'
import type { Config } from '../../service/settings/config.ts'
import { readFacultySettings } from '../../service/settings/faculty-settings.ts'
import { readTrust } from '../../service/settings/identity-settings.ts'
import { readMeshSettings } from '../../service/settings/mesh-settings.ts'
import { readPluginSettings } from '../../service/settings/plugin-settings.ts'
import { reader } from '../../service/settings/reader.ts'

const tenant_id = 'bench'
const did = `did:oas:bench:agent:${'ab'.repeat(32)}`
const turn_records = 50
const sampled_max = 400
const pending_bytes_max = 64 * 1024 * 1024

export async function measureAuditLog(records_max: number): Promise<Record<string, unknown>> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-audit-log-'))
  const log = openLog('error')
  const postgres = await startEmbeddedPostgres({ data_dir: join(dir, 'postgres'), log })
  const service = await assemble(configFor(dir, postgres.url), {
    identity: localAdminResolver(),
    check_outputs: false,
  })
  try {
    await service.audit_log.ready(tenant_id)
    const record = await recordCost(service)
    console.log(
      `\nrecord(): p50 ${record.p50_us.toFixed(1)} µs, p99 ${record.p99_us.toFixed(1)} µs over ${record.count} records`,
    )
    const sizes: Record<string, unknown>[] = []
    let count = record.count
    const correlations: string[] = record.correlations
    for (const size of [10_000, 100_000, 1_000_000].filter((size) => size <= records_max)) {
      const filled = await fill(service, size - count, correlations)
      count = size
      const query = await queryCost(service, correlations)
      sizes.push({ size, ...filled, ...query })
      console.log(
        `${String(size).padStart(8)} records: journal ${filled.journal_per_s.toFixed(0)}/s, chain ${filled.chain_per_s.toFixed(0)}/s, ` +
          `audit_query by correlation p50 ${query.query_p50_ms.toFixed(2)} ms, p99 ${query.query_p99_ms.toFixed(2)} ms`,
      )
    }
    const verify = await verifyRate(service)
    console.log(`verify: ${verify.verify_per_s.toFixed(0)} records/s over ${verify.verified} records`)
    return { record, sizes, ...verify }
  } finally {
    await service.stop()
    await postgres.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

function configFor(dir: string, db_url: string): Config {
  const read = reader({}, 'up')
  return {
    log_level: 'error',
    host: '127.0.0.1',
    port: 0,
    metrics_port: 0,
    agent_did: `did:oas:operator:service:${'cd'.repeat(32)}`,
    tenant_id: 'operator',
    db_url,
    master_key: randomBytes(32),
    audit_dir: join(dir, 'audit'),
    audit_bytes_max: 2 ** 30,
    audit_fsync: 'interval',
    dissolution_notice_days: 7,
    log_archive: undefined,
    smtp: undefined,
    ...readPluginSettings(read),
    limits: default_limits,
    watts_per_core: 5,
    trace_sample_rate: 0,
    shutdown_grace_ms: 5000,
    protocols: [],
    otel_url: undefined,
    trusted_gateways: [],
    require_gateway: false,
    login: { public_url: undefined, proxy_hops: 0, upstream: undefined },
    agent_key: undefined,
    ...readTrust(read),
    ...readFacultySettings(read),
    ...readMeshSettings(read),
  }
}

function entry(correlation_id: string): AuditEntry {
  return {
    id: randomUUID(),
    event_type: 'ProtocolInvocation',
    correlation_id,
    timestamp: new Date().toISOString(),
    tenant_id,
    caller_did: did,
    protocol: 'MOTET',
    operation: 'emit',
    outcome: 'success',
    latency_ms: 0.123,
    meta: {
      capability: 'svc.motet.emit',
      grant: 'svc.*.*',
      input_hash: 'a'.repeat(64),
      origin: 'http',
      output_hash: 'b'.repeat(64),
      usage: { ms: 1, quanta: '180000000000000', tokens_in: 0, tokens_out: 0, uwh: 1 },
    },
  }
}

/** The time a caller spends inside record(), call by call. */
async function recordCost({ audit_log }: Service) {
  const times: number[] = []
  const correlations: string[] = []
  for (let turn = 0; turn < 160; turn++) {
    for (let i = 0; i < turn_records; i++) {
      const made = entry(randomUUID())
      if (correlations.length < sampled_max && i === 0) correlations.push(made.correlation_id)
      const begun = performance.now()
      audit_log.record(made)
      times.push((performance.now() - begun) * 1000)
    }
    await audit_log.written()
  }
  await audit_log.flush()
  // Compilation falls into the first rounds, which callers of a running engine do not see.
  const warm = times.slice(times.length / 4).sort((a, b) => a - b)
  return { p50_us: at(warm, 0.5), p99_us: at(warm, 0.99), count: times.length, correlations }
}

async function fill({ audit_log }: Service, count: number, correlations: string[]) {
  const begun = performance.now()
  let journalled_ms = 0
  for (let done = 0; done < count; done += turn_records) {
    const turn_begun = performance.now()
    for (let i = 0; i < Math.min(turn_records, count - done); i++) {
      const made = entry(randomUUID())
      if (i === 0 && done % 5000 === 0)
        correlations[Math.floor(Math.random() * sampled_max)] = made.correlation_id
      audit_log.record(made)
    }
    await audit_log.written()
    journalled_ms += performance.now() - turn_begun
    while (audit_log.pending_bytes() > pending_bytes_max)
      await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await audit_log.flush(300_000)
  return {
    journal_per_s: (count / journalled_ms) * 1000,
    chain_per_s: (count / (performance.now() - begun)) * 1000,
  }
}

/** Through the whole pipeline, as a caller would. */
async function queryCost({ engine }: Service, correlations: readonly string[]) {
  const credential: Credential = { key_id: 'bench', did, tenant_id, tier: 'sovereign', capabilities: [] }
  const times: number[] = []
  const answered = correlations.filter(Boolean)
  for (const correlation_id of [...answered, ...answered]) {
    const begun = performance.now()
    const outcome = await engine.dispatch({
      request: {
        protocol: 'MAX',
        version: 'v1',
        operation: 'audit_query',
        tenant_id,
        input: { correlation_id },
      },
      credential,
      origin: 'internal',
    })
    times.push(performance.now() - begun)
    if (outcome.kind !== 'success')
      throw new Error(`audit_query was not answered: ${JSON.stringify(outcome)}`)
  }
  const warm = times.slice(times.length / 2).sort((a, b) => a - b)
  return { query_p50_ms: at(warm, 0.5), query_p99_ms: at(warm, 0.99) }
}

async function verifyRate({ store }: Service) {
  const lines: string[] = []
  for await (const line of exportChain(store.engine, tenant_id)) {
    lines.push(line)
    if (lines.length > 2_000_000) break
  }
  const begun = performance.now()
  const verdict = await verifyExport(lines, {})
  if (!verdict.ok) throw new Error(`the bench's own chain does not verify: ${verdict.reason}`)
  return { verified: verdict.records, verify_per_s: (verdict.records / (performance.now() - begun)) * 1000 }
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}
