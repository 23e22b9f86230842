// Small languages that callers write: expressions, rules, plans, models, patterns, schemas, templates.
import assert from 'node:assert/strict'
import type { Target } from '../target.ts'
import { attempt, fieldsIn, fieldsOf, valueIn } from './input.ts'

const cel_files = ['protocols/execution/expressions/', 'node_modules/@marcbachmann/cel-js/']
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

/** Without what only V8's syntax has, and short enough for it to backtrack. */
function comparable(pattern: string, text: string): boolean {
  return pattern.length <= 24 && text.length <= 12 && /^[\x20-\x7e\n]*$/.test(text)
}

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
      const { compileExpression, evaluate } = await import('@svc/protocols/execution/expressions/expression')
      const value = { a: 1, b: 'b', list: [{ n: 1 }, { n: 2 }], c: { d: null } }
      const scope = { input: value, steps: { x: { data: { y: 'z' } } }, now_ms: 1_790_000_000_000, seed: 's' }
      return (input) => {
        const expression = compileExpression(input)
        JSON.stringify(evaluate(expression, scope))
      }
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
      const { toCel } = await import('@svc/protocols/execution/expressions/expression-value')
      const facts = (value: unknown) => toCel(value) as never
      const args = facts({ y: 'k', n: 2 })
      return (input) => {
        // Every caller catches whatever it throws, and tells its first line.
        try {
          const template = compileTemplate(valueIn(input))
          template.reads(args)
          fillArgs(template, { state: facts({ x: { k: 1 }, objects: {} }), args })
        } catch (error) {
          assert.doesNotMatch(
            sentenceOf(error),
            /Cannot |is not a function|is not iterable|undefined|Maximum call/,
          )
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
        compileDomain({ methods, operators })
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

  pattern: {
    files: ['contract/foreign/linear-', 'protocols/execution/expressions/matches'],
    seeds: [
      '^a(b|c)*d{2,3}$\nabcd',
      '(?:[^x-z]\\d+?|\\p{L}\\b.)+\nab1',
      '(?<n>\\u{61}|\\x62|\\cA)?\\B$\nb',
      '[]a][^b]\\w\\S{0,4}\na-b',
    ],
    words: [
      '(?:',
      '(?<a>',
      '\\p{Lu}',
      '\\d',
      '\\w',
      '\\s',
      '\\b',
      '{2,}',
      '{0}',
      '[^',
      '\\u{1f600}',
      '\\ud83d\\ude00',
      '|',
    ],
    async load() {
      const { LinearPattern } = await import('@svc/contract/foreign/linear-pattern')
      const { matchesLinear } = await import('@svc/protocols/execution/expressions/matches')
      const { Refusal } = await import('@svc/contract/refusal')
      return async (input) => {
        const [pattern = '', text = ''] = input.split('\n', 2)
        const own = await attempt(() => new LinearPattern(pattern), SyntaxError, RangeError)
        const is_match = own?.test(text)
        let moves = 1_000_000
        const pay = (paid: number) => {
          moves -= paid
          assert.ok(moves >= 0, 'too many moves')
        }
        const matched = await attempt(() => matchesLinear(text, pattern, pay), Refusal)
        if (!comparable(pattern, text)) return
        const theirs = await attempt(() => new RegExp(pattern, 'u').test(text), SyntaxError)
        if (own && theirs !== undefined)
          assert.equal(is_match, theirs, 'a schema pattern means what it means in V8')
        // An empty class and a bracket in one are written differently in RE2.
        if (matched !== undefined && theirs !== undefined && !/\[\^?\]|\\[sSbB]/.test(pattern))
          assert.equal(matched, theirs, 'matches() means what it means in V8')
      }
    },
  },

  schema: {
    files: ['contract/foreign/'],
    is_json: true,
    seeds: [
      JSON.stringify({
        schema: {
          type: 'object',
          properties: { a: { type: 'string', pattern: '^[a-z]+$' }, b: { $ref: '#/$defs/x' } },
          patternProperties: { '^x': { enum: [1] } },
          $defs: {
            x: { anyOf: [{ type: 'array', items: { minimum: 1 }, uniqueItems: true }, { const: null }] },
          },
          required: ['a'],
        },
        value: { a: 'b', b: [1, 2], x1: 1 },
      }),
    ],
    words: [
      'allOf',
      'oneOf',
      'not',
      'if',
      'then',
      'else',
      'prefixItems',
      'contains',
      'propertyNames',
      '$anchor',
      '$id',
      'format',
      '#',
      '#/$defs/x',
      'unevaluatedProperties',
      'dependentRequired',
    ],
    steps_max: 5_000_000,
    async load() {
      const { judgeNow } = await import('@svc/contract/foreign/foreign-schema')
      const { schemaFault } = await import('@svc/contract/foreign/tool-schema')
      return (input) => {
        const { schema, value } = fieldsIn(input)
        // As tools and plugins: a schema with a fault of form is never applied.
        if (schemaFault(schema as never) !== undefined) return
        judgeNow({ schema: JSON.stringify(schema ?? null), value: JSON.stringify(value ?? null) })
      }
    },
  },

  template: {
    files: [
      'protocols/execution/mage/draft-template.ts',
      'protocols/execution/mage/artifact-license.ts',
      'node_modules/mustache/',
    ],
    seeds: [
      '{{#list}}{{a.b}}{{^c}}-{{/c}}{{/list}}{{{d}}}{{! x }}{{=<% %>=}}<% d %>',
      '(MIT OR Apache-2.0+) AND GPL-2.0-only WITH Classpath-exception-2.0',
    ],
    words: ['{{', '}}', '{{#', '{{/', '{{^', '{{&', '{{>', '{{=', 'list', 'AND', 'OR', 'WITH', 'LicenseRef-'],
    async load() {
      const { renderTemplate, renderAtOnce } = await import('@svc/protocols/execution/mage/draft-template')
      const { readLicense } = await import('@svc/protocols/execution/mage/artifact-license')
      const { Refusal } = await import('@svc/contract/refusal')
      const data = { list: [{ a: { b: 1 } }, { c: true }], d: { e: '<&>' } }
      return async (input) => {
        const license = readLicense(input)
        if ('license' in license) assert.deepEqual(readLicense(license.license), license)
        for (const media_type of ['text/html', 'application/json']) {
          const whole = await attempt(() => renderTemplate(input, data, media_type), Refusal)
          const at_once = await attempt(() => renderAtOnce(input, data, media_type), Refusal)
          if (at_once) assert.deepEqual(at_once, whole)
        }
      }
    },
  },

  recipe: {
    files: [
      'protocols/execution/recipes/',
      'protocols/execution/moon/schedule.ts',
      'protocols/execution/moon/manifest.ts',
    ],
    is_json: true,
    seeds: [
      JSON.stringify({
        name: 'a',
        version: '1.0.0',
        steps: [
          {
            kind: 'Protocol',
            name: 'x',
            protocol: 'TEST',
            operation: 'any',
            payload: { a: { $ref: 'input.a' } },
          },
          {
            kind: 'Protocol',
            name: 'y',
            protocol: 'TEST',
            operation: 'any',
            payload: { b: { $cel: 'steps.x.data.c' } },
            when: 'input.a == 1',
            depends_on: ['x'],
          },
          { kind: 'Gate', condition: 'true', on_true: [], on_false: [] },
        ],
        schedule: { cron: '*/5 0 1-3 * MON', tz: 'Europe/Berlin' },
        input_schema: { type: 'object', properties: { a: { type: 'integer' } } },
        output: 'steps.y.data',
      }),
    ],
    words: [
      'Recipe',
      'Parallel',
      'Gate',
      'Protocol',
      'Loop',
      '$literal',
      'steps.x.data.a',
      'L',
      '#2',
      '0 0 29 2 *',
      '@daily',
    ],
    steps_max: 5_000_000,
    async load() {
      const { compileRecipe } = await import('@svc/protocols/execution/recipes/compile')
      const { Manifest, recipeOf } = await import('@svc/protocols/execution/moon/manifest')
      const { scheduleOf } = await import('@svc/protocols/execution/moon/schedule')
      const { Compile } = await import('typebox/compile')
      const form = Compile(Manifest)
      const facts = {
        input: { type: 'object' },
        output: { type: 'object' },
        capability: 'svc.test.any',
        version: 'v1.0.0',
      }
      return (input) => {
        const manifest = valueIn(input)
        if (!form.Check(manifest)) return
        const { input_schema, output, compensation, defaults } = manifest
        const options = {
          ...(input_schema && { input: input_schema }),
          ...(output !== undefined && { output }),
        }
        const more = { ...(compensation && { compensation }), ...(defaults && { defaults }) }
        compileRecipe(
          recipeOf(manifest),
          () => ({ ...facts, effect: 'write' }),
          () => undefined,
          { ...options, ...more },
        )
        scheduleOf(manifest, new Date(0))
      }
    },
  },

  patch: {
    files: ['protocols/cognition/mame/json-patch.ts'],
    is_json: true,
    seeds: [
      JSON.stringify({
        document: { a: [1, { b: 2 }], c: { 'd/e': null } },
        patch: [
          { op: 'test', path: '/a/0', value: 1 },
          { op: 'add', path: '/a/-', value: [] },
          { op: 'copy', from: '/c', path: '/c/f' },
          { op: 'move', from: '/a/1', path: '/c/d~1e' },
          { op: 'replace', path: '', value: {} },
          { op: 'remove', path: '/a/0' },
        ],
      }),
      JSON.stringify({ document: { a: {} }, patch: Array(8).fill({ op: 'copy', from: '', path: '/a/a' }) }),
    ],
    words: ['/a', '/-', '/a/0', '~0', '~1', '/__proto__', '/a/b/c/d'],
    async load() {
      const { applyPatch, differencesOf, PatchStep, withoutPointers, Pointer } = await import(
        '@svc/protocols/cognition/mame/json-patch'
      )
      const { readJson } = await import('@svc/gateway/dispatch/read-json')
      const { canonicalJson } = await import('@svc/contract/signing/canonical-json')
      const { Type } = await import('typebox')
      const { Compile } = await import('typebox/compile')
      const steps = Compile(Type.Array(PatchStep, { maxItems: 100 }))
      const pointers = Compile(Type.Array(Pointer))
      return (input) => {
        const { document = null, patch } = fieldsOf(readJson(Buffer.from(input, 'utf8')))
        if (!steps.Check(patch)) return
        const paths = patch.map(({ path }) => path)
        if (pointers.Check(paths)) withoutPointers(document, paths)
        const result = applyPatch(document, patch, 10_000)
        const again = applyPatch(document, differencesOf(document, result), 100_000)
        assert.equal(canonicalJson(again), canonicalJson(result), 'the differences lead to the result')
      }
    },
  },
}
