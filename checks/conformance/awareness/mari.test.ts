// MARI over HTTP: a research report, the audit log as a source, and work in threads. Its rules: mari.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { type Asked, type Reply, startModel, type TestModel } from '../../neighbours/test-model.ts'
import { assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

/** Scenario 24 in full; in short runs, a part of it. */
const [cells, claims] = is_long ? [200, 40] : [30, 6]
const at_once = 20

let model: TestModel
let service: InProcessService
/** The model's next reply; a failure selects the built-in path. */
let say: (question: Asked) => Reply = () => ({ status: 400 })

before(async () => {
  model = await startModel((question) => say(question))
  service = await startInProcess({ config: { model: { url: model.url, name: 'small', key: undefined } } })
})
after(async () => {
  await service.stop()
  await model.close()
})

const ask = (
  operation: string,
  input: unknown,
  protocol = 'MARI',
  who: Addresses = service,
): Promise<Answer> => dispatch(who, { protocol, operation, input })
const done = async (operation: string, input: unknown, protocol?: string, who?: Addresses): Promise<Fields> =>
  assertSuccess(await ask(operation, input, protocol, who)).output
const remember = (text: string, who?: Addresses, more: Fields = {}) =>
  done('store_memory', { kind: 'semantic', payload: { text }, ...more }, 'MIND', who)
const attest = (claim: unknown, who?: Addresses, more: Fields = {}) =>
  done('attest', { claim, evidence: [{ content: `Seen: ${JSON.stringify(claim)}` }], ...more }, 'MAVEN', who)

async function inTurns<T>(count: number, act: (place: number) => Promise<T>): Promise<void> {
  for (let from = 0; from < count; from += at_once)
    await Promise.all(
      Array.from({ length: Math.min(at_once, count - from) }, (_, place) => act(from + place)),
    )
}

/** Every citation resolves to the exact text it cites. */
async function assertCited(cited: Fields, text: string, who?: Addresses): Promise<Fields> {
  const { ref, version, locator } = cited
  const source = await done('cite', { source_ref: ref, version, locator }, 'MAVEN', who)
  assert.equal(source.content_hash, cited.content_hash)
  if (locator.char_range) assert.equal(source.excerpt, text)
  return source
}

/** Much unrelated content, two contradicting claims, and a note. */
async function loadResearch(who: Addresses, rival: Addresses): Promise<[string, string]> {
  const parts = ['valve', 'pump', 'gasket', 'rotor', 'bearing', 'filter', 'sensor', 'motor']
  await inTurns(cells, (place) =>
    remember(`Crate ${place} of the ${parts[place % 8]} line was packed in hall ${place % 7}.`, who),
  )
  await inTurns(claims - 2, (place) =>
    attest({ subject: `Depot ${place}`, predicate: 'manager', object: `Person ${place}` }, who),
  )
  await remember('The Oslo turbine was repaired in spring. It has run without a fault since.', who)
  const status = { subject: 'Oslo turbine', predicate: 'status' }
  const one = await attest({ ...status, object: 'running' }, who)
  const two = await attest({ ...status, object: 'stopped' }, rival)
  return [one.claim_ref, two.claim_ref]
}

/** Each sentence has a source that can be looked up, and both sides are included. */
async function assertWhole(
  { sentences, answer, bibliography, confidence }: Fields,
  sides: string[],
  who: Addresses,
) {
  for (const { citations } of sentences) {
    assert.ok(citations.length >= 1)
    for (const { number, ref } of citations) assert.equal(bibliography[number - 1].ref, ref)
  }
  for (const cited of bibliography) await assertCited({ ...cited, locator: {} }, '', who)
  const cited_refs = sentences.flatMap(({ citations }: Fields) => citations.map(({ ref }: Fields) => ref))
  for (const side of sides) assert.ok(cited_refs.includes(side), answer)
  assert.match(answer, /Oslo turbine status running/)
  assert.match(answer, /Oslo turbine status stopped/)
  assert.ok(confidence > 0 && confidence < 1)
}

test('a research report: each sentence is cited, both sides of the contested point are shown, a fabrication is removed', async () => {
  const who = await service.newCaller({ tenant_id: 'research' })
  const sides = await loadResearch(who, await service.newCaller({ tenant_id: 'research' }))
  const answer = await done('inquire', { question: 'What is the status of the Oslo turbine?' }, 'MARI', who)
  const { findings, inquiry_ref } = answer
  assert.deepEqual(answer.gaps, [])
  assert.ok(answer.coverage > 0.9, String(answer.coverage))
  assert.ok(findings.length >= 3 && findings.length <= 30)
  for (const { statement, citations } of findings.slice(0, 4))
    for (const cited of citations) await assertCited(cited, statement, who)
  const on = sides.map((side) => findings.find(({ citations }: Fields) => citations[0].ref === side))
  assert.deepEqual(
    on.map(({ status }) => status),
    ['contested', 'contested'],
  )
  const quarrel = answer.contradictions.find(({ by }: Fields) => by === 'attack')
  assert.deepEqual(quarrel.findings.toSorted(), on.map(({ ref }) => ref).sort())

  const built_in = await done('synthesize', { inquiry_ref, format: 'report' }, 'MARI', who)
  await assertWhole(built_in, sides, who)
  assert.deepEqual([built_in.method, built_in.unsupported_removed], ['extractive', 0])

  let instructions = ''
  say = ({ messages }) => {
    instructions = messages[0]!.content
    const numbered = JSON.parse(messages.at(-1)!.content.match(/\{.*\}/s)![0]).findings as Fields[]
    const { number } = numbered.find(({ statement }) => statement.includes('repaired'))!
    const fair = { text: 'The Oslo turbine was repaired in spring.', findings: [number] }
    const made_up = { text: 'The Oslo turbine exploded and three people died.', findings: [number] }
    return { value: { sentences: [fair, made_up] } }
  }
  const worded = await done('synthesize', { inquiry_ref }, 'MARI', who)
  say = () => ({ status: 400 })
  await assertWhole(worded, sides, who)
  assert.deepEqual([worded.method, worded.unsupported_removed], ['model', 1])
  assert.deepEqual(worded.usage, { tokens_in: 21, tokens_out: 7 })
  assert.ok(worded.answer.includes('repaired in spring.') && !worded.answer.includes('exploded'))
  assert.ok(!instructions.includes('Oslo'), 'what sources say is never among the instructions')
  const input = { question: 'Which memory was stored?', sources: ['max'] }
  const audit_log = await done('inquire', input, 'MARI', who)
  assert.ok(audit_log.findings.length > 0)
  await assertCited(audit_log.findings[0].citations[0], '', who)
  const records = JSON.stringify(await service.records('research'))
  assert.ok(records.includes('InquiryCompleted') && records.includes('SynthesisWritten'))
  assert.ok(!records.includes('Oslo'), 'the audit log holds no word of it')
})

test('many findings are compared in worker threads, and summarized within the word limit', {
  skip: !is_long,
}, async () => {
  const who = await service.newCaller({ tenant_id: 'crates' })
  await loadResearch(who, who)
  const wide = { question: 'Which crates of which line were packed in which hall?', max_findings: 200 }
  const { inquiry_ref, findings } = await done('inquire', wide, 'MARI', who)
  assert.ok(findings.length > 100, String(findings.length))
  const { sentences } = await done('synthesize', { inquiry_ref, max_words: 200 }, 'MARI', who)
  const words = sentences.flatMap(({ text }: Fields) => text.split(/\s+/)).length
  assert.ok(words > 150 && words <= 200, String(words))
})

test('long texts are read to their end, in a worker thread', async () => {
  const who = await service.newCaller({ tenant_id: 'reading' })
  const lines = Array.from(
    { length: 400 },
    (_, line) => `Ledger line ${line} notes a barrel of herring for Tromso.`,
  )
  for (let place = 0; place < 3; place++)
    await remember(`${lines.join(' ')} The lighthouse keeper number ${place} is called Sten.`, who)
  const { findings, usage } = await done(
    'inquire',
    { question: 'Who is the lighthouse keeper?' },
    'MARI',
    who,
  )
  assert.match(findings[0].statement, /^The lighthouse keeper number \d is called Sten\.$/)
  await assertCited(findings[0].citations[0], findings[0].statement, who)
  assert.equal(usage.work, 9)
})
