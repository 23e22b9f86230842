// Scenarios 5 and 6 over HTTP, and reasoning tasks: cited proofs, enforced budgets, a model that only
// proposes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { startModel } from '../../neighbours/test-model.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

/** The model's next reply; undefined if it is down. */
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

/** Checks each step against its premise, the rule `c :- a, b`, written out by hand. */
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

test('a model only proposes: its clauses are proved here, its own answer is unverified, and a model that is down is reported', async () => {
  const premises = [
    'Ever since the accident, Anne radiates benevolence whatsoever',
    'Benevolence equals niceness, right',
  ]
  const task = { intent: 'Anne is nice.', premises, return_fields: ['confidence', 'citations'] }
  proposal = {
    clauses: [
      { premise_index: 0, datalog: 'kind(anne)' },
      { premise_index: 1, datalog: 'nice(X) :- kind(X).' },
    ],
    query: 'nice(anne)',
    answer: 'true',
  }
  const proved = await reason({ ...task, backend: 'model' })
  assert.deepEqual([proved.answer, proved.verified, proved.method], ['true', true, 'model_translation'])
  assert.deepEqual(
    proved.citations.map(({ premise_index }: Fields) => premise_index),
    [0, 1],
  )
  proposal = { clauses: [], query: ')(', answer: 'true' }
  const answer = await reason({ ...task, backend: 'auto' })
  assert.deepEqual(
    [answer.answer, answer.verified, answer.method, answer.confidence],
    ['true', false, 'model', 0.5],
  )
  proposal = undefined
  assertRefusal(await ask({ ...task, backend: 'model' }), { code: 'adapter_error', stage: 7 })
  assert.equal((await reason({ ...task, backend: 'auto' })).answer, 'unknown')
})

test('parts that do not fit into the budget are named', async () => {
  const premises = Array.from({ length: 40 }, (_, nth) => `Person${nth} is kind.`)
  const whole = await reason({ intent: 'Person1 is kind.', premises })
  assert.deepEqual([whole.readings.length, whole.cut], [41, undefined])
  const tokens = whole.usage.tokens_in + whole.usage.tokens_out - 1
  const small = await reason({ intent: 'Person1 is kind.', premises, budget: { ...budget, tokens } })
  assert.deepEqual(
    [small.answer, small.status, small.readings, small.cut],
    ['true', 'complete', [], ['readings']],
  )
})

test('a model cannot make a hedge or a report into a fact', async () => {
  const premises = [
    'Perhaps Bob is guilty, whatsoever',
    'Anne says that Bob is guilty.',
    'Bob is probably guilty.',
  ]
  proposal = {
    clauses: premises.map((_, premise_index) => ({ premise_index, datalog: 'guilty(bob)' })),
    query: 'guilty(bob)',
    answer: 'true',
  }
  const ask_model = (used: readonly string[], intent = 'Is Bob guilty?') =>
    reason({ intent, premises: used, backend: 'model', return_fields: ['confidence'] })
  const reported = await ask_model(premises.slice(0, 2))
  assert.deepEqual([reported.verified, reported.confidence], [false, 0.5])
  const hedged = await ask_model(premises)
  assert.deepEqual([hedged.answer, hedged.verified, hedged.confidence], ['true', true, 0.8])
  assert.deepEqual(hedged.hedges, [{ index: 2, word: 'probably', probability: 0.8 }])
  assert.equal((await ask_model(premises, 'Is Bob probably guilty?')).verified, false)
  proposal = undefined
})

test('the audit log holds commitments of a reasoning task, not its text', async () => {
  const answer = await reason({ intent: 'Is Zebedee kind?', premises: ['Zebedee is kind.'] })
  const records = await service.records(service.tenant_id)
  const [event] = records.filter(
    ({ event_type, meta }) => event_type === 'ReasoningCompleted' && meta.task_ref === answer.task_ref,
  )
  assert.equal(event!.meta.answer, 'true')
  assert.match(String(event!.meta.premises_commitment), /^[0-9a-f]{64}$/)
  assert.ok(!JSON.stringify(records).toLowerCase().includes('zebedee'))
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
