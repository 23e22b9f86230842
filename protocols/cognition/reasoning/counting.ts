// Counts as bounds: "at least three houses", "exactly one house".

import { type Condition, constantOf, literal, type Variable } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { classNames, requireContent } from './noun.ts'
import { freshVariable, type Noun, type Scope } from './scope.ts'
import type { Token } from './tokens.ts'
import { prepositions } from './words.ts'

const numerals = new Map(
  'one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, place) => [word, place + 1]),
)
/** By what it adds to the number: "more than two" is at least three. */
const bounds: readonly (readonly [phrase: string, kind: 'least' | 'most' | 'exactly', add: number])[] = [
  ['at least', 'least', 0],
  ['no fewer than', 'least', 0],
  ['no less than', 'least', 0],
  ['more than', 'least', 1],
  ['at most', 'most', 0],
  ['no more than', 'most', 0],
  ['fewer than', 'most', -1],
  ['less than', 'most', -1],
  ['exactly', 'exactly', 0],
]

/** What costs five costs no four. */
const measuring = new Set(['cost', 'weigh', 'measure', 'last', 'take', 'score', 'total', 'number', 'cover'])

const least = ' at least'
const most = ' at most'

/** The literals of "owns at least three houses"; undefined if nothing is counted. */
export function readCount(
  verb: string,
  tokens: readonly Token[],
  subject: Noun,
  negated: boolean,
  scope: Scope,
): Condition[] | undefined {
  const texts = tokens.map(({ text }) => text)
  if (texts[0] === 'some' && !scope.conditional && !scope.asked && !negated)
    return [literal(verb, [subject.term, classNames(tokens.slice(1), scope, true).join(' ')])]
  const bound = bounds.find(([phrase]) => phrase.split(' ').every((word, place) => texts[place] === word))
  const from = bound ? bound[0].split(' ').length : 0
  const count =
    numerals.get(texts[from] ?? '') ?? (/^\d{1,9}$/.test(texts[from] ?? '') ? Number(texts[from]) : undefined)
  const noun = tokens.slice(from + 1)
  if (count === undefined || noun.length === 0) return undefined
  if (noun.some(({ text }) => prepositions.has(text)))
    throw new Unparsed('what is counted has more than a name')
  for (const { text } of noun) requireContent(text)
  if (negated) throw new Unparsed('a count that is denied may mean more or fewer; say at least or at most')
  const kind = classNames(noun, scope, true).join(' ')
  const number = count + (bound?.[2] ?? 0)
  const kinds =
    bound?.[1] === 'exactly' || (bound === undefined && measuring.has(verb))
      ? (['least', 'most'] as const)
      : ([bound?.[1] === 'most' ? 'most' : 'least'] as const)
  const tests = scope.stance === 'condition' || scope.judged || scope.asked !== undefined
  return kinds.flatMap((one): Condition[] => {
    const name = `${verb}${one === 'least' ? least : most}`
    const bound_literal = literal(name, [constantOf(String(number)), kind, subject.term])
    // Who has two cats has a cat.
    if (!tests)
      return one === 'least' && number > 0
        ? [bound_literal, literal(verb, [subject.term, kind])]
        : [bound_literal]
    const bounded: Variable = freshVariable(scope)
    return [
      literal(name, [bounded, kind, subject.term]),
      literal(one === 'least' ? '>=' : '<=', [bounded, constantOf(String(number))]),
    ]
  })
}

/** A lower bound is denied by an upper one that is smaller. */
export function otherBound(condition: Condition): Condition {
  const { predicate } = condition
  if (predicate.endsWith(least))
    return { ...condition, predicate: `${predicate.slice(0, -least.length)}${most}` }
  if (predicate.endsWith(most))
    return { ...condition, predicate: `${predicate.slice(0, -most.length)}${least}` }
  return condition
}
