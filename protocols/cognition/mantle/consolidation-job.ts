// The computation of MANTLE consolidate, in a worker thread.
import {
  type RepeatedSequence,
  repeatedSequences,
  type SequenceBounds,
  type Session,
} from './consolidation-sequences.ts'
import { type Cluster, clusterEpisodes, type Occurrence } from './episode-clustering.ts'

export interface ConsolidationTask {
  readonly occurrences: readonly Occurrence[]
  readonly sessions: readonly Session[]
  readonly bounds: SequenceBounds
}

export interface ConsolidationResult {
  readonly clusters: readonly Cluster[]
  readonly sequences: readonly RepeatedSequence[]
}

export function compute({ occurrences, sessions, bounds }: ConsolidationTask): ConsolidationResult {
  return { clusters: clusterEpisodes(occurrences), sequences: repeatedSequences(sessions, bounds) }
}
