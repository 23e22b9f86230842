// The rules of query_knowledge and fusion_request.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { giveRecords } from '../../../checks/scenes/track-record.ts'
import { mantic } from '../../truth/mantic/mantic.ts'
import { mata } from '../../truth/mata/mata.ts'
import { maven } from '../../truth/maven/maven.ts'
import { mame } from '../mame/mame.ts'
import { mind } from './mind.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const stranger = { did: `did:oas:other:agent:${'b'.repeat(64)}`, tenant_id: 'other' }
let stage: Rehearsal
before(async () => {
  const ports = { identity: localAdminResolver() }
  stage = await rehearse(mind, {
    others: [mame, mantic, mata, maven],
    tenants: [test_tenant, 'other'],
    ports,
  })
})
after(() => stage.close())

const run = (operation: string, input: unknown, as?: object): Promise<Fields> =>
  stage.run(operation, input, as)
const remember = (triples: Fields[]) =>
  run('store_memory', { kind: 'semantic', payload: { note: JSON.stringify(triples) }, triples })
const objects = ({ facts }: Fields): unknown[] => facts.map(({ object }: Fields) => object)
const refused = (operation: string, input: unknown, reason: string, as?: object) =>
  assertRefused(run(operation, input, as), 'invalid_payload', reason)

const newDid = () => newIdentity('acme', 'agent').did
const good = Array.from({ length: 3 }, newDid)
const bad = Array.from({ length: 5 }, newDid)
const says = (source_did: string, object: unknown) => ({
  source_did,
  facts: [{ subject: 'Reactor', predicate: 'reading', object }],
})

test('subjects with any characters can be queried', async () => {
  for (const subject of ['%', '_', "'; --", '\u202e', '💥'.repeat(200), 'x'.repeat(512)])
    assert.deepEqual((await run('query_knowledge', { subject })).facts, [])
  await refused('query_knowledge', { subject: 'Acme', as_of: '2026-02-30T00:00:00Z' }, 'bad_time')
  await refused('query_knowledge', { subject: 'Acme', cursor: 'bm90aGluZw' }, 'bad_cursor')
})

test('scenario 4: three reliable sources outweigh five copies of a bad one, in every order', async () => {
  const forecasting = (sources: readonly string[], probability: number) =>
    sources.map((did) => ({ did, probabilities: Array.from({ length: 10 }, () => probability) }))
  await giveRecords(stage.run, {
    resolver: { did: newDid(), tenant_id: test_tenant },
    outcomes: Array.from({ length: 10 }, () => true),
    locks_at: '2100-01-01T00:00:00Z',
    sources: [...forecasting(good, 0.9), ...forecasting(bad, 0.1)],
  })
  const sources = [...bad.map((source) => says(source, 17)), ...good.map((source) => says(source, 42))]
  const fused = await run('fusion_request', { sources })
  assert.deepEqual(objects(fused), [42])
  assert.deepEqual(fused.facts[0].support, good.toSorted())
  assert.deepEqual(fused.conflicts[0].values.map(({ value }: Fields) => value).sort(), [17, 42])
  assert.deepEqual([fused.conflicts[0].chosen, fused.dissent[0].object], [42, 17])
  assert.ok(fused.source_reliability[good[0]!] > fused.source_reliability[bad[0]!])
  for (const order of [sources.toReversed(), [...sources.slice(4), ...sources.slice(0, 4)]])
    assert.deepEqual(await run('fusion_request', { sources: order }), fused)
})

test('fused facts that are written back are believed, under one name', async () => {
  const [a, b] = [newDid(), newDid()]
  await remember([{ subject: 'Dam', predicate: 'level', object: 3 }])
  const fact = (subject: string, predicate: string, object: unknown) => ({
    subject,
    predicate,
    object,
    confidence: 0.9,
  })
  const sources = [
    { source_did: a, facts: [fact('Dam', 'level', 7), fact('Dam', 'alias', 'Old Wall')] },
    { source_did: b, facts: [fact('Old Wall', 'level', 7), fact('Dam', 'near', 'Town')] },
  ]
  const { written, entity_merges, snapshot_ref } = await run('fusion_request', { sources, write_back: true })
  assert.deepEqual([entity_merges.length, written.superseded.length], [1, 1])
  const answer = await run('query_knowledge', { subject: 'old wall', predicate: 'level' })
  assert.deepEqual([answer.entity.label, objects(answer)], ['Dam', [7]])
  const twice = await run('fusion_request', { sources, write_back: true })
  assert.deepEqual([twice.snapshot_ref, twice.written.added], [snapshot_ref, 0])
  await remember([{ subject: 'Dam', predicate: 'keeper', object: 'Eve', functional: true }])
  const keepers = [a, b].map((source_did) => ({ source_did, facts: [fact('Dam', 'keeper', 'Roy')] }))
  const changed = await run('fusion_request', { sources: keepers, write_back: true })
  assert.equal(changed.written.superseded.length, 1)
  assert.deepEqual(objects(await run('query_knowledge', { subject: 'Dam', predicate: 'keeper' })), ['Roy'])
})

test("missing, redacted and other organizations' sources and too small a budget are refused", async () => {
  const { ref } = await remember([{ subject: 'Private', predicate: 'knows', object: 'Secret' }])
  const inline = says(good[0]!, 1)
  await refused('fusion_request', { sources: [ref, inline] }, 'not_found', stranger)
  await refused('fusion_request', { sources: ['mind://cell/none', inline] }, 'not_found')
  await run('MAME.redact', { target: ref, reason: 'error' })
  await refused('fusion_request', { sources: [ref, inline] }, 'redacted')
  assert.equal((await run('query_knowledge', { subject: 'Private' })).entity, null)
  const tight = { sources: [inline, says(good[1]!, 2)], budget: { tokens: 2 } }
  await assertRefused(run('fusion_request', tight), 'policy_denied', 'token budget exhausted')
})
