import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { diffLines, type TreatyBody, termDiff, termSections } from './term-lines.ts'

const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })
const without = (lines: ReturnType<typeof diffLines>, but: string) =>
  lines.filter(({ change }) => change !== but).map(({ text }) => text)

test('both sides can be restored from a diff, and its common part is the longest possible', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const lines = diffLines(before, after)
      assert.deepEqual(without(lines, 'after'), before)
      assert.deepEqual(without(lines, 'before'), after)
      const same = lines.filter(({ change }) => change === 'same').length
      assert.equal(same, longestCommon(before, after))
    }),
  )
})

/** Brute force: tries every choice. */
function longestCommon(
  a: readonly string[],
  b: readonly string[],
  lengths = new Map<string, number>(),
): number {
  const [head, ...rest] = a
  if (head === undefined || b.length === 0) return 0
  const key = `${a.length} ${b.length}`
  const cached = lengths.get(key)
  if (cached !== undefined) return cached
  const at = b.indexOf(head)
  const length = Math.max(
    longestCommon(rest, b, lengths),
    at < 0 ? 0 : 1 + longestCommon(rest, b.slice(at + 1), lengths),
  )
  lengths.set(key, length)
  return length
}

const body: TreatyBody = {
  v: 1,
  parent: null,
  parties: [
    { tenant: 'acme', did: `did:oas:acme:agent:${'a'.repeat(64)}` },
    { tenant: 'globex', did: `did:oas:globex:agent:${'b'.repeat(64)}` },
  ],
  grants: [{ to: 'globex', capability: 'svc.mind.recall_memory', caveats: ['time:09-17'] }],
  rate_limits: { per_hour: 100 },
  settlement: { rail: 'internal', currency: 'usd', clearing_fee_bps: 25 },
  dispute_resolution: { via: 'MOOT', venue: 'operator' },
  effective_from: '2026-11-15T10:00:00.000Z',
  expires_at: '2027-11-15T10:00:00.000Z',
  nonce: 'one',
}

test('an amendment shows each changed term, before and after, and nothing else', () => {
  const amended: TreatyBody = {
    ...body,
    parent: `sha256:${'7'.repeat(64)}`,
    nonce: 'two',
    rate_limits: { per_hour: 7, per_day: 50 },
    grants: [{ ...body.grants[0]!, limits: { max_per_hour: 5 } }],
  }
  const changed = termDiff(body, amended).filter(({ change }) => change !== 'same')
  assert.deepEqual(changed, [
    { change: 'after', text: 'globex may svc.mind.recall_memory, at most: 5 calls an hour' },
    { change: 'before', text: 'all calls of one party: at most 100 an hour' },
    { change: 'after', text: 'all calls of one party: at most 50 a day' },
    { change: 'after', text: 'all calls of one party: at most 7 an hour' },
  ])
  assert.ok(termDiff(body, body).every(({ change }) => change === 'same'))
})

test('no term can change without a diff line', () => {
  const others: readonly Partial<TreatyBody>[] = [
    { parties: [...body.parties].reverse() },
    { grants: [{ ...body.grants[0]!, to: 'acme' }] },
    { grants: [{ ...body.grants[0]!, capability: 'svc.mind.*' }] },
    { grants: [{ to: 'globex', capability: 'svc.mind.recall_memory' }] },
    { grants: [{ ...body.grants[0]!, limits: { weekly_budget_usd: '5.000000' } }] },
    { rate_limits: {} },
    { settlement: { ...body.settlement, clearing_fee_bps: 26 } },
    { dispute_resolution: { via: 'MOOT', venue: 'third' } },
    { effective_from: '2026-11-16T10:00:00.000Z' },
    { expires_at: '2028-11-15T10:00:00.000Z' },
  ]
  for (const other of others) assert.notDeepEqual(termSections({ ...body, ...other }), termSections(body))
})
