// The names of every metric an engine shows of itself: what alert rules and dashboards may ask for.
import type { Measured } from '@svc/adapters/telemetry/summed-metrics'
import { startInProcess } from '../engines/in-process.ts'

/** Of a freshly made engine with everything registered, in a database of its own. */
export async function ownMetricNames(): Promise<ReadonlySet<string>> {
  const engine = await startInProcess()
  try {
    return namesOf(await engine.service.measure())
  } finally {
    await engine.stop()
  }
}

/** With the lines a histogram is asked by. */
export function namesOf(measured: Measured): ReadonlySet<string> {
  return new Set(
    measured.flatMap(({ name, type }) =>
      type === 'histogram' ? [name, ...['bucket', 'sum', 'count'].map((part) => `${name}_${part}`)] : [name],
    ),
  )
}
