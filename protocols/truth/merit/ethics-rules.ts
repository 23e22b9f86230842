// Hard rules that no benefit outweighs: Datalog over the facts of an action, run by the reasoning kernel.
import {
  type Clause,
  constantOf,
  evaluateProgram,
  literal,
  parseDatalog,
  parseDatalogQuery,
} from '../../cognition/reasoning/api.ts'
import { isVital, type JudgedAction, type Rule } from './ethics-action.ts'

const work_max = 1_000_000
const digits = 6

const meanings = `
  against_will(E) :- consent(E, no).
  unconsented(E) :- effect(E), not consent(E, yes).
  grave(E) :- magnitude(E, M), M <= -0.5.
  extreme(E) :- magnitude(E, M), M <= -0.8.
  likely(E) :- probability(E, P), P >= 0.5.
  possible(E) :- probability(E, P), P >= 0.2.
  gains(E, X) :- party(E, X), magnitude(E, M), M > 0, probability(E, P), P > 0.
  gain_of_actor :- gains(E, X), acts(X).
  gain_of_others :- gains(E, X), not acts(X).
  never(torture). never(enslavement). never(human_trafficking). never(fraud). never(forgery).
  never(extortion). never(blackmail). never(bribery). never(mass_surveillance). never(child_abuse).
`

interface HardRule {
  readonly id: string
  readonly text: string
  readonly datalog: string
}

/** The built-in rules. The second argument names the effect or policy responsible. */
export const hard_rules: readonly HardRule[] = [
  {
    id: 'forbidden_kind',
    text: 'Some actions are never permitted, whoever gains by them.',
    datalog: 'prohibited(forbidden_kind, K) :- kind(K), never(K).',
  },
  {
    id: 'taking_life',
    text: 'No likely and grave loss of life is caused to whoever has not agreed to it.',
    datalog: 'prohibited(taking_life, E) :- interest(E, life), unconsented(E), grave(E), likely(E).',
  },
  {
    id: 'irreparable_harm',
    text: 'Nobody is gravely harmed in life, health or liberty against their will where it cannot be undone.',
    datalog:
      'prohibited(irreparable_harm, E) :- irreversible, vital(E), against_will(E), grave(E), possible(E).',
  },
  {
    id: 'coercion',
    text: 'Nobody is deprived of their liberty against their will.',
    datalog: 'prohibited(coercion, E) :- interest(E, liberty), against_will(E), extreme(E), likely(E).',
  },
  {
    id: 'degradation',
    text: 'Nobody is degraded against their will.',
    datalog: 'prohibited(degradation, E) :- interest(E, dignity), against_will(E), extreme(E), likely(E).',
  },
  {
    id: 'private_life',
    text: 'What is private is not laid open against the will of whom it is about.',
    datalog: 'prohibited(private_life, E) :- interest(E, privacy), against_will(E), grave(E), likely(E).',
  },
  {
    id: 'mere_means',
    text: 'Nobody is gravely harmed against their will where only the actor gains by it.',
    datalog:
      'prohibited(mere_means, E) :- against_will(E), grave(E), possible(E), party(E, X), not acts(X), ' +
      'gain_of_actor, not gain_of_others.',
  },
  {
    id: 'policy',
    text: 'What a policy forbids is not done.',
    datalog: 'prohibited(policy, R) :- forbidden_by(R).',
  },
]

const pack: readonly Clause[] = [
  ...parseDatalog(meanings, -1),
  ...hard_rules.flatMap(({ datalog }, place) => parseDatalog(datalog, place)),
]
const query = parseDatalogQuery('prohibited(Rule, By)')

/** Every violated rule, once; policies by their own name and text. */
export function violationsOf(judged_action: JudgedAction, elapsed_ms: () => number): Rule[] {
  const budget = { work_max, deadline_ms: Number.POSITIVE_INFINITY, elapsed_ms }
  const { status, bindings } = evaluateProgram([...pack, ...factsOf(judged_action)], query, budget)
  // A hundred effects fire far fewer rules; an incomplete run must not count as permission.
  if (status !== 'complete') throw new Error(`the hard rules ended as ${status}`)
  const broken = new Set(bindings.map(({ Rule }) => Rule))
  const builtin = hard_rules
    .filter(({ id }) => id !== 'policy' && broken.has(id))
    .map(({ id, text }) => ({ rule_ref: `merit://rule/${id}`, text }))
  const policies = new Set(bindings.filter(({ Rule }) => Rule === 'policy').map(({ By }) => By))
  return [...builtin, ...judged_action.forbidden.filter(({ rule_ref }) => policies.has(rule_ref))]
}

function factsOf(judged_action: JudgedAction): Clause[] {
  const facts = [
    fact('kind', wordOf(judged_action.kind)),
    ...(judged_action.reversible ? [] : [fact('irreversible')]),
    ...judged_action.actors.map((name) => fact('acts', name)),
    ...judged_action.forbidden.map(({ rule_ref }) => fact('forbidden_by', rule_ref)),
  ]
  for (const [
    place,
    { party, interest, magnitude, probability, consent },
  ] of judged_action.effects.entries()) {
    const name = `effect ${place}`
    facts.push(
      fact('effect', name),
      fact('party', name, party),
      fact('interest', name, interest),
      fact('probability', name, numberOf(probability)),
      fact('consent', name, consent),
      ...(magnitude === undefined ? [] : [fact('magnitude', name, numberOf(magnitude))]),
      ...(isVital(interest) ? [fact('vital', name)] : []),
    )
  }
  return facts
}

function fact(predicate: string, ...args: string[]): Clause {
  return { head: literal(predicate, args), body: [], source: -1 }
}

/** In the kernel's number format: without an exponent. */
function numberOf(value: number): string {
  return constantOf(value.toFixed(digits))
}

/** `Mass surveillance` and `mass-surveillance` are the same kind. */
function wordOf(kind: string): string {
  return kind
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
}
