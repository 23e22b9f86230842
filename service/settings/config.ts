// The only place that reads the environment. Everything else is handed a Config.

import { readFileSync } from 'node:fs'
import { parseDid } from '@svc/contract/identity/did'
import { default_limits, type LimitTable } from '@svc/engine/limits/limits'
import type { LoginSettings } from '@svc/gateway/oauth/room'
import { ConfigError } from './config-error.ts'
import { type FacultySettings, readFacultySettings } from './faculty-settings.ts'
import { type IdentitySettings, readIdentitySettings } from './identity-settings.ts'
import { readLoginSettings } from './login-settings.ts'
import { type McpSettings, readMcpSettings } from './mcp-settings.ts'
import { type MeshSettings, readMeshSettings } from './mesh-settings.ts'
import { type PluginSettings, readPluginSettings } from './plugin-settings.ts'
import { readTelemetrySettings, type TelemetrySettings } from './telemetry-settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Config
  extends FacultySettings,
    IdentitySettings,
    McpSettings,
    MeshSettings,
    PluginSettings,
    TelemetrySettings {
  readonly log_level: string
  readonly host: string
  readonly port: number
  readonly metrics_port: number
  readonly agent_did: string
  readonly tenant_id: string
  readonly db_url: string
  readonly master_key: Buffer
  readonly audit_dir: string
  readonly audit_bytes_max: number
  readonly audit_fsync: 'interval' | 'always'
  readonly limits: LimitTable
  readonly watts_per_core: number
  /** How long a dissolution is announced before anything is given away. */
  readonly dissolution_notice_days: number
  readonly trace_sample_rate: number
  readonly shutdown_grace_ms: number
  /** Protocol ids to serve; empty for all. */
  readonly protocols: readonly string[]
  readonly login: LoginSettings
  /** DIDs of the gateways that may vouch for callers. */
  readonly trusted_gateways: readonly string[]
  readonly require_gateway: boolean
}

export function portTaken(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError(`Port ${port} is taken; stop what uses it, or choose others with --port.`)
  if (error.code === 'EACCES')
    return new ConfigError(`Port ${port} needs more rights than this user has; choose one above 1023.`)
  return error
}

const mib = 1024 * 1024

/** What both `up` and `serve` read; `serve` adds what it requires. */
export function readSettings(env: Environment) {
  const read = reader(env)
  return {
    log_level: logLevel(read('SVC_LOG') ?? read('RUST_LOG') ?? 'info'),
    audit_bytes_max: wholeNumber(
      'SVC_AUDIT_BUFFER_MAX_BYTES',
      read('SVC_AUDIT_BUFFER_MAX_BYTES'),
      1024 * mib,
    ),
    audit_fsync: oneOf('SVC_AUDIT_FSYNC', read('SVC_AUDIT_FSYNC') ?? 'interval', ['interval', 'always']),
    dissolution_notice_days: wholeNumber(
      'SVC_DISSOLUTION_NOTICE_DAYS',
      read('SVC_DISSOLUTION_NOTICE_DAYS'),
      7,
    ),
    watts_per_core: positive('SVC_WATTS_PER_CORE', read('SVC_WATTS_PER_CORE'), 5),
    trace_sample_rate: share('SVC_TRACE_SAMPLE_RATE', read('SVC_TRACE_SAMPLE_RATE'), 0.01),
    shutdown_grace_ms: positive('SVC_SHUTDOWN_GRACE_SECONDS', read('SVC_SHUTDOWN_GRACE_SECONDS'), 30) * 1000,
    protocols: (read('SVC_PROTOCOLS') ?? '')
      .split(',')
      .map((id) => id.trim().toUpperCase())
      .filter(Boolean),
    login: readLoginSettings(read, (sentence) => new ConfigError(sentence)),
    limits: read('SVC_RATE_LIMITS'),
    ...trustedGateways(read),
    ...readIdentitySettings(read),
    ...readFacultySettings(read),
    ...readPluginSettings(read),
    ...readTelemetrySettings(read),
  }
}

function trustedGateways(read: (name: string) => string | undefined) {
  const list = (read('SVC_TRUSTED_GATEWAYS') ?? '').split(',')
  const trusted_gateways = list.map((did) => did.trim()).filter(Boolean)
  const require_gateway =
    oneOf('SVC_REQUIRE_GATEWAY', read('SVC_REQUIRE_GATEWAY') ?? 'false', ['true', 'false']) === 'true'
  const wrong = trusted_gateways.find((did) => !parseDid(did))
  if (wrong) throw new ConfigError(`SVC_TRUSTED_GATEWAYS names ${wrong}, which is no DID of a gateway.`)
  if (require_gateway && trusted_gateways.length === 0) {
    throw new ConfigError('SVC_REQUIRE_GATEWAY=true needs SVC_TRUSTED_GATEWAYS, or nobody could call.')
  }
  return { trusted_gateways, require_gateway }
}

/** Production: nothing is invented. What is required and missing is named in one sentence. */
export function readServeConfig(env: Environment): Config {
  const read = reader(env)
  const required = ['SVC_AGENT_DID', 'SVC_TENANT_ID', 'SVC_DB_URL', 'SVC_MASTER_KEY']
  if ((read('SVC_RATE_LIMIT_BACKEND') ?? 'redis') === 'redis') required.push('SVC_REDIS_URL')
  const missing = required.filter((name) => !read(name))
  if (missing.length) {
    throw new ConfigError(
      `svc-engine serve needs ${missing.join(', ')}; set ${missing.length > 1 ? 'them' : 'it'} and start again.`,
    )
  }
  const settings = readSettings(env)
  const [host, port] = bindAddress(read('APP_BIND_ADDR') ?? '0.0.0.0:8080')
  return {
    ...settings,
    limits: limitTable(settings.limits, false),
    host,
    port,
    metrics_port: wholeNumber('SVC_PROMETHEUS_PORT', read('SVC_PROMETHEUS_PORT'), 9091),
    ...readMcpSettings(read, (sentence) => new ConfigError(sentence)),
    ...readMeshSettings(read, 'redis'),
    agent_did: read('SVC_AGENT_DID')!,
    tenant_id: read('SVC_TENANT_ID')!,
    db_url: read('SVC_DB_URL')!,
    master_key: parseMasterKey(read('SVC_MASTER_KEY')!),
    audit_dir: read('SVC_AUDIT_BUFFER_DIR') ?? '/var/lib/svc/audit',
  }
}

/** `SVC_X_FILE` names a file that holds the value of `SVC_X`, so that a secret need not stand in the environment. */
export function reader(env: Environment): (name: string) => string | undefined {
  return (name) => {
    const file = env[`${name}_FILE`]
    if (env[name] !== undefined || file === undefined) return env[name] || undefined
    try {
      return readFileSync(file, 'utf8').trim()
    } catch {
      throw new ConfigError(
        `${name}_FILE names ${file}, which cannot be read; check the path and its permissions.`,
      )
    }
  }
}

function parseMasterKey(text: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (key.length === 32) return key
  throw new ConfigError(
    'SVC_MASTER_KEY must be 32 bytes in hex or base64; make one with: openssl rand -hex 32',
  )
}

/** The table of decisions, a JSON file that overrides it, or `off` for benches (development only). */
export function limitTable(setting: string | undefined, may_be_off: boolean): LimitTable {
  if (setting === undefined) return default_limits
  if (setting === 'off') {
    if (may_be_off) return 'off'
    throw new ConfigError('SVC_RATE_LIMITS=off is for svc-engine up only; name a JSON file instead.')
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
    const known = Object.hasOwn(default_limits, name)
    if (!known || !isPositive(capacity) || !isPositive(refill_per_s)) {
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

export function bindAddress(text: string): [string, number] {
  const parts = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)
  if (!parts || Number(parts[3]) > 65_535)
    throw new ConfigError(`APP_BIND_ADDR is ${text}; write host:port, e.g. 0.0.0.0:8080.`)
  return [(parts[1] ?? parts[2])!, Number(parts[3])]
}

/** RUST_LOG may hold per-module filters; the first plain level is ours. */
export function logLevel(filter: string): string {
  const level = filter
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .find((part) => !part.includes('='))
  return oneOf('SVC_LOG', level === 'off' ? 'silent' : (level ?? 'info'), [
    'trace',
    'debug',
    'info',
    'warn',
    'error',
    'silent',
  ])
}

export function oneOf<const V extends string>(name: string, value: string, values: readonly V[]): V {
  if ((values as readonly string[]).includes(value)) return value as V
  throw new ConfigError(`${name} is ${value}; it may be ${values.join(', ')}.`)
}

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new ConfigError(`${name} is ${text}; it must be a whole number.`)
}

export function positive(name: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text)
  if (isPositive(value)) return value
  throw new ConfigError(`${name} is ${text}; it must be a number above 0.`)
}

function share(name: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text)
  if (value >= 0 && value <= 1) return value
  throw new ConfigError(`${name} is ${text}; it must be between 0 and 1.`)
}
