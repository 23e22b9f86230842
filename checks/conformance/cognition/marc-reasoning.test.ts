// Scenarios 5 and 6 over HTTP, and what a reasoning task promises: proofs with citations, budgets that stop it, a model that only proposes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { startModel } from '../../neighbours/test-model.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

/** What the model beside the engine says next; undefined where it is down. */
let proposal: Fields | undefined
let model: Awaited<ReturnType<typeof startModel>>
let service: InProcessService

before(async () => {
  model = await startModel(() => (proposal ? { value: proposal } : { status: 400 }))
  const address = { url: model.url, name: 'a model of the test', key: undefined }
  service = await startInProcess({ config: { model: address } })
})
after(async () => {
  await service.stop()
  await model.close()
})

const budget = { tokens: 50_000, deadline_ms: 60_000 }
const ask = (input: Fields): Promise<Answer> =>
  dispatch(service, {
    protocol: 'MARC',
    operation: 'reasoning_task',
    input: { budget, backend: 'builtin', ...input },
    tenant_id: service.tenant_id,
  })
const reason = async (input: Fields): Promise<Fields> => assertSuccess(await ask(input)).output

const theory = [
  'Anne is kind.',
  'Bob is big.',
  'The bald eagle likes the cow.',
  'Charlie and Dave are quiet.',
  'All kind people are nice.',
  'If someone is nice then they are young.',
  'Young people are smart.',
  'If someone is smart and young then they are furry.',
  'Furry, smart people are white.',
  'White people are not rough.',
  'If something likes the cow then it is round.',
  'Round things are green.',
  'Big people are not quiet.',
  'Everyone who is quiet is cold.',
  'If someone is cold and not big then they are blue.',
  'No blue people are red.',
  'Cats are animals.',
  'Gary Smith is a cat.',
]
const all_fields = ['derivation', 'citations', 'confidence', 'alternatives']

test('scenario 5: eighteen premises, a proof of depth five, each leaf cites a premise; with one token it is unknown', async () => {
  const answer = await reason({ intent: 'Anne is white.', premises: theory, return_fields: all_fields })
  assert.deepEqual([answer.answer, answer.status, answer.confidence], ['true', 'complete', 1])
  assert.deepEqual(
    [answer.verified, answer.method, answer.binding, answer.unparsed],
    [true, 'builtin', false, []],
  )
  checkDerivation(answer.derivation, 'white(anne)')
  const cited = answer.citations.map(({ premise_index }: Fields) => premise_index)
  assert.deepEqual(cited, [0, 4, 5, 6, 7, 8])
  const cut = await reason({ intent: 'Anne is white.', premises: theory, budget: { ...budget, tokens: 1 } })
  assert.deepEqual([cut.answer, cut.status], ['unknown', 'budget_exhausted'])
  assert.deepEqual(cut.usage, { tokens_in: 1, tokens_out: 0, work: 0 })
})

/** Each step follows from those it names by the one rule `c :- a, b` that its premise is, written out by hand. */
function checkDerivation(derivation: readonly Fields[], goal: string): void {
  const rules: Record<string, readonly string[]> = {
    'premise:0': [],
    'premise:4': ['kind(anne)'],
    'premise:5': ['nice(anne)'],
    'premise:6': ['young(anne)'],
    'premise:7': ['smart(anne)', 'young(anne)'],
    'premise:8': ['furry(anne)', 'smart(anne)'],
  }
  for (const [at, { step, rule, from }] of derivation.entries()) {
    assert.equal(step, at + 1)
    assert.ok(from.every((before: number) => before < step))
    assert.deepEqual(from.map((before: number) => derivation[before - 1]!.conclusion).sort(), rules[rule])
  }
  assert.equal(derivation.at(-1)!.conclusion, goal)
}

test('scenario 6: a contradiction is told with both proofs, and nothing else follows from it', async () => {
  const premises = ['Anne is kind.', 'Anne is not kind.', 'Bob is big.']
  const answer = await reason({ intent: 'Is Anne kind?', premises, return_fields: ['derivation'] })
  assert.equal(answer.answer, 'contradictory')
  assert.deepEqual(
    answer.derivation.map(({ conclusion }: Fields) => conclusion),
    ['kind(anne)', '-kind(anne)'],
  )
  assert.equal((await reason({ intent: 'Is Anne big?', premises })).answer, 'unknown')
})

test('only what was asked for is returned; confidence is the exact chance of all proofs', async () => {
  const premises = ['Anne is kind.', 'Anne is big.', 'Kind people are nice.', 'Big people are nice.']
  const given = { intent: 'Anne is nice.', premises, premise_confidence: [0.5, 0.5, 1, 0.5] }
  const bare = await reason(given)
  assert.deepEqual(Object.keys(bare).sort(), [
    'answer',
    'binding',
    'method',
    'status',
    'task_ref',
    'unparsed',
    'usage',
    'verified',
  ])
  const sure = await reason({ ...given, return_fields: ['confidence'] })
  assert.ok(Math.abs(sure.confidence - (1 - 0.5 * 0.75)) < 1e-12)
  assert.equal(sure.derivation, undefined)
})

test('whoever is asked for is bound, and what is missing is told', async () => {
  const premises = ['Anne is kind.', 'Bob is kind.', 'If someone is kind and rich then they are happy.']
  const who = await reason({ intent: 'Who is kind?', premises })
  assert.deepEqual(who.bindings, [{ Who: 'anne' }, { Who: 'bob' }])
  const lacking = await reason({ intent: 'Anne is happy.', premises, return_fields: ['alternatives'] })
  assert.deepEqual(lacking.alternatives[0].missing_facts, ['rich(anne)'])
  assert.equal((await reason({ intent: 'Anne is rich.', premises, assumption: 'closed' })).answer, 'false')
})

test('what is not understood is reported, and refused where strict asks for all', async () => {
  const premises = ['Anne is kind.', 'Colourless green ideas whatever furiously']
  const answer = await reason({ intent: 'Anne is kind.', premises })
  assert.deepEqual([answer.answer, answer.unparsed.length, answer.unparsed[0].index], ['true', 1, 1])
  const strict = await ask({ intent: 'Anne is kind.', premises, strict: true })
  assertRefusal(strict, { code: 'invalid_payload', stage: 7, reason: 'unparsed' })
  const uneven = await ask({ intent: 'Anne is kind.', premises, premise_confidence: [1] })
  assertRefusal(uneven, { code: 'invalid_payload', stage: 7, reason: 'length' })
  const nowhere = { intent: 'Anne is kind.', world_model_snapshot: `mind://snapshot/${'0'.repeat(64)}` }
  assertRefusal(await ask(nowhere), { code: 'invalid_payload', stage: 7, reason: 'not_found' })
})

test('a search without end stops at its budget with a partial answer, also where no rule ever fires', async () => {
  const edges = Array.from({ length: 300 }, (_, n) => `e(${n},${n + 1}).`).join(' ')
  const premises = [`datalog: ${edges} p(X,Y) :- e(X,Y). p(X,Z) :- p(X,Y), p(Y,Z).`]
  const cut = await reason({ intent: 'datalog: p(X,Y)', premises, budget: { ...budget, tokens: 10_000 } })
  assert.equal(cut.status, 'budget_exhausted')
  assert.ok(cut.usage.work + cut.usage.tokens_in + cut.usage.tokens_out <= 10_000, JSON.stringify(cut.usage))
  const wide = [
    `datalog: ${Array.from({ length: 300 }, (_, n) => `n(${n}).`).join(' ')} q :- n(A), n(B), n(C), n(D), A < B, B < C, C < D, D < A.`,
  ]
  // Nothing ever fires: what is tried is what counts.
  const tried = await reason({ intent: 'datalog: q', premises: wide, budget: { ...budget, tokens: 10_000 } })
  assert.deepEqual([tried.status, tried.answer], ['budget_exhausted', 'unknown'])
  assert.ok(tried.usage.work > 1_000, JSON.stringify(tried.usage))
})

test('a model only proposes: its clauses are proved here, its word alone is unverified, and a model that is down is told', async () => {
  const premises = [
    'Ever since the accident, Anne radiates benevolence whatsoever',
    'Benevolence equals niceness, right',
  ]
  const given = { intent: 'Anne is nice.', premises, return_fields: ['confidence', 'citations'] }
  proposal = {
    clauses: [
      { premise_index: 0, datalog: 'kind(anne)' },
      { premise_index: 1, datalog: 'nice(X) :- kind(X).' },
    ],
    query: 'nice(anne)',
    answer: 'true',
  }
  const proved = await reason({ ...given, backend: 'model' })
  assert.deepEqual([proved.answer, proved.verified, proved.method], ['true', true, 'model_translation'])
  assert.deepEqual(
    proved.citations.map(({ premise_index }: Fields) => premise_index),
    [0, 1],
  )
  proposal = { clauses: [], query: ')(', answer: 'true' }
  const answer = await reason({ ...given, backend: 'auto' })
  assert.deepEqual(
    [answer.answer, answer.verified, answer.method, answer.confidence],
    ['true', false, 'model', 0.5],
  )
  proposal = undefined
  assertRefusal(await ask({ ...given, backend: 'model' }), { code: 'adapter_error', stage: 7 })
  assert.equal((await reason({ ...given, backend: 'auto' })).answer, 'unknown')
})

test('what was reasoned is in the book by commitments, without a word of it', async () => {
  const answer = await reason({ intent: 'Is Zebedee kind?', premises: ['Zebedee is kind.'] })
  const records = await service.records(service.tenant_id)
  const [event] = records.filter(
    ({ event_type, meta }) => event_type === 'ReasoningCompleted' && meta.task_ref === answer.task_ref,
  )
  assert.equal(event!.meta.answer, 'true')
  assert.match(String(event!.meta.premises_commitment), /^[0-9a-f]{64}$/)
  assert.ok(!JSON.stringify(records).toLowerCase().includes('zebedee'))
})

test('a published calibration of MARC is told beside later confidences', async () => {
  const asked = { intent: 'Anne is kind.', premises: ['Anne is kind.'], return_fields: ['confidence'] }
  assert.equal((await reason(asked)).calibrated_confidence, undefined)
  // Certain forty times, right in half of them.
  const forecasts = Array.from({ length: 40 }, (_, nth) => ({ p: 0.99, outcome: nth % 2 }))
  assertSuccess(
    await dispatch(service, {
      protocol: 'MANTIC',
      operation: 'calibrate',
      input: { forecaster: 'protocol:MARC', forecasts, method: 'platt', persist: true },
      tenant_id: service.tenant_id,
    }),
  )
  const { confidence, calibrated_confidence } = await reason(asked)
  assert.equal(confidence, 1)
  assert.ok(calibrated_confidence < 0.8, `${calibrated_confidence}`)
})

test('a fused snapshot is what is reasoned from, and a fact whose source was redacted is cited as such', async () => {
  const call = async (protocol: string, operation: string, input: Fields): Promise<Fields> =>
    assertSuccess(await dispatch(service, { protocol, operation, input, tenant_id: service.tenant_id }))
      .output
  const triples = [{ subject: 'Acme', predicate: 'is', object: 'late' }]
  const cell = await call('MIND', 'store_memory', { kind: 'semantic', payload: { note: 'Acme' }, triples })
  const inline = {
    source_did: service.agent_did,
    facts: [{ subject: 'Bolt', predicate: 'is', object: 'late' }],
  }
  const { snapshot_ref } = await call('MIND', 'fusion_request', { sources: [cell.ref, inline] })
  const asked = {
    intent: 'Is Acme a risk?',
    premises: ['If something is late then it is a risk.'],
    world_model_snapshot: snapshot_ref,
    return_fields: ['citations'],
  }
  const before_redaction = await reason(asked)
  assert.equal(before_redaction.answer, 'true')
  const statuses = ({ citations }: Fields) => citations.map(({ status }: Fields) => status).sort()
  assert.deepEqual(statuses(before_redaction), ['valid', 'valid'])
  await call('MAME', 'redact', { target: cell.ref, reason: 'erasure_request' })
  assert.deepEqual(statuses(await reason(asked)), ['redacted', 'valid'])
})

test('a deadline longer than the tier of the caller allows is shortened, and the answer says to what', async () => {
  const small = await service.newCaller({ tenant_id: 'small', tier: 'sandbox', capabilities: ['svc.marc.*'] })
  const usageOf = async (deadline_ms: number): Promise<Fields> => {
    const input = { intent: 'Anne is kind.', premises: theory, budget: { tokens: 5_000, deadline_ms } }
    const request = { protocol: 'MARC', operation: 'reasoning_task', input, tenant_id: small.tenant_id }
    return assertSuccess(await dispatch(small, request)).output.usage as Fields
  }
  assert.equal((await usageOf(600_000)).deadline_ms, 30_000)
  assert.equal((await usageOf(20_000)).deadline_ms, undefined)
})
