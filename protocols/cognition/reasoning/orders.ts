// Comparatives are orders: "taller than" is transitive, is not mutual, and is the converse of "shorter than".

import { type Clause, literal, type Term, variable } from './clause.ts'

const converses: readonly (readonly [string, string])[] = [
  ['taller', 'shorter'],
  ['older', 'younger'],
  ['bigger', 'smaller'],
  ['larger', 'smaller'],
  ['greater', 'less'],
  ['longer', 'shorter'],
  ['heavier', 'lighter'],
  ['faster', 'slower'],
  ['higher', 'lower'],
  ['richer', 'poorer'],
  ['stronger', 'weaker'],
  ['earlier', 'later'],
  ['hotter', 'colder'],
  ['warmer', 'colder'],
  ['cheaper', 'more expensive'],
  ['better', 'worse'],
  ['wider', 'narrower'],
  ['deeper', 'shallower'],
]
const order_form =
  /^(?<time>past |future )?(?<degree>(?!other |rather |whether )(?:\p{L}+er|worse|less|more \p{L}+|less \p{L}+)) than$/u

/** What holds of the comparatives in these clauses by what they mean. */
export function orderClauses(clauses: readonly Clause[]): Clause[] {
  const names = new Set(
    clauses.flatMap(({ head, body }) =>
      [head, ...body].map(({ predicate }) => predicate).filter((one) => order_form.test(one)),
    ),
  )
  const orders = new Set([...names].flatMap((name) => [name, ...conversesOf(name, names)]))
  return [...orders].flatMap((order) => [
    ...strictOrder(order),
    ...conversesOf(order, names).flatMap((converse) => [
      rule(converse, ['Y', 'X'], [[order, 'X', 'Y']]),
      rule(order, ['X', 'Y'], [[converse, 'Y', 'X']]),
    ]),
  ])
}

function strictOrder(name: string): Clause[] {
  return [
    rule(
      name,
      ['X', 'Z'],
      [
        [name, 'X', 'Y'],
        [name, 'Y', 'Z'],
      ],
    ),
    {
      ...rule(name, ['Y', 'X'], [[name, 'X', 'Y']]),
      head: literal(name, [variable('Y'), variable('X')], true),
    },
  ]
}

function rule(
  head: string,
  args: readonly string[],
  body: readonly (readonly [string, string, string])[],
): Clause {
  const terms = (names: readonly string[]): Term[] => names.map(variable)
  return {
    head: literal(head, terms(args)),
    body: body.map(([name, ...of]) => literal(name, terms(of))),
    source: -1,
  }
}

/** "shorter" is the converse of "taller" or of "longer": of those that are spoken of. */
function conversesOf(name: string, spoken: ReadonlySet<string>): string[] {
  const { time = '', degree = '' } = order_form.exec(name)?.groups ?? {}
  const spelled = (one: string) => `${time}${one} than`
  const turned = /^(more|less) (.+)$/.exec(degree)
  const listed = converses.flatMap(([more, less]) =>
    degree === more ? [less] : degree === less ? [more] : [],
  )
  if (turned && listed.length === 0)
    return [spelled(`${turned[1] === 'more' ? 'less' : 'more'} ${turned[2]}`)]
  const all = listed.map(spelled)
  if (all.length === 1) return all.filter((one) => conversesAmong(one, spoken).length <= 1)
  const in_use = all.filter((one) => spoken.has(one))
  return in_use.length === 1 ? in_use : []
}

function conversesAmong(name: string, spoken: ReadonlySet<string>): string[] {
  const { time = '', degree = '' } = order_form.exec(name)?.groups ?? {}
  return converses.flatMap(([more, less]) => {
    const other = degree === less ? more : degree === more ? less : undefined
    return other && spoken.has(`${time}${other} than`) ? [other] : []
  })
}
