// Seeded theories like the public deduction sets: English sentences with independently made ground rules.
import { createHash } from 'node:crypto'
import type { GroundRule } from './test-ground-oracle.ts'

export interface Theory {
  readonly premises: readonly string[]
  readonly rules: readonly GroundRule[]
  /** Statements to judge, with the atom each asserts. */
  readonly questions: readonly { readonly text: string; readonly atom: string }[]
}

interface Dice {
  below(limit: number): number
  pick<Value>(values: readonly Value[]): Value
}

function throwDice(seed: number): Dice {
  let [block, at, round] = [Buffer.alloc(0), 0, 0]
  const next = () => {
    if (at >= block.length) {
      block = createHash('sha256').update(`${seed}:${round}`).digest()
      round += 1
      at = 0
    }
    at += 4
    return block.readUInt32BE(at - 4)
  }
  const below = (limit: number) => next() % limit
  return { below, pick: (values) => values[below(values.length)]! }
}

const people = ['Anne', 'Bob', 'Charlie', 'Dave', 'Erin', 'Fiona', 'Gary Smith', 'Harry', 'Charles']
const animals = ['cow', 'lion', 'bald eagle', 'mouse', 'dog', 'tiger', 'squirrel', 'rabbit', 'bear', 'cat']
const traits = [
  'kind',
  'big',
  'rough',
  'nice',
  'young',
  'quiet',
  'green',
  'round',
  'cold',
  'furry',
  'smart',
  'blue',
]
const verbs = ['like', 'chase', 'need', 'visit', 'see', 'eat']

interface Part {
  /** -1 stands for the rule's variable. */
  readonly subject: number
  readonly trait?: string
  readonly verb?: string
  readonly object?: number
  readonly not: boolean
}

/** `closed`: "not" in a condition is negation as failure. */
export function makeTheory(seed: number, closed: boolean): Theory {
  const dice = throwDice(seed)
  const with_animals = dice.below(2) === 1
  const names = shuffled(with_animals ? animals : people, dice).slice(0, 3 + dice.below(3))
  const relational = with_animals
  const some_traits = shuffled(traits, dice).slice(0, 5)
  const some_verbs = shuffled(verbs, dice).slice(0, 3)
  const part = (subject: number): Part => {
    const not = dice.below(4) === 0
    if (!relational || dice.below(2) === 0) return { subject, trait: dice.pick(some_traits), not }
    return { subject, verb: dice.pick(some_verbs), object: dice.below(names.length), not }
  }
  const premises: string[] = []
  const rules: GroundRule[] = []
  const entity = (at: number) => (with_animals ? `the ${names[at]!}` : names[at]!)
  for (let fact = 0; fact < 4 + dice.below(8); fact += 1) {
    const fact_part = part(dice.below(names.length))
    premises.push(sentence(fact_part, entity, dice))
    rules.push({ head: atomOf(fact_part, fact_part.subject, names), holds: [], fails: [] })
  }
  for (let rule = 0; rule < 3 + dice.below(6); rule += 1) {
    const general = dice.below(4) > 0
    const subject = general ? -1 : dice.below(names.length)
    const conditions = Array.from({ length: 1 + dice.below(3) }, () => part(subject))
    const head = { ...part(subject), not: dice.below(4) === 0 }
    premises.push(ruleText(conditions, head, entity, with_animals, dice))
    for (const at of general ? names.keys() : [subject])
      rules.push(groundRule(conditions, head, at, names, closed))
  }
  const questions = Array.from({ length: 4 }, () => part(dice.below(names.length))).map((question_part) => ({
    text: dice.below(3) === 0 ? question(question_part, entity) : sentence(question_part, entity, dice),
    atom: atomOf(question_part, question_part.subject, names),
  }))
  return { premises, rules, questions }
}

function shuffled<Value>(values: readonly Value[], dice: Dice): Value[] {
  return values
    .map((value) => ({ value, key: dice.below(1 << 30) }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value)
}

function groundRule(
  conditions: readonly Part[],
  head: Part,
  at: number,
  names: readonly string[],
  closed: boolean,
): GroundRule {
  const failing = closed ? conditions.filter(({ not }) => not) : []
  const holding = closed ? conditions.filter(({ not }) => !not) : conditions
  return {
    head: atomOf(head, at, names),
    holds: holding.map((part) => atomOf(part, at, names)),
    fails: failing.map((part) => atomOf({ ...part, not: false }, at, names)),
  }
}

function atomOf({ trait, verb, object, not }: Part, subject: number, names: readonly string[]): string {
  const who = names[subject]!.toLowerCase()
  const what = trait ? `${trait} ${who}` : `${verb} ${who} ${names[object!]!.toLowerCase()}`
  return not ? `-${what}` : what
}

export function opposite(atom: string): string {
  return atom.startsWith('-') ? atom.slice(1) : `-${atom}`
}

function third(verb: string): string {
  return `${verb}s`
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1)
}

type Naming = (at: number) => string

function verbPhrase({ trait, verb, object, not }: Part, entity: Naming, many: boolean): string {
  if (trait) return `${many ? 'are' : 'is'} ${not ? 'not ' : ''}${trait}`
  const to = entity(object!)
  if (not) return `${many ? 'do' : 'does'} not ${verb} ${to}`
  return `${many ? verb : third(verb!)} ${to}`
}

function sentence(part: Part, entity: Naming, dice: Dice): string {
  const text = `${entity(part.subject)} ${verbPhrase(part, entity, false)}`
  return `${capital(dice.below(5) === 0 ? text.replace('does not', "doesn't").replace('is not', "isn't") : text)}.`
}

function question({ subject, trait, verb, object, not }: Part, entity: Naming): string {
  if (trait) return `Is ${entity(subject)} ${not ? 'not ' : ''}${trait}?`
  return `Does ${entity(subject)} ${not ? 'not ' : ''}${verb} ${entity(object!)}?`
}

function ruleText(
  conditions: readonly Part[],
  head: Part,
  entity: Naming,
  things: boolean,
  dice: Dice,
): string {
  const plain = conditions.every(({ trait, not }) => trait && !not)
  if (head.subject === -1 && plain && dice.below(2) === 0)
    return classRule(conditions, head, entity, things, dice)
  const someone = things ? 'something' : 'someone'
  const pronoun = things ? 'it' : 'they'
  const phrases = conditions.map((part, place) => {
    if (part.subject >= 0) return `${entity(part.subject)} ${verbPhrase(part, entity, false)}`
    if (place > 0 && part.trait && conditions[place - 1]!.trait)
      return `${part.not ? 'not ' : ''}${part.trait}`
    return place === 0
      ? `${someone} ${verbPhrase(part, entity, false)}`
      : `${pronoun} ${verbPhrase(part, entity, !things)}`
  })
  const subject = head.subject >= 0 ? entity(head.subject) : pronoun
  const conclusion = `${subject} ${verbPhrase(head, entity, head.subject < 0 && !things)}`
  return `If ${phrases.join(' and ')} then ${conclusion}.`
}

function classRule(
  conditions: readonly Part[],
  head: Part,
  entity: Naming,
  things: boolean,
  dice: Dice,
): string {
  const list = conditions.map(({ trait }) => trait!)
  const noun = things ? 'things' : 'people'
  const joined = list.join(dice.below(2) === 0 ? ', ' : ' and ')
  const phrase = verbPhrase(head, entity, true)
  const forms = [
    `All ${list.join(', ')} ${noun} ${phrase}.`,
    `${capital(joined)} ${noun} ${phrase}.`,
    `Every${things ? 'thing' : 'one'} that is ${list.join(' and ')} ${verbPhrase(head, entity, false)}.`,
    `${capital(noun)} that are ${list.join(' and ')} ${phrase}.`,
    `Every ${list.join(', ')} ${things ? 'thing' : 'person'} ${verbPhrase(head, entity, false)}.`,
  ]
  return dice.pick(forms)
}
