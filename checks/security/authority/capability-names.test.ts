// T2, wildcard confusion: the matcher against a ten-line oracle, on names that are similar, truncated or hide
// something.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covers, global_wildcard, isCapabilityName } from '@svc/contract/authority/capability'
import { CapabilityName } from '@svc/contract/schema'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import { announce, is_long, openChance } from '../../faults/scene/chance.ts'

const pairs_count = is_long ? 1_000_000 : 100_000

// Written from the spec's table, by segments instead of a pattern.
function oracle(granted: string, required: string): boolean {
  const isSegment = (text: string) =>
    /^[a-z]/.test(text) && [...text].every((c) => 'abcdefghijklmnopqrstuvwxyz0123456789_'.includes(c))
  const [svc, protocol = '', ...operation] = required.split('.')
  if (granted === 'svc.*.*' && required === 'svc.*.*') return true
  if (required === 'recipe-llm-compile') return granted === required
  const is_whole = operation.length === 1 && (operation[0] === '*' || operation[0] === 'pre-release')
  if (svc !== 'svc' || protocol === '' || ![...protocol].every((c) => c >= 'a' && c <= 'z')) return false
  if (!is_whole && (operation.length === 0 || !operation.every(isSegment))) return false
  return granted === required || granted === `svc.${protocol}.*` || granted === 'svc.*.*'
}

const segment = fc.oneof(
  fc.constantFrom(
    'macs',
    'max',
    'maestro',
    'read',
    'charter',
    'declare',
    '*',
    'pre-release',
    'a_1',
    '_a',
    '1a',
    'MACS',
    '',
    'm\u0430cs',
    'a ',
    '*\u0000',
  ),
  fc.string({ maxLength: 4 }),
)
const good_name = fc.stringMatching(
  /^svc\.(macs|max|maestro)\.([a-c][a-c1_]{0,2}(\.[a-c]{1,2})?|\*|pre-release)$/,
)
const name = fc.oneof(
  { weight: 4, arbitrary: good_name },
  {
    weight: 6,
    arbitrary: fc.array(segment, { minLength: 0, maxLength: 4 }).map((parts) => ['svc', ...parts].join('.')),
  },
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    'recipe-llm-compile',
    'recipe-llm-compile ',
    'svc.recipe-llm-compile',
    'recipe-llm-compile.*',
  ),
)
// Half of the pairs are derived from each other; random names share nothing.
const related = name.chain((required) =>
  fc
    .constantFrom(
      required,
      required.replace(/[^.]*$/, '*'),
      'svc.*.*',
      `${required} `,
      required.toUpperCase(),
    )
    .map((granted) => [granted, required] as const),
)

test('random pairs of names agree with an oracle written from the table', (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, pairs_count, chance)
  let covered = 0
  fc.assert(
    fc.property(fc.oneof(related, fc.tuple(name, name)), ([granted, required]) => {
      const is_covered = covers(granted, required)
      if (is_covered !== oracle(granted, required)) return false
      if (is_covered) covered++
      return true
    }),
    { numRuns: pairs_count, seed: chance.seed },
  )
  t.diagnostic(`${covered} covered`)
  assert.ok(
    covered > pairs_count / 100,
    `only ${covered} pairs were covered; the generator does not test the yes`,
  )
})

test('the published pattern of a name accepts the same names, except the global wildcard that nobody may grant', () => {
  fc.assert(
    fc.property(name, (text) => {
      assert.equal(
        Check(CapabilityName, text),
        isCapabilityName(text) && text !== global_wildcard && text.length <= 128,
      )
    }),
    { numRuns: 5000 },
  )
})
