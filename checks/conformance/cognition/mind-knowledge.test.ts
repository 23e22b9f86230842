// MIND query_knowledge and fusion_request over HTTP: scenarios 2 and 4, and related rules.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Asking, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-01-10T09:00:00.000Z')
let service: InProcessService
let stranger: Addresses

before(async () => {
  service = await startInProcess({ clock })
  stranger = await service.newCaller({ tenant_id: 'other' })
})
after(() => service.stop())

const moveTo = (time: string) => clock.advance(Date.parse(time) - clock.now_ms())
const ask = (operation: string, input: unknown, who: Addresses = service, more: Asking = {}) =>
  dispatch(who, { protocol: 'MIND', operation, input, ...more })
const done = async (operation: string, input: unknown, who?: Addresses): Promise<Fields> =>
  assertSuccess(await ask(operation, input, who)).output
const remember = (triples: Fields[], more: Fields = {}) =>
  done('store_memory', { kind: 'semantic', payload: { note: JSON.stringify(triples) }, triples, ...more })
const objects = ({ facts }: Fields): unknown[] => facts.map(({ object }: Fields) => object)

test('scenario 2: what was believed stays readable after the past was corrected', async () => {
  await remember([{ subject: 'Acme', predicate: 'ceo', object: 'Ann', valid_from: '2026-01-01T00:00:00Z' }])
  moveTo('2026-03-15T09:00:00Z')
  const learned = await remember([
    { subject: 'Acme', predicate: 'ceo', object: 'Bob', valid_from: '2026-02-01T00:00:00Z' },
  ])
  assert.equal(learned.superseded.length, 1)
  moveTo('2026-04-02T09:00:00Z')
  const ceo = async (as_of: string, known_at: string) =>
    objects(await done('query_knowledge', { subject: 'Acme', predicate: 'ceo', as_of, known_at }))
  assert.deepEqual(await ceo('2026-02-15T00:00:00Z', '2026-03-01T00:00:00Z'), ['Ann'])
  assert.deepEqual(await ceo('2026-02-15T00:00:00Z', '2026-04-01T00:00:00Z'), ['Bob'])
  assert.deepEqual(await ceo('2026-01-15T00:00:00Z', '2026-04-01T00:00:00Z'), ['Ann'])
  const elsewhere = await done('query_knowledge', { subject: 'Acme' }, stranger)
  assert.deepEqual(elsewhere, { entity: null, candidates: [], facts: [], truncated: false })
})

test('memories, claims, facts and snapshots are fused by reference; the audit log names the result', async () => {
  const first = await remember([{ subject: 'Ship', predicate: 'captain', object: 'Ida', functional: true }])
  const second = await remember([{ subject: 'ship', predicate: 'captain', object: 'ida' }])
  const third = await remember([{ subject: 'Ship', predicate: 'captain', object: 'Max', confidence: 0.4 }])
  const attested = await dispatch(service, {
    protocol: 'MAVEN',
    operation: 'attest',
    input: {
      claim: { subject: 'Ship', predicate: 'captain', object: 'Ida' },
      evidence: [{ content: 'Seen on the bridge.', media_type: 'text/plain', stance: 'supports' }],
    },
  })
  const { claim_ref } = assertSuccess(attested).output
  const sources = [first.ref, second.ref, third.ref, claim_ref]
  const answer = assertSuccess(
    await ask('fusion_request', { sources }, service, { idempotency_key: 'fuse-1' }),
  )
  const fused: Fields = answer.output
  assert.deepEqual(objects(fused), ['Ida'])
  assert.deepEqual(fused.facts[0].support, [first.ref, second.ref, claim_ref].sort())
  assert.deepEqual(fused.facts[0].against, [third.ref])
  const { tokens_in, tokens_out } = answer.metadata.usage
  assert.deepEqual({ tokens_in, tokens_out }, fused.usage)
  assert.ok(tokens_in > 0 && tokens_out > 0)
  const again = assertSuccess(
    await ask('fusion_request', { sources }, service, { idempotency_key: 'fuse-1' }),
  )
  assert.deepEqual([again.output, again.metadata.replayed], [fused, true])
  const records = await service.records(service.tenant_id, { event_types: ['KnowledgeFused'] })
  assert.ok(records.some(({ meta }) => meta.snapshot_ref === fused.snapshot_ref))
  assert.ok(!JSON.stringify(records).includes('Ida'))
  const { facts } = await done('query_knowledge', { subject: 'Ship' })
  const more = await done('fusion_request', { sources: [fused.snapshot_ref, facts[0].ref] })
  assert.deepEqual(objects(more), ['Ida'])
})

test('many sources are fused in a worker thread', async () => {
  const dids = Array.from({ length: 3 }, () => newIdentity('acme', 'agent').did)
  const sources = dids.map((source_did, at) => ({
    source_did,
    facts: Array.from({ length: 80 }, (_, n) => ({
      subject: `Sensor ${n}`,
      predicate: 'state',
      object: at === 0 ? 'off' : 'on',
    })),
  }))
  const fused = await done('fusion_request', { sources, functional_predicates: ['state'] })
  assert.deepEqual([fused.facts.length, fused.dissent.length], [80, 80])
  assert.deepEqual(new Set(objects(fused)), new Set(['on']))
})
