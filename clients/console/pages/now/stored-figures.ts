// The metrics stored from the stream, as series.
import type { LiveFigures } from '../../../../generated/sdk-types.ts'

export const kept_max = 120

/** Metrics of another process start a new series, because its counters start at zero. */
export function keepNewest(
  live_figures: readonly LiveFigures[],
  newest: LiveFigures,
): readonly LiveFigures[] {
  const same = live_figures.at(-1)?.engine.instance === newest.engine.instance
  return [...(same ? live_figures : []), newest].slice(-kept_max)
}

export function callSeries(live_figures: readonly LiveFigures[]) {
  return [
    { name: 'done', values: live_figures.map(({ second }) => second.by_outcome.success) },
    { name: 'refused', values: live_figures.map(({ second }) => second.by_outcome.refused) },
    { name: 'failed', values: live_figures.map(({ second }) => second.by_outcome.error) },
  ]
}

/** Most frequent first, without successes. */
export function refusalBars(by_code: Readonly<Record<string, number>>) {
  return Object.entries(by_code)
    .filter(([code]) => code !== 'ok')
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => b.value - a.value || a.name.localeCompare(b.name))
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export function bytesText(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** step
  return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`
}

const day_s = 86_400

export function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < day_s) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
  return `${Math.floor(seconds / day_s)} d ${Math.floor((seconds % day_s) / 3600)} h`
}

/** Latencies and rates are histogram estimates, so only three digits are significant. */
export function rounded(estimate: number): number {
  return Number(estimate.toPrecision(3))
}
