// Input and output of the search for precedents.
import {
  Closed,
  Did,
  Hash,
  HexHash,
  ListOf,
  OneOf,
  Outcome,
  Ref,
  Text,
  Timestamp,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Features, type MiningBounds, type ScanScope, Sequence } from '../precedents/api.ts'
import { proposal_states } from './proposal.ts'

const consistency_bps_default = 9000
const limit_default = 50
export const examples_max = 5
export const proposals_told_max = 8

const Protocol = Text(64)

export const SurfaceInput = Closed({
  window_days: Type.Integer({ minimum: 1, maximum: 3650 }),
  min_recurrences: Type.Integer({ minimum: 2, maximum: 100_000 }),
  scope: Type.Union([
    Type.Literal('tenant'),
    Type.String({ pattern: '^protocol:[A-Za-z][A-Za-z0-9_-]{0,63}$' }),
    Closed({
      protocols: Type.Optional(ListOf(Protocol, 1, 64)),
      outcomes: Type.Optional(
        Type.Array(Outcome, {
          minItems: 1,
          maxItems: 3,
          description: 'Outcome of the reported cases. Consistency counts all outcomes.',
        }),
      ),
      caller_did: Type.Optional(Did),
    }),
  ]),
  min_consistency_bps: Type.Optional(
    Type.Integer({ minimum: 5000, maximum: 10_000, default: consistency_bps_default }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: limit_default })),
})
export type SurfaceInput = Static<typeof SurfaceInput>

export const PatternView = Closed({
  pattern_id: Hash,
  kind: OneOf('decision', 'sequence'),
  features: Type.Optional(Features),
  per: Type.Optional(OneOf('correlation', 'caller')),
  sequence: Type.Optional(Sequence),
  outcome: Outcome,
  recurrences: Type.Integer({ minimum: 1 }),
  consistency_bps: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description:
      'Share of the cases with the same features, whatever the reason; for a sequence, of those with the same first steps.',
  }),
  lift: Type.Integer({
    minimum: 0,
    description: 'In basis points; 10000 means the outcome is as frequent elsewhere.',
  }),
  first_seen: Timestamp,
  last_seen: Timestamp,
  exemplars: ListOf(Ref, 1, examples_max),
  counterexamples: ListOf(Ref, 0, examples_max),
  covered_by_policy: Type.Optional(Ref),
  suggested_cedar: Type.Optional(Type.String()),
  proposals: ListOf(Closed({ proposal_id: Hash, state: OneOf(...proposal_states) }), 0, proposals_told_max),
})

export const SurfaceOutput = Closed({
  patterns: ListOf(PatternView, 0, 200),
  records_scanned: Type.Integer({ minimum: 0 }),
  head: HexHash,
  truncated: ListOf(
    Type.Enum(['records', 'sequences'], {
      description:
        'records: the window contains older records that were not read. sequences: longer ones were not searched.',
    }),
    0,
    2,
  ),
})

export function boundsOf({ min_recurrences, min_consistency_bps, limit, scope }: SurfaceInput): MiningBounds {
  return {
    recurrences_min: min_recurrences,
    consistency_bps_min: min_consistency_bps ?? consistency_bps_default,
    limit: limit ?? limit_default,
    outcomes: typeof scope === 'string' ? undefined : scope.outcomes,
  }
}

/** Which records are read, whatever their outcome. */
export function scanScopeOf(scope: SurfaceInput['scope']): ScanScope {
  if (scope === 'tenant') return {}
  if (typeof scope === 'string') return { protocols: [scope.slice('protocol:'.length)] }
  return { protocols: scope.protocols, caller_did: scope.caller_did }
}
