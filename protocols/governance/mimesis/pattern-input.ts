// Input and output of the search for precedents.
import {
  Closed,
  Did,
  described,
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
import { Features, type MiningBounds, type ScanScope, Sequence, withheld_reasons } from '../precedents/api.ts'
import { proposal_states } from './proposal.ts'

const consistency_bps_default = 9000
const limit_default = 50
export const examples_max = 5
export const proposals_told_max = 8

const Protocol = Text(64)

export const SurfaceInput = Closed({
  window_days: Type.Integer({ minimum: 1, maximum: 3650, description: 'How many days back to look.' }),
  min_recurrences: Type.Integer({
    minimum: 2,
    maximum: 100_000,
    description: 'How often something must recur to be a pattern.',
  }),
  scope: Type.Union(
    [
      Type.Literal('tenant'),
      Type.String({ pattern: '^protocol:[A-Za-z][A-Za-z0-9_-]{0,63}$' }),
      Closed({
        protocols: Type.Optional(described(ListOf(Protocol, 1, 64), 'Only calls of these protocols.')),
        outcomes: Type.Optional(
          Type.Array(Outcome, {
            minItems: 1,
            maxItems: 3,
            description: 'Outcome of the reported cases. Consistency counts all outcomes.',
          }),
        ),
        caller_did: Type.Optional(described(Did, 'Only calls of this identity.')),
      }),
    ],
    { description: 'Where to look: the whole tenant, one protocol, or a selection.' },
  ),
  min_consistency_bps: Type.Optional(
    Type.Integer({
      minimum: 5000,
      maximum: 10_000,
      default: consistency_bps_default,
      description: 'How often like cases must end alike, in hundredths of a percent.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: limit_default,
      description: 'The most patterns to return.',
    }),
  ),
})
export type SurfaceInput = Static<typeof SurfaceInput>

export const PatternView = Closed({
  pattern_id: described(Hash, 'Names the pattern; formalize takes it.'),
  kind: described(
    OneOf('decision', 'sequence'),
    'decision: like requests end alike; sequence: steps that follow each other.',
  ),
  features: Type.Optional(described(Features, 'What the requests have in common; for a decision.')),
  per: Type.Optional(
    described(
      OneOf('correlation', 'caller'),
      'Whether the steps are of one request or of one caller; for a sequence.',
    ),
  ),
  sequence: Type.Optional(described(Sequence, 'The steps in order; for a sequence.')),
  outcome: described(Outcome, 'How the cases end.'),
  recurrences: Type.Integer({ minimum: 1, description: 'How often it occurred.' }),
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
  first_seen: described(Timestamp, 'When the first case was recorded.'),
  last_seen: described(Timestamp, 'When the newest case was recorded.'),
  exemplars: described(ListOf(Ref, 1, examples_max), 'Audit records that show it.'),
  counterexamples: described(
    ListOf(Ref, 0, examples_max),
    'Audit records of like cases that ended otherwise.',
  ),
  covered_by_policy: Type.Optional(described(Ref, 'Policy in force that says the same already.')),
  suggested_cedar: Type.Optional(
    Type.String({
      description:
        'Rule to begin with for formalize, without facts that the cases only happen to share; only for refusals.',
    }),
  ),
  confirmed_bps: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'Of the latest third of the cases that the rule would refuse, the share that was refused.',
    }),
  ),
  no_rule: Type.Optional(
    described(
      OneOf(...withheld_reasons),
      'Why no rule is suggested. missing_grant: a right was missing, or a limit reached, which forbids nothing; not_confirmed: the latest third of the cases ended otherwise; too_few_later: fewer than three are later.',
    ),
  ),
  proposals: described(
    ListOf(
      Closed({
        proposal_id: described(Hash, 'Names the proposal.'),
        state: described(OneOf(...proposal_states), 'PROPOSED, IN_COUNCIL, ENACTED or REJECTED.'),
      }),
      0,
      proposals_told_max,
    ),
    'Rules already proposed from this pattern.',
  ),
})

export const SurfaceOutput = Closed({
  patterns: described(ListOf(PatternView, 0, 200), 'What was found, the most frequent first.'),
  records_scanned: Type.Integer({ minimum: 0, description: 'Audit records that were read.' }),
  head: described(HexHash, 'Hash of the newest record that was read.'),
  truncated: described(
    ListOf(
      Type.Enum(['records', 'sequences'], {
        description:
          'records: the window contains older records that were not read. sequences: longer ones were not searched.',
      }),
      0,
      2,
    ),
    'What was left out because of limits; empty where nothing was.',
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
