// The names of an engine's own metrics, for alert rules and dashboards.
import type { Measured } from '@svc/adapters/telemetry/summed-metrics'
import { startInProcess } from '../engines/in-process.ts'

/** From a new engine with everything registered, in its own database. */
export async function ownMetricNames(): Promise<ReadonlySet<string>> {
  const engine = await startInProcess()
  try {
    return namesOf(await engine.service.measure())
  } finally {
    await engine.stop()
  }
}

/** Including the series of a histogram. */
export function namesOf(measured: Measured): ReadonlySet<string> {
  return new Set(
    measured.flatMap(({ name, type }) =>
      type === 'histogram' ? [name, ...['bucket', 'sum', 'count'].map((part) => `${name}_${part}`)] : [name],
    ),
  )
}
