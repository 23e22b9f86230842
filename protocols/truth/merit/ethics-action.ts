// An action to evaluate: what is done, whom it affects, and how certain that is.
import { Closed, Did, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const affected_max = 100
export const alternatives_max = 10
export const duties_max = 50

/** The weight of one unit of each interest in welfare. */
export const interest_weights = {
  life: 1,
  health: 0.9,
  liberty: 0.9,
  dignity: 0.8,
  privacy: 0.7,
  environment: 0.7,
  property: 0.5,
  economic: 0.5,
} as const
export type Interest = keyof typeof interest_weights
const interests = Object.keys(interest_weights) as Interest[]

export const principle_ids = [
  'beneficence',
  'non_maleficence',
  'autonomy',
  'justice',
  'fidelity',
  'precaution',
] as const
export const PrincipleId = OneOf(...principle_ids)
export type PrincipleId = Static<typeof PrincipleId>

/** The party name for the acting agent. */
const actor_word = 'actor'

const Affected = Closed({
  party: Text(256, { description: `A DID or a name; ${actor_word} is whoever acts.` }),
  interest: OneOf(...interests),
  magnitude: Type.Optional(
    Type.Number({
      minimum: -1,
      maximum: 1,
      description: 'From the worst (-1) to the best (1); default: the worst.',
    }),
  ),
  probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 1 })),
  consent: Type.Optional(Type.Enum(['yes', 'no', 'unknown'], { default: 'unknown' })),
})

export const Action = Closed({
  kind: Text(128, {
    description: 'In a word or two, or as PROTOCOL.operation: policies are evaluated for it.',
  }),
  description: Text(4096),
  actor_did: Type.Optional(Did),
  target_ref: Type.Optional(Ref),
  affected: Type.Optional(ListOf(Affected, 0, affected_max)),
  reversible: Type.Boolean({ description: 'Whether it can be undone.' }),
  duty_refs: Type.Optional(
    Type.Array(Ref, {
      maxItems: duties_max,
      description: 'Duties that apply: treaties (moat://<treaty_id>) and policies (maxim://<id>).',
    }),
  ),
})
export type Action = Static<typeof Action>

export interface Effect {
  readonly party: string
  readonly interest: Interest
  /** Undefined if not estimated. */
  readonly magnitude: number | undefined
  readonly probability: number
  readonly consent: 'yes' | 'no' | 'unknown'
}

export interface Rule {
  readonly rule_ref: string
  readonly text: string
}

/** An action with the facts gathered about it: the complete input for judging. */
export interface JudgedAction {
  readonly kind: string
  readonly reversible: boolean
  /** All names of the acting agent. */
  readonly actors: readonly string[]
  readonly effects: readonly Effect[]
  /** Policies that forbid it. */
  readonly forbidden: readonly Rule[]
  /** The treaties and policies it relies on: valid ones and invalid ones. */
  readonly duties: { readonly kept: readonly string[]; readonly broken: readonly string[] }
}

export function judgedActionOf(
  action: Action,
  caller_did: string,
  duties: Pick<JudgedAction, 'forbidden' | 'duties'>,
): JudgedAction {
  const effects = (action.affected ?? []).map(
    ({ party, interest, magnitude, probability = 1, consent = 'unknown' }): Effect => ({
      party,
      interest,
      magnitude,
      probability,
      consent,
    }),
  )
  const actors = [action.actor_did ?? caller_did, actor_word]
  return { kind: action.kind, reversible: action.reversible, actors, effects, ...duties }
}

/** Life, health and liberty: not to be taken for the good of others without consent. */
export function isVital(interest: Interest): boolean {
  return interest === 'life' || interest === 'health' || interest === 'liberty'
}
