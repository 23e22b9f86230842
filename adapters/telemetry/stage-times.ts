// Durations of the stages: totals for Prometheus, recent values for live feeds. One counter update per stage.
import { type StageId, stages } from '@svc/contract/stage'
import type { Registry } from 'prom-client'
import { bounds_ms, bucketOf, quantileOf } from './latency-buckets.ts'
import { type PlainSeries, registerHistogram } from './plain-histogram.ts'

const places = bounds_ms.length + 1
const histogram = {
  name: 'svc_stage_seconds',
  help: 'Time each stage of a dispatch took; the last one ends when its record is in the journal.',
  bounds: bounds_ms.map((bound_ms) => bound_ms / 1000),
}
/** Recent values cover the current interval and the previous one. */
const stretches = 2

export interface StageFigures {
  readonly stage: number
  readonly name: StageId
  readonly calls: number
  readonly p50_ms: number
  readonly p99_ms: number
}

export interface StageTimes {
  timed(started_ms: number, ended_ms: readonly number[]): void
  /** Begins a new interval; the oldest one remains only in the totals. */
  turn(): void
  lately(): StageFigures[]
}

export function stageTimes(registry: Registry): StageTimes {
  const counts = Array.from({ length: stretches }, () => new Float64Array(stages.length * places))
  const totals = new Float64Array(stages.length * places)
  const sums_s = new Float64Array(stages.length)
  const countOf = (place: number, all = true) =>
    counts.reduce((sum, stretch) => sum + stretch[place]!, all ? totals[place]! : 0)
  const seriesOf = ({ id, number: stage }: (typeof stages)[number]): PlainSeries => ({
    labels: { stage: id },
    sum: sums_s[stage]!,
    counts: Array.from({ length: places }, (_, bucket) => countOf(stage * places + bucket)),
  })
  registerHistogram(registry, histogram, () => stages.map(seriesOf))
  return {
    timed(started_ms, ended_ms) {
      const now = counts[0]!
      let began_ms = started_ms
      for (let stage = 0; stage < ended_ms.length; stage++) {
        const at_ms = ended_ms[stage]!
        if (Number.isNaN(at_ms)) continue
        now[stage * places + bucketOf(at_ms - began_ms)]!++
        sums_s[stage]! += (at_ms - began_ms) / 1000
        began_ms = at_ms
      }
    },
    turn() {
      const oldest = counts.pop()!
      for (let place = 0; place < oldest.length; place++) totals[place]! += oldest[place]!
      counts.unshift(oldest.fill(0))
    },
    lately() {
      return stages.map(({ id: name }, stage) => {
        const buckets = Array.from({ length: places }, (_, bucket) => countOf(stage * places + bucket, false))
        const calls = buckets.reduce((sum, count) => sum + count, 0)
        return { stage, name, calls, p50_ms: quantileOf(0.5, buckets), p99_ms: quantileOf(0.99, buckets) }
      })
    },
  }
}
