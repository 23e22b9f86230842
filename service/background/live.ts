// Computes the live feed once a second for each watched tenant, from data this process already has.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { MemoryBreaker } from '@svc/adapters/breaker/memory'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { AuditLog } from '@svc/audit/audit-log'
import { headOf } from '@svc/audit/query/records'
import type { Database } from '@svc/contract/database'
import { type LiveFigures, live_breakers_max } from '@svc/contract/live'
import { runway_counter } from '@svc/contract/money/budget-counter'
import { usdText } from '@svc/contract/money/money'
import type { Engine } from '@svc/engine/dispatch'
import { runwayLimit } from '@svc/engine/limits/budget'
import { recent } from '@svc/engine/limits/recent'
import type { Ports } from '@svc/engine/ports'
import { type LiveSource, type LiveStreams, openLiveStreams } from '@svc/gateway/live/live-streams'
import type { Config } from '../settings/config.ts'
import { service_version } from '../version.ts'
import { every } from './tick.ts'

const tick_ms = 1_000
const ticks_a_stretch = 30
const loop_sample_ms = 20
/** Minimum interval between reads for a tenant, however many watch it. */
const read_every_ms = 3_000
const tenants_read_max = 1_000

export interface LiveParts {
  readonly ports: Ports
  readonly engine: Pick<Engine, 'in_flight'>
  readonly audit_log: Pick<AuditLog, 'state' | 'pending_bytes'>
  readonly breaker: Pick<MemoryBreaker, 'states'>
  readonly meters: Prometheus
  readonly db: Database
  /** Identifies this process. */
  readonly instance: string
}

export interface Live {
  readonly streams: LiveStreams
  /** Runs every second; tests call it directly. */
  tick(): Promise<void>
}

export function openLive(config: Config, parts: LiveParts, closing: (() => Promise<unknown>)[]): Live {
  const { meters, ports } = parts
  const { clock, log } = ports
  const source = liveSource(config, parts)
  const streams = openLiveStreams(source, clock, log)
  meters.gauge('svc_live_streams', 'Open live feeds.', () => streams.open)
  let ticks = 0
  const tick = () => {
    if (++ticks % ticks_a_stretch === 0) meters.stages.turn()
    meters.live.turn(clock.monotonic_ms())
    source.sample(streams.open > 0)
    return streams.tick()
  }
  const timer = every(tick_ms, tick, log)
  closing.push(async () => {
    clearInterval(timer)
    streams.close()
    source.sample(false)
  })
  return { streams, tick }
}

function liveSource(config: Config, parts: LiveParts): LiveSource & { sample(watched: boolean): void } {
  const { meters, ports } = parts
  const { clock } = ports
  const started_ms = clock.monotonic_ms()
  const readRows = rowReader(parts)
  const delay = monitorEventLoopDelay({ resolution: loop_sample_ms })
  let loop_delay_p99_ms = 0
  const describe = (tenant_id: string, second: LiveFigures['second']): LiveFigures => {
    const now_ms = clock.monotonic_ms()
    const is_operator = tenant_id === config.tenant_id
    const forOperator = (figure: number) => (is_operator ? figure : null)
    const { runway, head_seq } = readRows(tenant_id)
    return {
      at: new Date(clock.now_ms()).toISOString(),
      engine: {
        instance: parts.instance,
        version: service_version,
        uptime_seconds: Math.floor((now_ms - started_ms) / 1000),
        in_flight: forOperator(parts.engine.in_flight),
        loop_delay_p99_ms: forOperator(loop_delay_p99_ms),
      },
      second,
      minute: meters.live.minute(tenant_id, now_ms),
      stages: meters.stages.lately().map((figures) => ({ ...figures, calls: forOperator(figures.calls) })),
      breakers: breakersFor(is_operator, parts),
      runway,
      audit: {
        state: parts.audit_log.state(),
        journal_bytes: forOperator(parts.audit_log.pending_bytes()),
        journal_bytes_max: forOperator(config.audit_bytes_max),
        head_seq,
      },
    }
  }
  const nothing = { calls: 0, by_outcome: { success: 0, refused: 0, error: 0 }, by_code: {} }
  return {
    look(tenant_id, is_first) {
      if (is_first) meters.live.takeSecond(tenant_id)
      return describe(tenant_id, nothing)
    },
    take: (tenant_id) => describe(tenant_id, meters.live.takeSecond(tenant_id)),
    sample(watched) {
      // The histogram measures the time between samples, which includes the requested interval.
      if (watched) loop_delay_p99_ms = Math.max(0, delay.percentile(99) / 1e6 - loop_sample_ms)
      delay.reset()
      if (watched) delay.enable()
      else delay.disable()
    },
  }
}

/** Only the operator sees addresses of external services and of the engine's own dependencies. */
function breakersFor(is_operator: boolean, { breaker, ports }: LiveParts): LiveFigures['breakers'] {
  const shown = breaker
    .states()
    .filter(({ protocol }) => is_operator || ports.registry.versions(protocol) !== undefined)
  const troubled_first = shown.toSorted((a, b) => Number(a.state === 'CLOSED') - Number(b.state === 'CLOSED'))
  return troubled_first.slice(0, live_breakers_max).map(({ protocol, endpoint, state }) => {
    return { protocol, endpoint: is_operator ? endpoint : null, state }
  })
}

type Rows = Pick<LiveFigures, 'runway'> & Pick<LiveFigures['audit'], 'head_seq'>

interface Read {
  rows: Rows
  due_ms: number
}

/** Returns the cached rows at once and refreshes stale ones in the background. */
function rowReader({ ports, db }: LiveParts): (tenant_id: string) => Rows {
  const reads = recent<Read>(tenants_read_max)
  const { clock, log } = ports
  return (tenant_id) => {
    const now_ms = clock.monotonic_ms()
    const read = reads.get(tenant_id) ?? { rows: { runway: null, head_seq: null }, due_ms: now_ms }
    if (read.due_ms <= now_ms) {
      read.due_ms = now_ms + read_every_ms
      reads.set(tenant_id, read)
      readTenant(tenant_id, ports, db).then(
        (rows) => {
          read.rows = rows
        },
        (error) => log.warn({ err: error, tenant_id }, 'the runway of a live feed could not be read'),
      )
    }
    return read.rows
  }
}

async function readTenant(tenant_id: string, ports: Ports, db: Database): Promise<Rows> {
  const { treasury, budget_counters, tenants } = ports
  const [books, budget_counter, tier, { seq }] = await Promise.all([
    treasury.of(tenant_id),
    budget_counters.state(tenant_id, runway_counter),
    tenants.tierOf(tenant_id),
    headOf(db, tenant_id),
  ])
  const { spent_micro_usd, reserved_micro_usd } = budget_counter
  const left = runwayLimit(books, tier ?? 'sandbox') - spent_micro_usd - reserved_micro_usd
  const { level, standing, holds } = books
  return {
    runway: {
      level,
      standing,
      holds: holds.length,
      spent_usd: usdText(spent_micro_usd),
      reserved_usd: usdText(reserved_micro_usd),
      left_usd: usdText(left),
      left_micro_usd: String(left),
    },
    head_seq: seq > 0 ? seq : null,
  }
}
