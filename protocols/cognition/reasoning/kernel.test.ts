// The kernel against a second implementation: random programs, stratified or not, with all proofs checked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { is_long } from '../../../checks/faults/scene/chance.ts'
import {
  type Clause,
  type Condition,
  isVariable,
  literal,
  renderLiteral,
  type Term,
  variable,
} from './clause.ts'
import { parseDatalog, parseDatalogQuery } from './datalog.ts'
import { evaluateProgram } from './kernel.ts'
import { findFlaw } from './test-check-proof.ts'
import { type GroundRule, meaningOf } from './test-ground-oracle.ts'

const budget = { work_max: 1_000_000, deadline_ms: 60_000, elapsed_ms: () => 0 }
const runs = { numRuns: is_long ? 4000 : 120 }

const constants = ['a', 'b', 'c']
const term = fc.constantFrom<Term>('a', 'b', 'c', variable('X'), variable('Y'), variable('Z'))
const arity = { p: 1, q: 1, r: 2, s: 2, t: 0 }
const atom = fc.constantFrom(...(Object.keys(arity) as (keyof typeof arity)[])).chain((name) => {
  const args = fc.array(term, { minLength: arity[name], maxLength: arity[name] })
  return fc.record({ args, negated: fc.integer({ min: 0, max: 5 }) }).map((drawn) => {
    return literal(name, drawn.args, drawn.negated === 0)
  })
})
const condition = fc
  .record({ atom, naf: fc.integer({ min: 0, max: 2 }) })
  .map(({ atom: drawn, naf }): Condition => {
    return naf === 0 ? { ...drawn, naf: true } : drawn
  })
const clause = fc.record({ head: atom, body: fc.array(condition, { maxLength: 3 }) })
const program = fc
  .array(clause, { minLength: 1, maxLength: 12 })
  .map((clauses) => clauses.map((drawn, source): Clause => ({ ...drawn, source })))

/** All ground instances, with all three constants named so that both sides have the same range. */
function groundRules(clauses: readonly Clause[]): GroundRule[] {
  return clauses.flatMap(({ head, body }) => {
    const names = new Set(
      [head, ...body].flatMap(({ args }) => args.filter(isVariable).map((arg) => arg.variable)),
    )
    let ways: ReadonlyMap<string, string>[] = [new Map()]
    for (const name of names)
      ways = ways.flatMap((way) => constants.map((value) => new Map([...way, [name, value]])))
    return ways.map((way) => {
      const fill = ({ args, naf: _, ...rest }: Condition) =>
        renderLiteral({ ...rest, args: args.map((arg) => (isVariable(arg) ? way.get(arg.variable)! : arg)) })
      return {
        head: fill(head),
        holds: body.filter(({ naf }) => !naf).map(fill),
        fails: body.filter(({ naf }) => naf).map(fill),
      }
    })
  })
}

const named: Clause[] = constants.map((name) => ({ head: literal('named', [name]), body: [], source: 99 }))

test('any program has the meaning given by unfounded sets, and every answer has a valid proof', () => {
  fc.assert(
    fc.property(program, atom, (clauses, target) => {
      const all_clauses = [...clauses, ...named]
      const meaning = meaningOf(groundRules(all_clauses))
      const evaluated = evaluateProgram(all_clauses, [target], budget)
      const query = evaluated.bindings.map((binding) => {
        return renderLiteral({
          ...target,
          args: target.args.map((arg) => (isVariable(arg) ? binding[arg.variable]! : arg)),
        })
      })
      const matching = (atoms: ReadonlySet<string>) => groundAnswers(target).filter((text) => atoms.has(text))
      assert.deepEqual(query.toSorted(), matching(meaning.certain).toSorted())
      assert.equal(evaluated.undefined, query.length === 0 && matching(meaning.possible).length > 0)
      if (query.length === 0) return
      const goal = evaluated.proof.at(-1)!.clause!
      const fails = (atom: Condition) => !meaning.possible.has(renderLiteral({ ...atom, naf: false }))
      assert.equal(findFlaw(evaluated.proof, [...all_clauses, goal], fails), undefined)
    }),
    runs,
  )
})

function groundAnswers(condition: Condition): string[] {
  return [...new Set(groundRules([{ head: condition, body: [], source: 0 }]).map(({ head }) => head))]
}

test('without negation as failure, more premises never remove an answer', () => {
  const positive = program.map((clauses) =>
    clauses.map(({ body, ...rest }) => ({ ...rest, body: body.filter(({ naf }) => !naf) })),
  )
  fc.assert(
    fc.property(positive, positive, atom, (some, more, goal) => {
      const before = evaluateProgram([...named, ...some], [goal], budget).bindings.map((one) =>
        JSON.stringify(one),
      )
      const after = evaluateProgram([...named, ...some, ...more], [goal], budget).bindings
      const facts_after = new Set(after.map((one) => JSON.stringify(one)))
      assert.ok(before.every((one) => facts_after.has(one)))
    }),
    { numRuns: Math.ceil(runs.numRuns / 3) },
  )
})

test('a proof with an altered step is rejected', () => {
  const clauses = parseDatalog('p(a). q(X) :- p(X). r(X) :- q(X), not s(X).', 0)
  const { proof } = evaluateProgram(clauses, parseDatalogQuery('r(a)'), budget)
  const goal = proof.at(-1)!.clause!
  const all_clauses = [...clauses, goal]
  assert.equal(
    findFlaw(proof, all_clauses, () => true),
    undefined,
  )
  assert.match(findFlaw(proof, all_clauses, () => false)!, /absent/)
  assert.match(findFlaw(proof, clauses, () => true)!, /nobody gave/)
  const swapped = proof.map((step) => ({ ...step, conclusion: { ...step.conclusion, args: ['b'] } }))
  assert.ok(findFlaw(swapped, all_clauses, () => true))
  const circular = proof.map((step, at) => ({ ...step, from: step.from.map(() => at) }))
  assert.match(findFlaw(circular, all_clauses, () => true)!, /not before it/)
})

test('work stops at its limit, certain results remain, and long chains need no stack', () => {
  const chain = Array.from({ length: 3000 }, (_, at) => `p${at} :- p${at + 1}.`).join(' ')
  const clauses = parseDatalog(`${chain} p3000.`, 0)
  const whole = evaluateProgram(clauses, parseDatalogQuery('p0'), budget)
  assert.deepEqual([whole.status, whole.bindings.length, whole.proof.length], ['complete', 1, 3002])
  const cut = evaluateProgram(clauses, parseDatalogQuery('p0'), { ...budget, work_max: 100 })
  assert.deepEqual([cut.status, cut.bindings.length], ['budget_exhausted', 0])
  assert.ok(cut.work >= 75 && cut.work <= 100, `${cut.work}: the search leaves a quarter to the proof`)
  const late = { ...budget, elapsed_ms: () => 60_000 }
  const square = parseDatalog(
    `${constants.map((name) => `e(${name}).`).join(' ')} f(A,B,C,D,E,F,G,H) :- e(A), e(B), e(C), e(D), e(E), e(F), e(G), e(H).`,
    0,
  )
  assert.equal(evaluateProgram(square, parseDatalogQuery('f(A,B,C,D,E,F,G,H)'), late).status, 'deadline')
})

test('the smallest proof is returned, and shared steps appear once', () => {
  const text = 'a :- b, c. b :- d. c :- d. d :- e. e. a :- x. x :- y. y :- z. z :- w. w :- v. v.'
  const { proof } = evaluateProgram(parseDatalog(text, 0), parseDatalogQuery('a'), budget)
  assert.deepEqual(
    proof.map(({ conclusion }) => conclusion.predicate),
    ['v', 'w', 'z', 'y', 'x', 'a', '#goal'],
  )
  const shared = evaluateProgram(parseDatalog(text.replace('a :- x.', ''), 0), parseDatalogQuery('a'), budget)
  assert.deepEqual(
    shared.proof.map(({ conclusion }) => conclusion.predicate),
    ['e', 'd', 'b', 'c', 'a', '#goal'],
  )
})

/** The clock does not advance: only the work limit ends these. */
const small = { ...budget, work_max: 1_000 }

test('rules that never fire use up the work by being tried', () => {
  const rows = Array.from({ length: 200 }, (_, nth) => `n(c${nth}).`).join(' ')
  const tried = evaluateProgram(
    parseDatalog(`${rows} q :- n(A), n(B), n(C), n(D), none(E, F).`, 0),
    parseDatalogQuery('q'),
    small,
  )
  assert.deepEqual([tried.status, tried.bindings.length], ['budget_exhausted', 0])
  assert.ok(tried.work >= 750 && tried.work <= 1_000, `${tried.work} of the work`)
  const few = evaluateProgram(
    parseDatalog('n(a). n(b). q :- n(A), n(B), none(E, F).', 0),
    parseDatalogQuery('q'),
    small,
  )
  assert.deepEqual([few.status, few.work < 10], ['complete', true])
})

test('binding patterns that double with each argument use up the work as well', () => {
  const names = Array.from({ length: 16 }, (_, nth) => `X${nth}`)
  const head = `p(${names.join(', ')})`
  const turned = `p(${[...names.slice(1), names[0]].join(', ')})`
  const loosened = `p(${['Y', ...names.slice(1)].join(', ')})`
  const { status } = evaluateProgram(
    parseDatalog(`${head} :- ${turned}. ${head} :- ${loosened}.`, 0),
    parseDatalogQuery(`p(${names.map((_, nth) => `c${nth}`).join(', ')})`),
    small,
  )
  assert.equal(status, 'budget_exhausted')
})
