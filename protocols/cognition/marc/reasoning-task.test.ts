// The rules of reasoning_task: what is answered, from what, and what stops it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_did, test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { mantic } from '../../truth/mantic/mantic.ts'
import { mame } from '../mame/mame.ts'
import { mind } from '../mind/mind.ts'
import { marc } from './marc.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let stage: Rehearsal
before(async () => {
  stage = await rehearse(marc, { others: [mame, mantic, mind], ports: { identity: localAdminResolver() } })
  await addMember(stage.store.engine, test_tenant, test_did, new Date(stage.ports.clock.now_ms()))
})
after(() => stage.close())

const budget = { tokens: 50_000, deadline_ms: 60_000 }
const reason = (input: Fields): Promise<Fields> =>
  stage.run('reasoning_task', { budget, backend: 'builtin', ...input })
const refused = (input: Fields, why: string) => assertRefused(reason(input), 'invalid_payload', why)

test('scenario 6: a contradiction is answered with both proofs, and nothing else follows from it', async () => {
  const premises = ['Anne is kind.', 'Anne is not kind.', 'Bob is big.']
  const answer = await reason({ intent: 'Is Anne kind?', premises, return_fields: ['derivation'] })
  assert.equal(answer.answer, 'contradictory')
  assert.deepEqual(
    answer.derivation.map(({ conclusion }: Fields) => conclusion),
    ['kind(anne)', '-kind(anne)'],
  )
  assert.equal((await reason({ intent: 'Is Anne big?', premises })).answer, 'unknown')
})

test('only requested fields are returned; confidence is the exact probability of all proofs', async () => {
  const premises = ['Anne is kind.', 'Anne is big.', 'Kind people are nice.', 'Big people are nice.']
  const task = { intent: 'Anne is nice.', premises, premise_confidence: [0.5, 0.5, 1, 0.5] }
  const bare = await reason(task)
  assert.deepEqual(Object.keys(bare).sort(), [
    'answer',
    'binding',
    'method',
    'readings',
    'status',
    'task_ref',
    'unparsed',
    'usage',
    'verified',
  ])
  const sure = await reason({ ...task, return_fields: ['confidence'] })
  assert.ok(Math.abs(sure.confidence - (1 - 0.5 * 0.75)) < 1e-12)
  assert.equal(sure.derivation, undefined)
})

test('variables of a question are bound, and missing facts are listed', async () => {
  const premises = ['Anne is kind.', 'Bob is kind.', 'If someone is kind and rich then they are happy.']
  const who = await reason({ intent: 'Who is kind?', premises })
  assert.deepEqual(who.bindings, [{ Who: 'anne' }, { Who: 'bob' }])
  const lacking = await reason({ intent: 'Anne is happy.', premises, return_fields: ['alternatives'] })
  assert.deepEqual(lacking.alternatives[0].missing_facts, ['rich(anne)'])
  assert.equal((await reason({ intent: 'Anne is rich.', premises, assumption: 'closed' })).answer, 'false')
})

test('sentences that cannot be parsed are reported, and refused with strict', async () => {
  const premises = ['Anne is kind.', 'Colourless green ideas whatever furiously']
  const answer = await reason({ intent: 'Anne is kind.', premises })
  assert.deepEqual([answer.answer, answer.unparsed.length, answer.unparsed[0].index], ['true', 1, 1])
  await refused({ intent: 'Anne is kind.', premises, strict: true }, 'unparsed')
  await refused({ intent: 'Anne is kind.', premises, premise_confidence: [1] }, 'length')
  const world_model_snapshot = `mind://snapshot/${'0'.repeat(64)}`
  await refused({ intent: 'Anne is kind.', world_model_snapshot }, 'not_found')
})

test('an answer that rests on a hedge shows it and its probability, and one to a question not understood is not verified', async () => {
  const premises = ['Bob is probably guilty.', 'Guilty people are sad.', 'Perhaps Bob is rich.']
  const hedged = await reason({ intent: 'Is Bob sad?', premises })
  assert.deepEqual([hedged.answer, hedged.confidence, hedged.verified], ['true', 0.8, true])
  assert.deepEqual(hedged.hedges, [{ index: 0, word: 'probably', probability: 0.8 }])
  assert.deepEqual(
    hedged.unparsed.map(({ index }: Fields) => index),
    [2],
  )
  assert.deepEqual(hedged.readings, [
    { index: 0, clauses: ['guilty(bob).'], hedges: [{ word: 'probably', probability: 0.8 }] },
    { index: 1, clauses: ['sad(V1) :- guilty(V1).'], hedges: [] },
    { index: -1, clauses: ['?- sad(bob).'], hedges: [] },
  ])
  const plain = await reason({ intent: 'Whatever furiously green ideas', premises })
  assert.deepEqual([plain.answer, plain.verified], ['unknown', false])
  assert.equal((await reason({ intent: 'Is Bob probably rich?', premises })).verified, false)
})

test('a budget of tokens that was not granted in full says so', async () => {
  const premises = ['Anne is kind.']
  const granted = await reason({
    intent: 'Anne is kind.',
    premises,
    budget: { ...budget, tokens: 1_000_000 },
  })
  assert.equal(granted.usage.tokens, 100_000)
  const plain = await reason({ intent: 'Anne is kind.', premises })
  assert.deepEqual([plain.usage.tokens, plain.cut], [undefined, undefined])
})

test('an endless search stops at its budget with a partial answer, also if no rule ever fires', async () => {
  const edges = Array.from({ length: 300 }, (_, n) => `e(${n},${n + 1}).`).join(' ')
  const premises = [`datalog: ${edges} p(X,Y) :- e(X,Y). p(X,Z) :- p(X,Y), p(Y,Z).`]
  const cut = await reason({ intent: 'datalog: p(X,Y)', premises, budget: { ...budget, tokens: 10_000 } })
  assert.equal(cut.status, 'budget_exhausted')
  assert.ok(cut.usage.work + cut.usage.tokens_in + cut.usage.tokens_out <= 10_000, JSON.stringify(cut.usage))
  const wide = [
    `datalog: ${Array.from({ length: 300 }, (_, n) => `n(${n}).`).join(' ')} q :- n(A), n(B), n(C), n(D), A < B, B < C, C < D, D < A.`,
  ]
  // No rule fires; attempts count.
  const tried = await reason({ intent: 'datalog: q', premises: wide, budget: { ...budget, tokens: 10_000 } })
  assert.deepEqual([tried.status, tried.answer], ['budget_exhausted', 'unknown'])
  assert.ok(tried.usage.work > 1_000, JSON.stringify(tried.usage))
})

test('a published calibration of MARC is shown beside later confidences', async () => {
  const task = { intent: 'Anne is kind.', premises: ['Anne is kind.'], return_fields: ['confidence'] }
  assert.equal((await reason(task)).calibrated_confidence, undefined)
  // Forty forecasts at 0.99, of which half are right.
  const forecasts = Array.from({ length: 40 }, (_, nth) => ({ p: 0.99, outcome: nth % 2 }))
  await stage.run('MANTIC.calibrate', {
    forecaster: 'protocol:MARC',
    forecasts,
    method: 'platt',
    persist: true,
    authority: 'mace://sole-member',
  })
  const { confidence, calibrated_confidence } = await reason(task)
  assert.equal(confidence, 1)
  assert.ok(calibrated_confidence < 0.8, `${calibrated_confidence}`)
})

test('reasoning reads a fused snapshot; a fact whose source was redacted is cited as redacted', async () => {
  const triples = [{ subject: 'Acme', predicate: 'is', object: 'late' }]
  const cell = await stage.run('MIND.store_memory', { kind: 'semantic', payload: { note: 'Acme' }, triples })
  const inline = {
    source_did: test_did,
    facts: [{ subject: 'Bolt', predicate: 'is', object: 'late' }],
  }
  const { snapshot_ref } = await stage.run('MIND.fusion_request', { sources: [cell.ref, inline] })
  const task = {
    intent: 'Is Acme a risk?',
    premises: ['If something is late then it is a risk.'],
    world_model_snapshot: snapshot_ref,
    return_fields: ['citations'],
  }
  const before_redaction = await reason(task)
  assert.equal(before_redaction.answer, 'true')
  const statuses = ({ citations }: Fields) => citations.map(({ status }: Fields) => status).sort()
  assert.deepEqual(statuses(before_redaction), ['valid', 'valid'])
  await stage.run('MAME.redact', { target: cell.ref, reason: 'erasure_request' })
  assert.deepEqual(statuses(await reason(task)), ['redacted', 'valid'])
})
