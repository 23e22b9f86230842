// The rules of pool and weight.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { asOwner } from '@svc/audit/test-audit-log'
import { localAdmin } from '@svc/contract/identity/identity'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_did, test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { giveRecords } from '../../../checks/scenes/track-record.ts'
import { mantic } from '../mantic/mantic.ts'
import { maven } from '../maven/maven.ts'
import { mata } from './mata.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-11-17T10:00:00.000Z')
const unverified = new Set<string>()
const identity = {
  resolve: (did: string) => ({
    outcome: 'Resolved' as const,
    identity: {
      ...localAdmin(did),
      ...(unverified.has(did) && { conformance_level: 'L0' as const, lineage_verified: false }),
      ...(did.includes(':agent-instance:') && { human_root_did: person }),
    },
  }),
}
const person = `did:oas:${test_tenant}:human-root:${'d'.repeat(64)}`
const other = { did: `did:oas:${test_tenant}:agent:${'b'.repeat(64)}` }
const stranger = { did: `did:oas:other:agent:${'c'.repeat(64)}`, tenant_id: 'other' }
let stage: Rehearsal

before(async () => {
  stage = await rehearse(mata, {
    others: [mantic, maven],
    tenants: [test_tenant, 'other'],
    ports: { clock, identity },
  })
  await addMember(stage.store.engine, test_tenant, test_did, new Date(clock.now_ms()))
})
after(() => stage.close())

const run = (operation: string, input: unknown, as?: object): Promise<Fields> =>
  stage.run(operation, input, as)
const refused = (operation: string, input: unknown, reason: string) =>
  assertRefused(run(operation, input), 'invalid_payload', reason)
const setting = (weight: number | null) => ({ weight, authority: 'mace://sole-member' })
const sources = ['maven://claim/published', 'maven://claim/noisy', 'maven://claim/bold'] as const

test('fifty children of one person weigh as much as one source, and unknown identities nothing', async () => {
  const children = Array.from(
    { length: 50 },
    (_, n) => `did:oas:${test_tenant}:agent-instance:${String(n).padStart(64, '0')}`,
  )
  const unknown = Array.from({ length: 50 }, (_, n) => `did:oas:nobody:agent:${String(n).padStart(64, '0')}`)
  for (const did of unknown) unverified.add(did)
  const saying = (all: readonly string[], probability: number) =>
    all.map((source) => ({ source, probability }))
  const opinions = [
    ...saying(children, 0.9),
    ...saying(unknown, 0.99),
    ...saying([other.did, 'protocol:MATA'], 0.3),
  ]
  const near = (value: number, expected: number) => assert.ok(Math.abs(value - expected) < 1e-9, `${value}`)
  const pooled = await run('pool', { opinions, method: 'linear', weights: 'equal' })
  near(pooled.probability, (0.9 + 0.3 + 0.3) / 3)
  assert.deepEqual([pooled.independent_sources, pooled.weights[unknown[0]!]], [3, 0])
  const invented = await run('weight', { source: unknown[0], topic: 'sybils' })
  assert.deepEqual([invented.weight, invented.rank, invented.sources], [0, 1, 1])
  await run('weight', { source: children[0], topic: 'sybils', set: setting(0.02) })
  const learned = await run('pool', { opinions, method: 'linear', topic: 'sybils' })
  assert.equal(learned.weighting, 'learned')
  const of_children = children.reduce((sum, child) => sum + learned.weights[child], 0)
  assert.ok(of_children < 0.5 && learned.weights[unknown[0]!] === 0, `${of_children}`)
  const strangers = saying(unknown, 0.9)
  await assertRefused(run('pool', { opinions: strangers }), 'policy_denied', 'no independent source')
  const weighted = strangers.map((opinion) => ({ ...opinion, weight: 1 }))
  const vouched = await run('pool', { opinions: weighted, method: 'linear' })
  near(vouched.probability, 0.9)
  assert.deepEqual([vouched.weighting, vouched.independent_sources], ['given', 0])
  // The unknown are the caller's own voice, who answers for them.
  const weighted_opinions = opinions.map((opinion) => ({
    ...opinion,
    weight: opinion.source === other.did ? 2 : 1,
  }))
  const bounded = await run('pool', { opinions: weighted_opinions, method: 'linear' })
  const own = [...children, ...unknown].reduce((sum, source) => sum + bounded.weights[source], 0)
  near(own, 2 / 5)
  near(bounded.weights[other.did], 2 / 5)
  near(bounded.probability, (0.9 + 0.99 + 3 * 0.3) / 5)
})

test('a pool lists dissenters, and is content-addressed', async () => {
  const opinions = [
    { source: sources[0], distribution: { rain: 0.9, sun: 0.1 }, weight: 3 },
    { source: sources[1], distribution: { rain: 0.85, sun: 0.15 }, weight: 3 },
    { source: sources[2], distribution: { rain: 0.01, sun: 0.99 }, weight: 1 },
  ]
  const request = { question: 'Rain?', opinions, method: 'linear', persist: true }
  const answer = await run('pool', request)
  assert.ok(Math.abs(answer.distribution.rain - (0.9 * 3 + 0.85 * 3 + 0.01) / 7) < 1e-12)
  const { weight: _, ...verbatim } = opinions[2]!
  assert.deepEqual(
    answer.dissent.map(({ bits: _, ...said }: Fields) => said),
    [verbatim],
  )
  assert.match(answer.pool_ref, /^mata:\/\/pool\/[0-9a-f]{64}$/)
  assert.equal((await run('pool', request)).pool_ref, answer.pool_ref)
  const { rows } = await asOwner(stage.database.url, (client) =>
    client.query('SELECT mata_pools::text AS pool FROM mata_pools'),
  )
  assert.equal(rows.length, 1)
  for (const word of ['Rain?', 'rain', 'published']) {
    assert.ok(!rows[0]!.pool.includes(word) && !rows[0]!.pool.includes(Buffer.from(word).toString('hex')))
  }
  const quantiles = [
    [0.1, 3],
    [0.9, 5],
  ]
  const averaged = await run('pool', { opinions: [{ source: other.did, quantiles }] })
  assert.deepEqual([averaged.quantiles, averaged.method], [quantiles, 'quantile_average'])
  await refused('pool', { opinions: [opinions[0], opinions[0]] }, 'duplicate_source')
})

test('twenty invented sources decide nothing; claims speak with the voice of their author, and all protocols with one', async () => {
  const invented = [
    ...Array.from({ length: 10 }, (_, n) => `maven://claim/${String(n).padStart(64, '0')}`),
    ...Array.from({ length: 10 }, (_, n) => `protocol:MADEUP${String.fromCharCode(65 + n)}`),
  ]
  const saying = (all: readonly string[], probability: number) =>
    all.map((source) => ({ source, probability }))
  await assertRefused(
    run('pool', { opinions: saying(invented, 1) }),
    'policy_denied',
    'no independent source',
  )
  const attest = async (text: string, by: object) =>
    (await run('MAVEN.attest', { claim: text, evidence: [{ content: text }] }, by)).claim_ref
  const claims = [await attest('It rains.', other), await attest('It pours.', other)]
  const opinions = [
    ...saying(invented, 1),
    ...saying([other.did, ...claims], 0.2),
    ...saying(['protocol:MATA', 'protocol:MAVEN'], 0.4),
  ]
  const pooled = await run('pool', { opinions, method: 'linear' })
  assert.ok(Math.abs(pooled.probability - 0.3) < 1e-9, `${pooled.probability}`)
  assert.equal(pooled.independent_sources, 2)
})

test('only the organization sets a weight, and another half-life changes nothing that is stored', async () => {
  const parties = ['1', '2', '3', '4'].map((digit) => `did:oas:${test_tenant}:agent:${digit.repeat(64)}`)
  const [resolver, ...forecasters] = parties
  const outcomes = Array.from({ length: 20 }, (_, at) => at % 5 > 0)
  await giveRecords(stage.run, {
    resolver: { did: resolver!, tenant_id: test_tenant },
    topic: 'team',
    outcomes,
    locks_at: '2026-12-01T00:00:00Z',
    sources: forecasters.map((did, place) => ({
      did,
      probabilities: outcomes.map(() => (place === 1 ? 0.5 : 0.8)),
    })),
  })
  const source = forecasters[1]!
  const before = await run('weight', { source, topic: 'team' })
  assert.deepEqual([before.rank, before.n, before.brier], [3, 20, 0.25])
  const answer = await run('weight', { source, topic: 'team', set: setting(1) })
  assert.deepEqual([answer.weight, answer.manual, answer.rank], [1, true, 1])
  const short = await run('weight', { source, topic: 'team', half_life_days: 1 })
  assert.deepEqual([short.weight, short.n, short.brier], [1, 20, 0.25])
  const back = await run('weight', { source, topic: 'team', set: setting(null) })
  assert.equal(back.weight, before.weight)
  await assertRefused(
    run('weight', { source, set: setting(1) }, other),
    'policy_denied',
    'charter quorum required',
  )
  unverified.add(other.did)
  const unproven = run('weight', { source, set: setting(1) }, other)
  await assertRefused(unproven, 'policy_denied', 'verified lineage required')
  assert.equal((await run('weight', { source, topic: 'team' }, other)).n, 20)
  assert.equal((await run('weight', { source, topic: 'team' }, stranger)).n, 0)
})
