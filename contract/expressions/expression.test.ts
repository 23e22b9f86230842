import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Refusal } from '../refusal.ts'
import { compileExpression, evaluate, judge, newWork, type Scope } from './expression.ts'
import { matchesLinear } from './matches.ts'
import { parsePattern } from './matches-syntax.ts'

/** The worst takes a few dozen times as much; work that is not charged takes many thousand times. */
const effort_ratio_max = 1_000
const plain_effort_min = 40_000

const scope: Scope = {
  input: { n: 2, half: 0.5, list: [1, 2, 3], text: 'order 66', none: null, constructor: 5 },
  steps: { 'ask-it': { data: { ok: true } }, __proto__: { polluted: true } },
  now_ms: Date.parse('2026-01-02T03:04:05.000Z'),
  seed: 'seed',
}

function run(text: string, within: Partial<Scope> = {}): unknown {
  return evaluate(compileExpression(text), { ...scope, ...within })
}

const refused = (message: RegExp) => (error: unknown) =>
  error instanceof Refusal && error.code === 'invalid_payload' && message.test(error.message)

test('an expression computes JSON from input, steps and signal', () => {
  const cases: [string, unknown][] = [
    ['input.n + 1', 3],
    ['input.n * input.half', 1],
    ['7 / 2', 3],
    ['2 - 2.5 - 3', -3.5],
    ['5 % 2.5 + 1', 1],
    ['input.list.filter(x, x > 1).map(x, x * 2)', [4, 6]],
    ['input.list[input.n]', 3],
    ['{"a": input.n, "b": [true, null, "x"]}', { a: 2, b: [true, null, 'x'] }],
    ['steps["ask-it"].data.ok', true],
    ['has(input.absent) || input.none == null', true],
    ['signal == null', true],
    ['input.constructor == 5', true],
    ['now()', '2026-01-02T03:04:05.000Z'],
    ['duration("90s")', '90s'],
    ['b"abc"', 'YWJj'],
    ['5u', 5],
    ['size(input.text)', 8],
    ['input.text.matches("^order [0-9]{2}$")', true],
    ['cel.bind(x, input.n, x + x)', 4],
  ]
  for (const [text, expected] of cases) assert.deepEqual(run(text), expected, text)
  assert.equal(run('signal.approved', { signal: { approved: true } }), true)
})

test('an invalid expression is refused with its position', () => {
  assert.throws(() => compileExpression('input.n +'), refused(/at character 10/))
  assert.throws(() => compileExpression('process.env'), refused(/Unknown variable: process/))
  assert.throws(() => compileExpression('fetch("x")'), refused(/fetch/))
  assert.throws(() => compileExpression(`"${'x'.repeat(2000)}"`), refused(/at most 2000/))
  assert.throws(() => run('input.absent.more'), refused(/No such key: absent/))
  assert.throws(() => run('input.__proto__.polluted'), refused(/No such key/))
  assert.throws(() => run('1.0 / 0.0'), refused(/no JSON number/))
  assert.throws(() => run('9007199254740993'), refused(/too large for a JSON number/))
  assert.throws(() => run('type(1)'), refused(/no JSON form/))
  assert.throws(() => judge(compileExpression('input.n'), scope), refused(/true or false/))
  assert.equal(judge(compileExpression('input.n == 2'), scope), true)
})

test('an expression reports which steps it reads', () => {
  assert.deepEqual(compileExpression('steps.a.data + steps["b-c"].data').steps_read.toSorted(), ['a', 'b-c'])
  assert.deepEqual(compileExpression('steps[input.which].data').steps_read, ['*'])
  assert.deepEqual(compileExpression('[1].map(x, steps.deep.data)').steps_read, ['deep'])
  assert.deepEqual(compileExpression('size(steps)').steps_read, ['*'])
  assert.deepEqual(compileExpression('input.steps').steps_read, [])
})

test('randomness comes from the seed: the same for a replay, different per seed and draw', () => {
  const draws = run('[uuid(), uuid(), string(random())]') as string[]
  assert.deepEqual(run('[uuid(), uuid(), string(random())]'), draws)
  assert.notDeepEqual(run('[uuid(), uuid(), string(random())]', { seed: 'other' }), draws)
  assert.equal(new Set(draws).size, 3)
  assert.match(draws[0]!, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const chance = run('random()') as number
  assert.ok(chance >= 0 && chance < 1)
})

test('hostile expressions end quickly, whatever their form', () => {
  const ten = '[0,1,2,3,4,5,6,7,8,9]'
  const nest = (depth: number, macro: string, last: string): string =>
    depth === 0 ? last : `${ten}.${macro}(x${depth}, ${nest(depth - 1, macro, last)})`
  const double = (depth: number, start: string): string =>
    depth === 0 ? start : `cel.bind(v${depth}, ${double(depth - 1, start)}, v${depth} + v${depth})`
  const share = (depth: number): string =>
    depth === 0 ? 'input.text' : `cel.bind(v${depth}, ${share(depth - 1)}, [v${depth}, v${depth}])`
  const big = { list: Array.from({ length: 9000 }, (_, at) => at), text: 'a'.repeat(900_000), constructor: 1 }
  const hostile = [
    nest(9, 'map', 'true'),
    nest(9, 'all', '1 / 0 == 1'),
    `${nest(9, 'exists', '1 / 0 == 1')} || true`,
    'input.list.all(x, input.list.all(y, input.list.all(z, x + y + z >= 0)))',
    'input.list.map(x, input.list)',
    'input.list.exists(x, input.list == [x])',
    'input.list.map(x, input.text.contains("b"))',
    'input.list.map(x, input.text == "b")',
    'input.list.map(x, x in input.list)',
    'input.text.matches("(a+)+$b")',
    '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".matches("((((a{0,90}){0,5})+)+)+$")',
    double(28, 'input.text'),
    double(28, '[1]'),
    share(28),
  ]
  // In the CPU time of this thread, beside a plain expression that is stopped at the same cost.
  const effort = (text: string) => {
    const began = process.threadCpuUsage()
    assert.throws(() => run(text, { input: big }), refused(/./), text.slice(0, 60))
    const { user, system } = process.threadCpuUsage(began)
    return user + system
  }
  // A clock that ticks in milliseconds shows a short run as none: so many that they add up to several ticks.
  let [plain_total, runs] = [0, 0]
  for (; plain_total < plain_effort_min; runs++) plain_total += effort('input.list.all(x, x >= 0)')
  const plain = plain_total / runs
  for (const text of hostile) {
    const ratio = effort(text) / plain
    assert.ok(ratio < effort_ratio_max, `${text.slice(0, 60)} took ${ratio.toFixed(0)} times the effort`)
  }
})

test('the linear matcher agrees with a backtracking one', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    '[\\u0061-b]',
    '[\\d-]',
    '[^\\D1]',
    '[\\W]',
    '\\S',
    '\\x62',
    '\\d',
    '(a|b)',
    '(?:ab)?',
    '(a*)b',
    'a{1,2}',
    'b+?',
  )
  const repeat = fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,2}')
  const pattern = fc
    .tuple(
      fc.constantFrom('', '^'),
      fc.array(fc.tuple(piece, repeat), { maxLength: 5 }),
      fc.constantFrom('', '$'),
    )
    .map(([start, parts, end]) => start + parts.map(([p, r]) => (/[}?]$/.test(p) ? p : p + r)).join('') + end)
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '\n'), maxLength: 12 })
  fc.assert(
    fc.property(pattern, text, (p, t) => {
      assert.equal(
        matchesLinear(t, p, () => {}),
        new RegExp(p).test(t),
        `${p} on ${JSON.stringify(t)}`,
      )
    }),
    { numRuns: 200 },
  )
  for (const bad of [
    '(',
    ')',
    '[a',
    'a{3,1}',
    '*a',
    'a\\',
    '\\b',
    '(?=a)',
    'a{1001}',
    '((a{100}){100})',
    '{',
  ]) {
    assert.throws(() => matchesLinear('a', bad, () => {}), refused(/The pattern of matches/), bad)
  }
})

test('a move costs the same, however many ranges its class lists', () => {
  const ranges = Array.from({ length: 160 }, (_, at) =>
    String.fromCodePoint(0x400 + 4 * at, 0x2d, 0x401 + 4 * at),
  )
  const { choice } = parsePattern(`[${ranges.join('')}]`) as {
    choice: [{ sequence: [{ accepts: (code: number) => boolean }] }]
  }
  const { accepts } = choice[0].sequence[0]
  let comparisons = 0
  const counted = (code: number) => {
    const compared = () => {
      comparisons++
      return code
    }
    return { valueOf: compared } as unknown as number
  }
  for (let code = 0x3ff; code < 0x682; code++) {
    comparisons = 0
    assert.equal(accepts(counted(code)), code >= 0x400 && code < 0x680 && code % 4 < 2, code.toString(16))
    assert.ok(comparisons <= 9, `${comparisons} comparisons`)
  }
})

test('parsing patterns is charged, and expressions over one scope share a cost limit', () => {
  const patterns = Array.from({ length: 200 }, (_, at) => `((a{10}){10}){9}c${at}|a{900}`)
  const scope = { input: { list: patterns }, steps: {}, now_ms: 0, seed: '' }
  const hostile = compileExpression('input.list.all(pattern, !"b".matches(pattern))')
  assert.throws(() => evaluate(hostile, scope), /units of work/)
  const busy = compileExpression('input.list.all(one, input.list.exists(other, other == one))')
  const work = newWork()
  const spend = () => {
    for (let round = 0; round < 100; round++) {
      try {
        evaluate(busy, { ...scope, work })
      } catch (error) {
        if (/together/.test(String(error))) throw error
      }
    }
  }
  assert.throws(spend, /too much work together/)
})
