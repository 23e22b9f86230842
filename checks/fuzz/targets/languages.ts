// Small languages that callers write: expressions, rules, plans, models, patterns, schemas, templates.
import assert from 'node:assert/strict'
import { runtime_words, type Target } from '../target.ts'
import { attempt, valueIn } from './input.ts'

const cel_files = ['contract/expressions/', 'node_modules/@marcbachmann/cel-js/']
const cel_words = [
  ...[
    'input.',
    'steps.',
    'size(',
    'has(',
    '.all(x, ',
    '.map(x, ',
    '.filter(x, ',
    '.exists(x, ',
    ' in ',
    ' ? ',
    ' : ',
  ],
  ...[
    'timestamp("2026-01-01T00:00:00Z")',
    'duration("1h")',
    '.matches("',
    'b"',
    "r'",
    '1u',
    '0x1',
    '1.5e3',
    '&&',
    '||',
  ],
]
const hddl_words = [
  '(:method',
  '(:action',
  '(:task',
  ':parameters',
  ':effect',
  '(not',
  '(and',
  '(forall',
  '(= ?x',
  '- object',
]

export const language_targets: Readonly<Record<string, Target>> = {
  cel: {
    files: cel_files,
    seeds: [
      'input.a + 1 > 2 && steps.x.data.y == "z"',
      'input.list.filter(x, x.n > 1).map(x, string(x.n) + uuid())',
      'has(input.a) ? timestamp("2026-01-01T00:00:00Z").getHours() : size([1, 2u, 3.5, b"x"])',
      '{"a": [null, true], input.b: "é".matches("[a-z]+$")}[input.b] in [1]',
    ],
    words: cel_words,
    steps_max: 5_000_000,
    async load() {
      const { compileExpression, evaluate } = await import('@svc/contract/expressions/expression')
      const value = { a: 1, b: 'b', list: [{ n: 1 }, { n: 2 }], c: { d: null } }
      const scope = { input: value, steps: { x: { data: { y: 'z' } } }, now_ms: 1_790_000_000_000, seed: 's' }
      return (input) => JSON.stringify(evaluate(compileExpression(input), scope))
    },
  },

  condition: {
    files: ['protocols/execution/planning/', ...cel_files],
    is_json: true,
    seeds: [
      '{"a":{"$cel":"state.x[args.y] + args.n"},"b":[{"$cel":"\\"k\\" in state.objects"}]}',
      '{"$cel":"args.y.matches(\\"a+\\")"}',
    ],
    words: cel_words,
    steps_max: 5_000_000,
    async load() {
      const { compileTemplate, fillArgs } = await import('@svc/protocols/execution/planning/template')
      const { sentenceOf } = await import('@svc/protocols/execution/planning/condition')
      const { toCel } = await import('@svc/contract/expressions/expression-value')
      const facts = (value: unknown) => toCel(value) as never
      const args = facts({ y: 'k', n: 2 })
      return (input) => {
        // Every caller catches whatever it throws, and tells its first line.
        try {
          const template = compileTemplate(valueIn(input))
          template.reads(args)
          fillArgs(template, { state: facts({ x: { k: 1 }, objects: {} }), args })
        } catch (error) {
          assert.doesNotMatch(sentenceOf(error), runtime_words)
        }
      }
    },
  },

  hddl: {
    files: [
      'protocols/execution/planning/hddl/',
      'protocols/execution/planning/domain.ts',
      'protocols/execution/planning/effect.ts',
    ],
    seeds: [
      `(define (domain d) (:types truck - object) (:predicates (at ?x - truck ?p))
       (:task go :parameters (?t - truck ?to)) (:constants a b)
       (:method m :parameters (?t - truck ?x) :task (go ?t ?x) :precondition (not (at ?t ?x)) :ordered-subtasks (drive ?t ?x))
       (:action drive :parameters (?t - truck ?y) :precondition (forall (?z) (imply (at ?t ?z) (not (= ?z ?y))))
        :effect (and (not (at ?t a)) (at ?t ?y) (increase (total-cost) 3))))
       (define (problem p) (:domain d) (:objects t1 - truck)
       (:htn :subtasks (and (x (go t1 b)) (y (go t1 a))) :ordering (and (< x y))) (:init (at t1 a) (= (total-cost) 0)))`,
    ],
    words: hddl_words,
    throws: [Error],
    async load() {
      const { readHddl } = await import('@svc/protocols/execution/planning/hddl/hddl-domain')
      const { compileDomain } = await import('@svc/protocols/execution/planning/domain')
      return (input) => {
        const { methods, operators } = readHddl(input)
        const compiled = compileDomain({ methods, operators })
        if ('faults' in compiled)
          for (const { message } of compiled.faults) assert.doesNotMatch(message, runtime_words)
      }
    },
  },

  cedar: {
    files: ['adapters/policy/'],
    seeds: [
      '@reason("no") @appeal("x") forbid (principal, action == Action::"call", resource) when { context.hour < 6 };',
      'permit (principal, action, resource) unless { principal.did like "did:oas:*" && [1, 2].contains(3) };',
    ],
    words: [
      'permit',
      'forbid',
      'principal',
      'action',
      'resource',
      'context',
      'when',
      'unless',
      'like',
      'has',
      'ip("::1")',
      '::"',
    ],
    async load() {
      const { checkText } = await import('@svc/adapters/policy/cedar-check')
      const { cedarModule } = await import('@svc/adapters/policy/cedar-module')
      const module = cedarModule()
      return (input) => {
        const { faults, warnings } = checkText(module, input)
        for (const { message, from = 0, to = 0 } of [...faults, ...warnings]) {
          assert.ok(from >= 0 && from <= to && to <= input.length, `${message}: the place is in the text`)
          assert.doesNotMatch(message, /too complex to be evaluated/)
        }
      }
    },
  },

  bif: {
    files: ['protocols/cognition/causal/'],
    seeds: [
      `network "n" { property p; }\nvariable a { type discrete [2] { y, n }; }\nvariable "b c" { type discrete [3] { <5, 5-10, x }; }
       probability ( a ) { table 0.5, 0.5; }\nprobability ( "b c" | a ) { default 0.2 0.3 0.5; (y) 1, 0, 0; } // end`,
      'variable a { type discrete [1] { y }; }\nvariable b { type discrete [2] { t f }; }\nprobability ( b | a ) { table 0.1 0.9; }\nprobability(a){table 1;}',
    ],
    // A model may have 2^24 numbers, and a default fills them all.
    steps_max: 100_000_000,
    async load() {
      const { readBif } = await import('@svc/protocols/cognition/causal/bif')
      const { buildNetwork } = await import('@svc/protocols/cognition/causal/network')
      return (input) => buildNetwork(readBif(input).content)
    },
  },

  premises: {
    files: ['protocols/cognition/reasoning/'],
    seeds: [
      'datalog: p(X) :- q(X), not r(X), -s(X), X > 3. q(4). ?- p(X).',
      "Every cat is an animal. If someone is kind and not rich then they aren't old. Bob's mother likes Dr. Smith. Fact 3: is Bob old?",
      'All blue things are round unless they are cold; no dog chases a cat. Either Anne or Gary is 12.5 years old.',
    ],
    steps_max: 5_000_000,
    async load() {
      const { readPremises } = await import('@svc/protocols/cognition/reasoning/premises')
      const { parseDatalogQuery, Unparsed } = await import('@svc/protocols/cognition/reasoning/datalog')
      return async (input) => {
        readPremises(input.split('\n').slice(0, 20), input.slice(0, 200))
        await attempt(() => parseDatalogQuery(input), Unparsed)
      }
    },
  },

  question: {
    files: ['protocols/awareness/mari/passage.ts', 'protocols/awareness/mari/inquiry-question.ts'],
    seeds: [
      'Who built Pump 7, and when did it fail? Compare the cost of Hydro One with that of Acme.',
      "It isn't 12.5 bar; no pump of ACME-3 ran for 3 days. There were three, not four, at 5 km.",
    ],
    async load() {
      const { divideQuestion, isProposition, namesIn } = await import(
        '@svc/protocols/awareness/mari/inquiry-question'
      )
      const { doesDeny, doesMismatch, isSupported, readPassage, splitPassages } = await import(
        '@svc/protocols/awareness/mari/passage'
      )
      return (input) => {
        const question = input.toWellFormed()
        const parts = divideQuestion(question)
        assert.ok(parts.length >= 1 && parts.length <= 8)
        for (const part of [question, ...parts]) void [isProposition(part), namesIn(part)]
        const passages = splitPassages(question)
        for (const { start, end, text } of passages) assert.equal(question.slice(start, end), text)
        const [one, other] = [readPassage(question), readPassage(passages[0]?.text ?? '')]
        void [isSupported(one, other), doesDeny(one, other), doesMismatch(one, other)]
      }
    },
  },
}
