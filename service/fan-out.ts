// The audit sink kafka: the chain as always, and a copy of every committed record in a topic.
import { openFanOutPool } from '@svc/adapters/sink/fan-out-pool'
import { Forwarder } from '@svc/adapters/sink/forwarder'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { Log } from '@svc/engine/ports'
import type { Config } from './config.ts'

export interface FanOut {
  /** For the book: notes in each commit whose chain grew. */
  readonly projection_modules: readonly string[]
  /** Records of this engine were committed. */
  wake(): void
}

const no_fan_out: FanOut = { projection_modules: [], wake() {} }

type Closing = (() => Promise<unknown>)[]

/** To be called before the book is opened, so that at the end what the book still commits is handed on too. */
export async function openFanOut(
  { kafka, db_url }: Config,
  meters: Prometheus,
  log: Log,
  closing: Closing,
): Promise<FanOut> {
  if (!kafka) return no_fan_out
  // Loaded only where it is used: the client is as large as the rest of the adapters together.
  const { openKafka } = await import('@svc/adapters/sink/kafka')
  const db = openFanOutPool(db_url, log)
  const forwarder = new Forwarder({ db, topic: kafka.topic, outlet: openKafka(kafka), log })
  closing.push(async () => {
    await forwarder.close()
    await db.end()
  })
  meters.gauge('svc_audit_fan_out_lag', 'Committed audit records not yet handed on to Kafka.', () =>
    forwarder.lag(),
  )
  const projection_modules = [import.meta.resolve('@svc/audit/sinks/due')]
  return { projection_modules, wake: () => forwarder.wake() }
}
