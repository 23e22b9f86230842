// The audit sink kafka: sends a copy of every committed record to a topic.
import { FanOutLink } from '@svc/adapters/sink/fan-out-link'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { Log } from '@svc/engine/ports'
import type { Config } from '../settings/config.ts'

export interface FanOut {
  /** Records of this engine were committed. */
  wake(): void
}

const no_fan_out: FanOut = { wake() {} }

type Closing = (() => Promise<unknown>)[]

/** Call before the audit log is opened, so that records committed during shutdown are sent too. */
export function openFanOut(
  { kafka, db_url, log_archive }: Config,
  meters: Prometheus,
  log: Log,
  closing: Closing,
): FanOut {
  if (!kafka) return no_fan_out
  const link = new FanOutLink({ db_url, kafka, archive: log_archive?.place }, log)
  closing.push(() => link.close())
  meters.gauge('svc_audit_fan_out_lag', 'Committed audit records not yet sent to Kafka.', () => link.lag())
  return { wake: () => link.wake() }
}

/** Records in each commit which chains grew. */
export function fanOutProjections({ kafka }: Pick<Config, 'kafka'>): readonly string[] {
  return kafka ? [import.meta.resolve('@svc/audit/sinks/due')] : []
}
