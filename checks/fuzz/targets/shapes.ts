// What callers shape others' data with: patterns, schemas, templates, recipes, patches.
import assert from 'node:assert/strict'
import { runtime_words, type Target } from '../target.ts'
import { attempt, fieldsIn, fieldsOf } from './input.ts'

/** Without what only V8's syntax has, and short enough for it to backtrack. */
function comparable(pattern: string, text: string): boolean {
  return pattern.length <= 24 && text.length <= 12 && /^[\x20-\x7e\n]*$/.test(text)
}

export const shape_targets: Readonly<Record<string, Target>> = {
  pattern: {
    files: ['contract/foreign/linear-', 'contract/expressions/matches'],
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
    steps_max: 5_000_000,
    async load() {
      const { LinearPattern } = await import('@svc/contract/foreign/linear-pattern')
      const { matchesLinear } = await import('@svc/contract/expressions/matches')
      const { Refusal } = await import('@svc/contract/refusal')
      return async (input) => {
        // The effort is states times characters, and its limits are the callers'.
        const [pattern = '', whole_text = ''] = input.split('\n', 2)
        const text = whole_text.slice(0, 64)
        const own = await attempt(() => new LinearPattern(pattern), SyntaxError, RangeError)
        const is_match = own?.test(text)
        let moves = 1_000_000
        const pay = (paid: number) => {
          moves -= paid
          assert.ok(moves >= 0, 'too many moves')
        }
        const matched = await attempt(() => matchesLinear(text, pattern, pay), Refusal)
        if (!comparable(pattern, text)) return
        // V8 itself runs out of stack on some.
        const theirs = await attempt(() => new RegExp(pattern, 'u').test(text), SyntaxError, RangeError)
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
        const question = { schema: JSON.stringify(schema ?? null), value: JSON.stringify(value ?? null) }
        assert.doesNotMatch(judgeNow(question).unusable ?? '', runtime_words)
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
      const { readJson } = await import('@svc/gateway/dispatch/read-json')
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
        const manifest = readJson(Buffer.from(input, 'utf8'))
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
