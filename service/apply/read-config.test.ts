import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { ConfigError } from '../settings/config-error.ts'
import { parseConfig } from './read-config.ts'

function faultOf(source: string): string {
  try {
    parseConfig('config.yaml', source)
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return (error as Error).message
  }
  return ''
}

test('each fault is one sentence with its line', () => {
  const faults: readonly (readonly [source: string, sentence: string])[] = [
    ['tenants: []', 'config.yaml, line 1: The file lacks version.'],
    ['version: 2', 'config.yaml, line 1: version is not valid: 1, the version of this format.'],
    ['version: 1\ntenant: []', 'config.yaml, line 2: The file has no field tenant; did you mean tenants?'],
    [
      'version: 1\ntenants:\n  - id: acme\n    people:\n      - login: ann\n        rols: [viewer]',
      'config.yaml, line 6: tenants[0].people[0] has no field rols; did you mean roles?',
    ],
    [
      'version: 1\ntenants:\n  - id: acme\n    tier: gold',
      'config.yaml, line 4: tenants[0].tier is not valid: it may be sandbox, charter, institution, sovereign.',
    ],
    ['version: 1\ntenants:\n  - name: Acme', 'config.yaml, line 3: tenants[0] lacks id.'],
    [
      'version: 1\ntenants:\n  - id: acme\n    roles:\n      Buyer: {}',
      'config.yaml, line 5: tenants[0].roles cannot have the name Buyer.',
    ],
    [
      'version: 1\ntenants:\n  - id: acme\n  - id: acme',
      'config.yaml, line 4: tenants[1] declares acme a second time.',
    ],
    [
      'version: 1\ntenants:\n  - id: acme\n    people:\n      - login: Ann\n      - login: ann',
      'config.yaml, line 6: tenants[0].people[1] declares ann a second time.',
    ],
    [
      'version: 1\ntenants:\n  - id: acme\n    people:\n      - login: "?"',
      'config.yaml, line 5: A login has 1 to 128 letters, digits and . _ + @ -, such as an email address.',
    ],
    [
      'version: 1\ntenants:\n  - id: acme\n    policies:\n      - {id: p, version: 1.0.0}',
      'config.yaml, line 5: tenants[0].policies[0] needs either file or body.',
    ],
  ]
  for (const [source, sentence] of faults) assert.equal(faultOf(source), sentence)
})

test('what is not plain YAML is refused: aliases, tags, repeated keys, several documents, deep nesting', () => {
  for (const source of [
    'version: 1\ntenants: &t [{id: a}]\nprotocols: *t',
    'version: !!js/function 1',
    'version: 1\nversion: 1',
    'version: 1\n---\nversion: 1',
    'version: 1\n<<: {tenants: []}',
    `version: 1\ntenants: ${'['.repeat(100_000)}`,
    'version: 1\ntenants: [',
    '\u0000',
    '',
    'null',
    '- version: 1',
    'version: 1\ntenants:\n  - id: acme\n    roles: {__proto__: {add: []}}',
  ])
    assert.match(faultOf(source), /^config\.yaml/, source.slice(0, 60))
})

test('no text makes it fail in another way than by one sentence', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.jsonValue().map((value) => stringify(value)),
      ),
      (source) => {
        assert.doesNotMatch(faultOf(source), /\n./)
      },
    ),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
      assert.doesNotMatch(faultOf(stringify({ version: 1, tenants: [{ id: 'a', ...fields }] })), /\n./)
    }),
  )
})
