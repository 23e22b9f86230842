// How candidates are ranked: integers from 0 to 10000, so that equal facts give the same order everywhere.
export interface Measured {
  readonly did: string
  /** Of each probed endpoint, 0 to 10000. */
  readonly health_bps: readonly number[]
  /** Reputation, 0 to 10000; undefined if there is none. */
  readonly merit_bps?: number
  /** Of the fastest endpoint; undefined if none was measured. */
  readonly latency_p50_ms?: number
  /** Text relevance, in any unit; undefined without search text. */
  readonly text_rank?: number
}

export interface ScoreParts {
  readonly health: number
  readonly merit: number
  readonly latency: number
  readonly text: number
}

export type Scored<M extends Measured> = M & { readonly score: number; readonly score_parts: ScoreParts }

const full = 10_000
/** An unknown value counts neither for nor against. */
const neutral = 5_000
const percents: ScoreParts = { health: 40, merit: 30, latency: 20, text: 10 }

/** Best first; equal scores by DID, so the order never depends on the order of the rows. */
export function rankCandidates<M extends Measured>(candidates: readonly M[]): Scored<M>[] {
  const latency = latencyRanks(candidates)
  const rank_max = Math.max(0, ...candidates.map(({ text_rank = 0 }) => text_rank))
  const scored = candidates.map((candidate) => {
    const score_parts: ScoreParts = {
      health: healthOf(candidate.health_bps),
      merit: candidate.merit_bps ?? neutral,
      latency: latency(candidate.latency_p50_ms),
      text: textOf(candidate.text_rank, rank_max),
    }
    return { ...candidate, score: weigh(score_parts), score_parts }
  })
  return scored.sort((a, b) => b.score - a.score || (a.did < b.did ? -1 : a.did > b.did ? 1 : 0))
}

function weigh(parts: ScoreParts): number {
  const names = ['health', 'merit', 'latency', 'text'] as const
  return Math.floor(names.reduce((sum, name) => sum + parts[name] * percents[name], 0) / 100)
}

/** The mean: an agent with one of two endpoints down is half healthy. */
function healthOf(health_bps: readonly number[]): number {
  if (health_bps.length === 0) return neutral
  return Math.floor(health_bps.reduce((sum, bps) => sum + bps, 0) / health_bps.length)
}

/** By rank, not by milliseconds: the fastest gets all, the slowest none, ties share a rank. */
function latencyRanks(candidates: readonly Measured[]): (latency_ms: number | undefined) => number {
  const latencies = candidates.flatMap(({ latency_p50_ms }) => latency_p50_ms ?? [])
  const places = [...new Set(latencies)].sort((a, b) => a - b)
  const place_by_ms = new Map(places.map((ms, place) => [ms, place]))
  return (latency_ms) => {
    if (latency_ms === undefined) return neutral
    if (places.length === 1) return full
    return full - Math.floor((full * place_by_ms.get(latency_ms)!) / (places.length - 1))
  }
}

function textOf(rank: number | undefined, rank_max: number): number {
  if (rank === undefined) return neutral
  return rank_max === 0 ? 0 : Math.floor((full * rank) / rank_max)
}
