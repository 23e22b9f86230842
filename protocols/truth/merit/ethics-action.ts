// An action to evaluate: what is done, whom it affects, and how certain that is.
import { Closed, Did, described, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
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
export const PrincipleId = described(
  OneOf(...principle_ids),
  'non_maleficence: do no harm. fidelity: keep duties. precaution: avoid what cannot be undone.',
)
export type PrincipleId = Static<typeof PrincipleId>

/** The party name for the acting agent. */
const actor_word = 'actor'

const Affected = Closed({
  party: Text(256, { description: `A DID or a name; ${actor_word} is whoever acts.` }),
  interest: described(OneOf(...interests), 'What is helped or harmed.'),
  magnitude: Type.Optional(
    Type.Number({
      minimum: -1,
      maximum: 1,
      description: 'From the worst (-1) to the best (1); default: the worst.',
    }),
  ),
  probability: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: 1, description: 'How likely it is, 0 to 1.' }),
  ),
  consent: Type.Optional(
    Type.Enum(['yes', 'no', 'unknown'], {
      default: 'unknown',
      description:
        'Whether the party agreed; a loss, and any effect on life, health or liberty, needs yes or no.',
    }),
  ),
})

export const Action = Closed({
  kind: Text(128, {
    description: 'In a word or two, or as PROTOCOL.operation: policies are evaluated for it.',
  }),
  description: Text(4096, { description: 'What would be done, in words.' }),
  actor_did: Type.Optional(described(Did, 'Who would act; default: the caller.')),
  target_ref: Type.Optional(described(Ref, 'What it would be done to.')),
  affected: Type.Optional(
    described(
      ListOf(Affected, 0, affected_max),
      'Whom it helps or harms, the actor too. Where nobody is named, people must decide.',
    ),
  ),
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

/** Something the description tells of that people must look at. */
export interface Reading {
  /** The built-in harm, the organization's own concern, or the model that read it. */
  readonly ref: string
  readonly text: string
  /** The words of the description it was read from; none where its whole meaning is near. */
  readonly words: readonly string[]
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
  /** What its description tells of, and no stated effect answers for. */
  readonly readings: readonly Reading[]
  /** Policies that forbid it. */
  readonly forbidden: readonly Rule[]
  /** The treaties and policies it relies on: valid ones and invalid ones. */
  readonly duties: { readonly kept: readonly string[]; readonly broken: readonly string[] }
}

export function judgedActionOf(
  action: Action,
  caller_did: string,
  duties: Pick<JudgedAction, 'forbidden' | 'duties'>,
  readings: readonly Reading[],
): JudgedAction {
  const { kind, reversible } = action
  const actors = [action.actor_did ?? caller_did, actor_word]
  return { kind, reversible, actors, effects: effectsOf(action), readings, ...duties }
}

export function effectsOf({ affected = [] }: Action): Effect[] {
  return affected.map(({ party, interest, magnitude, probability = 1, consent = 'unknown' }) => ({
    party,
    interest,
    magnitude,
    probability,
    consent,
  }))
}

/** Life, health and liberty: not to be taken for the good of others without consent. */
export function isVital(interest: Interest): boolean {
  return interest === 'life' || interest === 'health' || interest === 'liberty'
}
