import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { readBif } from './bif.ts'
import { buildNetwork } from './network.ts'
import { numbersFrom, randomContent } from './test-random-network.ts'

const two = 'variable a { type discrete [ 2 ] { x, y }; }\n'
const child = 'variable b { type discrete [ 3 ] { <5, 5-10, 1.5 }; }\n'

function reasonOf(source: string): string {
  try {
    buildNetwork(readBif(source).content)
  } catch (thrown) {
    if (thrown instanceof Refusal) return `${thrown.details.reason} ${thrown.details.line ?? ''}`.trim()
    throw thrown
  }
  return 'read'
}

test('names, states, comments, properties, defaults and tables are parsed', () => {
  const { content, warnings } = readBif(`
    // a comment { with marks
    network "two words" { property author "somebody; somewhere"; }
    /* over
       lines */
    variable "a.b c" { type discrete[2] { "x y", z }; property x = 1; }
    variable c.d { type discrete [ 3 ] { <5, 5-10, 1.5 }; }
    variable e { type discrete [ 2 ] { t f }; }
    probability ( "a.b c" ) { table 1e-05, 0.99999; }
    probability ( c.d | "a.b c" ) { default 0.2, 0.3, 0.5; ("x y") 1 0 0; }
    probability ( e | "a.b c", c.d ) { table 0.1 0.2 0.3 0.4 0.5 0.6 0.9 0.8 0.7 0.6 0.5 0.4; property z; }
  `)
  assert.deepEqual(warnings, [])
  const plain = content.variables.map(({ cpt, ...rest }) => ({ ...rest, cpt: [...Array.from(cpt!)] }))
  assert.deepEqual(plain, [
    { name: 'a.b c', states: ['x y', 'z'], parents: [], cpt: [1e-5, 0.99999] },
    {
      name: 'c.d',
      states: ['<5', '5-10', '1.5'],
      parents: ['a.b c'],
      cpt: [1, 0, 0, 0.2, 0.3, 0.5],
    },
    {
      name: 'e',
      states: ['t', 'f'],
      parents: ['a.b c', 'c.d'],
      cpt: [0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5, 0.5, 0.6, 0.4],
    },
  ])
})

test('a transposed table is detected by its sums', () => {
  const { content } = readBif(
    `${two}${child}probability ( a ) { table 0.5, 0.5; } probability ( b | a ) { table 0.1 0.2 0.7 0.3 0.3 0.4; }`,
  )
  assert.deepEqual([...Array.from(content.variables[1]!.cpt!)], [0.1, 0.2, 0.7, 0.3, 0.3, 0.4])
})

test('rounded rows are normalized and reported; wrong rows are refused', () => {
  const { content, warnings } = readBif(`${two}probability ( a ) { table 0.333, 0.666; }`)
  assert.deepEqual(warnings, [
    '1 rows did not sum to 1 and were normalised; the largest deviation was 1.0e-3.',
  ])
  assert.equal(content.variables[0]!.cpt![0]! + content.variables[0]!.cpt![1]!, 1)
  assert.equal(reasonOf(`${two}probability ( a ) { table 0.3, 0.6; }`), 'cpt_sum 2')
})

const wrong: Record<string, string> = {
  variable: 'bif_syntax 1',
  'variable a { type discrete [ 3 ] { x, y }; }': 'bif_syntax 1',
  'variable a { type continuous; }': 'bif_syntax 1',
  'variable a { }': 'bif_syntax 1',
  [`${two}${two}`]: 'bif_syntax 2',
  [two]: 'cpt_shape',
  'probability ( a ) { table 1.0; }': 'not_found',
  [`${two}probability ( a | z ) { table 0.5, 0.5; }`]: 'not_found 2',
  [`${two}probability ( a ) { table 0.5, 0.5; } probability ( a ) { table 0.5, 0.5; }`]: 'bif_syntax 2',
  [`${two}probability ( a ) { table 0.5, x; }`]: 'bif_syntax 2',
  [`${two}probability ( a ) { table 0.5, 0.5`]: 'bif_syntax 2',
  [`${two}probability ( a ) { table 1; }`]: 'cpt_shape 2',
  [`${two}${child}probability ( a | b ) { (<5) 0.5, 0.5; } probability ( b ) { table 0.2, 0.3, 0.5; }`]:
    'cpt_shape 3',
  [`${two}${child}probability ( a | b ) { (x) 0.5, 0.5; } probability ( b ) { table 0.2, 0.3, 0.5; }`]:
    'not_found 3',
  [`${two}${child}probability ( a | b ) { default 0.5, 0.5; } probability ( b | a ) { default 0.2, 0.3, 0.5; }`]:
    'cycle',
  'variable "a': 'bif_syntax 1',
  '/* never ends': 'bif_syntax 1',
  '': 'too_large',
}
test('invalid text is refused with its line', () => {
  for (const [source, reason] of Object.entries(wrong)) assert.equal(reasonOf(source), reason, source)
})

test('a variable without states is refused, however many rows its table would have', () => {
  const states = Array.from({ length: 256 }, (_, at) => `s${at}`).join(' ')
  const parents = Array.from({ length: 8 }, (_, at) => `p${at}`)
  const variables = parents.map((name) => `variable ${name} { type discrete [256] { ${states} }; }`)
  const none = 'variable a { type discrete [0] { }; }'
  assert.equal(reasonOf(`${none} probability ( a | ${parents} ) { } ${variables.join(' ')}`), 'bif_syntax 1')
})

test('parents are named once, and a short text cannot claim more numbers than a model may have', () => {
  const other = `variable b { type discrete [2] { s t }; }`
  assert.equal(reasonOf(`${two}${other}probability ( b | a, a ) { default 0.5, 0.5; }`), 'bif_syntax 2')
  const parents = Array.from({ length: 22 }, (_, at) => `p${at}`)
  const roots = parents.map(
    (name) => `variable ${name} { type discrete [2] { s t }; } probability ( ${name} ) { table 1, 0; }`,
  )
  const children = ['c', 'd', 'e'].map(
    (name) =>
      `variable ${name} { type discrete [2] { s t }; } probability ( ${name} | ${parents} ) { default 0.5, 0.5; }`,
  )
  assert.equal(reasonOf([...roots, ...children].join(' ')), 'too_large 1')
})

test('a written network is read back, and no invalid text crashes the parser', () => {
  const seeds = fc.tuple(fc.integer(), fc.nat(), fc.string({ maxLength: 5 }))
  fc.assert(
    fc.property(seeds, ([seed, where, rubbish]) => {
      const content = randomContent({ nodes: 5, parents_max: 3, states_max: 4 }, numbersFrom(seed))
      const source = writeBif(content)
      const read = readBif(source).content
      const network = buildNetwork(content)
      for (const [place, { table }] of buildNetwork(read).variables.entries())
        assert.deepEqual(table, network.variables[place]!.table)
      const at = where % source.length
      reasonOf(source.slice(0, at) + rubbish + source.slice(at + rubbish.length))
    }),
    { numRuns: 50 },
  )
})

function writeBif({ variables }: ReturnType<typeof randomContent>): string {
  const blocks = variables.map(({ name, states, parents, cpt }) => {
    const parent_states = parents.map((parent) => variables.find((one) => one.name === parent)!.states)
    let rows: string[][] = [[]]
    for (const own of parent_states) rows = rows.flatMap((row) => own.map((state) => [...row, state]))
    const lines = rows.map((row, at) => {
      const values = Array.from({ length: states.length }, (_, state) => cpt![at * states.length + state])
      return parents.length === 0
        ? `table ${values.join(', ')};`
        : `(${row.join(', ')}) ${values.join(', ')};`
    })
    const bar = parents.length === 0 ? '' : ` | ${parents.join(', ')}`
    return (
      `variable ${name} { type discrete [ ${states.length} ] { ${states.join(', ')} }; }\n` +
      `probability ( ${name}${bar} ) {\n${lines.join('\n')}\n}`
    )
  })
  return `network x { }\n${blocks.join('\n')}`
}
