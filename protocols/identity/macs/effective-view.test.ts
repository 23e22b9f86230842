import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeldCapability } from '@svc/contract/authority/capability'
import { isBudgeted, spentAt, viewOf } from './effective-view.ts'

const at = '2026-11-15T10:00:00Z'
const moment = { at, spent: new Map(), agent_did: 'did:a', tenant_id: 'acme' }
const grant = (name: string, other: Partial<HeldCapability> = {}): HeldCapability => ({
  name,
  caveats: [],
  source: 'declared',
  ...other,
})
const view = (capabilities: HeldCapability[], protocol?: string) =>
  viewOf({ held: capabilities, excluded: [] }, moment, protocol)

test('expired grants are left out and named', () => {
  const capabilities = [
    grant('svc.mind.*', { expires_at: at }),
    grant('svc.marc.*', { expires_at: '2026-11-15T10:00:01Z' }),
  ]
  const excluded = [{ name: 'svc.moat.*', why: 'revoked' as const }]
  const effective_view = viewOf({ held: capabilities, excluded }, moment)
  assert.deepEqual(
    effective_view.capabilities.map(({ name, expires_at }) => [name, expires_at]),
    [['svc.marc.*', '2026-11-15T10:00:01Z']],
  )
  assert.deepEqual(effective_view.excluded, [...excluded, { name: 'svc.mind.*', why: 'expired' }])
})

test('the narrowest limits apply within one kind of source, and an expired grant narrows nothing', () => {
  const effective_view = view([
    grant('svc.mind.*', { limits: { max_per_hour: 10 } }),
    grant('svc.mind.*', { limits: { max_per_hour: 20, max_tokens: 5 }, caveats: ['time:09-17'] }),
    grant('svc.mind.*', { limits: { max_per_hour: 1 }, expires_at: at }),
    grant('svc.mind.*', { limits: { max_per_hour: 2 }, source: 'key' }),
  ])
  assert.deepEqual(
    effective_view.capabilities.map(({ source, limits, caveats }) => [source, limits, caveats]),
    [
      ['declared', { max_per_hour: 10, max_tokens: 5 }, []],
      ['declared', { max_per_hour: 10, max_tokens: 5 }, ['time:09-17']],
      ['key', { max_per_hour: 2 }, []],
    ],
  )
})

test('a duplicate grant is shown once', () => {
  assert.equal(view([grant('svc.mind.*'), grant('svc.mind.*')]).capabilities.length, 1)
})

test('a protocol’s own grants and the global one are shown, by its id in any letter case', () => {
  const capabilities = [grant('svc.mind.*'), grant('svc.mindful.*'), grant('svc.*.*')]
  const names = view(capabilities, 'Mind').capabilities.map(({ name }) => name)
  assert.deepEqual(names, ['svc.mind.*', 'svc.*.*'])
})

test('each caveat that is not satisfied is named; unknown ones are not satisfied', () => {
  const caveats = ['time:09-17', 'time:11-12', 'jurisdiction:EU', 'weekly_budget:1', 'unheard-of']
  const budgeted = grant('svc.mind.*', { caveats })
  const shownWith = (more: object) =>
    viewOf({ held: [budgeted], excluded: [] }, { ...moment, ...more }).capabilities[0]!
  assert.deepEqual(shownWith({}).unsatisfied, [
    'time:11-12',
    'jurisdiction:EU',
    'weekly_budget:1',
    'unheard-of',
  ])
  const facts = {
    jurisdiction: 'EU',
    spent: new Map([[budgeted, new Map([['weekly_budget:1', 1_000_000n]])]]),
  }
  assert.deepEqual(shownWith(facts).unsatisfied, ['time:11-12', 'unheard-of'])
  assert.equal(shownWith(facts).satisfied_now, false)
  assert.equal(view([grant('svc.mind.*', { caveats: ['time:09-17'] })]).capabilities[0]!.satisfied_now, true)
})

test('two grants of one name each show what was spent against their own budget', () => {
  const two = ['a', 'b'].map((source_ref) =>
    grant('svc.mind.*', { source: 'delegation', source_ref, caveats: ['weekly_budget:1'] }),
  )
  const spent = new Map([
    [two[0]!, new Map([['weekly_budget:1', 1_000_001n]])],
    [two[1]!, new Map([['weekly_budget:1', 0n]])],
  ])
  const { capabilities } = viewOf({ held: two, excluded: [] }, { ...moment, spent })
  assert.deepEqual(
    capabilities.map(({ source_ref, satisfied_now }) => [source_ref, satisfied_now]),
    [
      ['a', false],
      ['b', true],
    ],
  )
})

test('spending counts in its own week, Monday to Sunday in UTC', () => {
  const sunday = '2026-11-15T10:00:00Z'
  const spent = new Map([['weekly_budget:1', 5n]])
  assert.deepEqual(spentAt(spent, sunday, '2026-11-09T00:00:00Z'), spent)
  assert.deepEqual(spentAt(spent, sunday, '2026-11-15T23:59:59Z'), spent)
  assert.deepEqual(spentAt(spent, sunday, '2026-11-16T00:00:00Z'), new Map([['weekly_budget:1', 0n]]))
  assert.equal(spentAt(spent, sunday, '2026-11-08T23:59:59Z'), undefined)
  assert.equal(isBudgeted(grant('svc.mind.*', { caveats: ['weekly_budget:1'] })), true)
  assert.equal(isBudgeted(grant('svc.mind.*')), false)
})
