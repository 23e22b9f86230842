// The configuration of an engine: the table's values, and rules that involve several of them.
import { readFileSync } from 'node:fs'
import type { MasterKeySetting } from '@svc/adapters/root-keys/master-key'
import { default_limits, type LimitTable } from '@svc/engine/limits/limits'
import { readArchiveSettings } from './archive-settings.ts'
import { ConfigError } from './config-error.ts'
import { databaseUrl } from './database-url.ts'
import { readFacultySettings } from './faculty-settings.ts'
import { type IdentitySettings, readAgentKey, readTrust } from './identity-settings.ts'
import { type McpSettings, readLoginSettings, readMcpSettings } from './login-settings.ts'
import { readMasterKeySetting } from './master-key-settings.ts'
import { readMeshSettings } from './mesh-settings.ts'
import { readPluginSettings } from './plugin-settings.ts'
import { type Environment, type Reader, reader, requireSettings } from './reader.ts'
import { readSmtpSettings } from './smtp-settings.ts'

export interface Config extends Readonly<ReturnType<typeof readSettings>>, McpSettings {
  readonly host: string
  readonly port: number
  readonly metrics_port: number
  readonly agent_did: string
  readonly agent_key: IdentitySettings['agent_key']
  readonly tenant_id: string
  readonly db_url: string
  readonly master_key: MasterKeySetting
  readonly audit_dir: string
}

export function portTaken(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError(
      `Port ${port} is in use; stop the program that uses it, or choose others with --port.`,
    )
  if (error.code === 'EACCES')
    return new ConfigError(`This user may not listen on port ${port}; choose one above 1023.`)
  return error
}

/** Settings of both `up` and `serve`; `serve` adds what it requires. */
export function readSettings(read: Reader) {
  const trusted_gateways = read('SVC_TRUSTED_GATEWAYS')
  const require_gateway = read('SVC_REQUIRE_GATEWAY')
  if (require_gateway && trusted_gateways.length === 0)
    throw new ConfigError(
      'SVC_REQUIRE_GATEWAY=true needs SVC_TRUSTED_GATEWAYS; without it every call would be refused.',
    )
  return {
    log_level: readLogLevel(read),
    audit_bytes_max: read('SVC_AUDIT_BUFFER_MAX_BYTES'),
    audit_fsync: read('SVC_AUDIT_FSYNC'),
    dissolution_notice_days: read('SVC_DISSOLUTION_NOTICE_DAYS'),
    watts_per_core: read('SVC_WATTS_PER_CORE'),
    otel_url: read('SVC_OTEL_ENDPOINT'),
    trace_sample_rate: read('SVC_TRACE_SAMPLE_RATE'),
    shutdown_grace_ms: read('SVC_SHUTDOWN_GRACE_SECONDS') * 1000,
    /** Empty for all. */
    protocols: read('SVC_PROTOCOLS'),
    limits: limitTable(read('SVC_RATE_LIMITS'), read.program === 'up'),
    trusted_gateways,
    require_gateway,
    login: readLoginSettings(read),
    log_archive: readArchiveSettings(read),
    smtp: readSmtpSettings(read),
    ...readMeshSettings(read),
    ...readTrust(read),
    ...readFacultySettings(read),
    ...readPluginSettings(read),
  }
}

export function readLogLevel(read: Reader): string {
  return read.given('SVC_LOG') ?? read('RUST_LOG') ?? read('SVC_LOG')
}

/** Production: nothing is generated. One sentence names all missing settings. */
export function readServeConfig(env: Environment): Config {
  const read = reader(env, 'serve')
  requireSettings(
    read,
    read('SVC_RATE_LIMIT_BACKEND') === 'redis' ? ['SVC_REDIS_URL'] : [],
    read('SVC_VAULT_KEY') === undefined ? [] : ['SVC_MASTER_KEY'],
  )
  const [host, port] = read('APP_BIND_ADDR')
  return {
    ...readSettings(read),
    ...readMcpSettings(read),
    host,
    port,
    metrics_port: read('SVC_PROMETHEUS_PORT'),
    agent_did: read('SVC_AGENT_DID')!,
    agent_key: readAgentKey(read),
    tenant_id: read('SVC_TENANT_ID')!,
    db_url: databaseUrl(read)!,
    master_key: readMasterKeySetting(read),
    audit_dir: read('SVC_AUDIT_BUFFER_DIR'),
  }
}

/** The default limits, a JSON file that overrides them, or `off` for benches (development only). */
function limitTable(setting: string | undefined, may_be_off: boolean): LimitTable {
  if (setting === undefined) return default_limits
  if (setting === 'off') {
    if (may_be_off) return 'off'
    throw new ConfigError('SVC_RATE_LIMITS=off is for svc-engine up only; set it to a JSON file instead.')
  }
  let table: Record<string, unknown>
  try {
    table = JSON.parse(readFileSync(setting, 'utf8'))
  } catch {
    throw new ConfigError(`SVC_RATE_LIMITS names ${setting}, which is not a readable JSON file.`)
  }
  const merged: Record<string, unknown> = { ...default_limits, ...table }
  for (const [name, row] of Object.entries(merged)) {
    const { capacity, refill_per_s } = row as Record<string, unknown>
    const is_known = Object.hasOwn(default_limits, name)
    if (!is_known || !isPositive(capacity) || !isPositive(refill_per_s)) {
      throw new ConfigError(
        `SVC_RATE_LIMITS: ${name} must be one of infrastructure, standard, heavy with capacity and refill_per_s above 0.`,
      )
    }
  }
  return merged as LimitTable
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}
