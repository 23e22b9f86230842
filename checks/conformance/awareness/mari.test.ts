// MARI over HTTP: what is kept is found with where it stands, and told with a citation for every sentence.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { type Asked, type Reply, startModel, type TestModel } from '../../neighbours/test-model.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

/** Scenario 24 in full; without the time for it, the same with a part. */
const [cells, claims] = is_long ? [200, 40] : [30, 6]
const at_once = 20

let model: TestModel
let service: InProcessService
/** What the model says next; a failure has the built-in path answer. */
let say: (asked: Asked) => Reply = () => ({ status: 400 })

before(async () => {
  model = await startModel((asked) => say(asked))
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

/** Every citation leads to the very words it stands for. */
async function assertCited(cited: Fields, text: string, who?: Addresses): Promise<Fields> {
  const { ref, version, locator } = cited
  const source = await done('cite', { source_ref: ref, version, locator }, 'MAVEN', who)
  assert.equal(source.content_hash, cited.content_hash)
  if (locator.char_range) assert.equal(source.excerpt, text)
  return source
}

/** Much that has nothing to do with it, two that contradict each other, and a note. */
async function loadResearch(who: Addresses, rival: Addresses): Promise<[string, string]> {
  const parts = ['valve', 'pump', 'gasket', 'rotor', 'bearing', 'filter', 'sensor', 'motor']
  await inTurns(cells, (place) =>
    remember(`Crate ${place} of the ${parts[place % 8]} line was packed in hall ${place % 7}.`, who),
  )
  await inTurns(claims - 2, (place) =>
    attest({ subject: `Depot ${place}`, predicate: 'manager', object: `Person ${place}` }, who),
  )
  await remember('The Oslo turbine was repaired in spring. It has run without a fault since.', who)
  const said = { subject: 'Oslo turbine', predicate: 'status' }
  const one = await attest({ ...said, object: 'running' }, who)
  const two = await attest({ ...said, object: 'stopped' }, rival)
  return [one.claim_ref, two.claim_ref]
}

/** Each sentence rests on something that can be looked up, and both sides are told. */
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
  const told = sentences.flatMap(({ citations }: Fields) => citations.map(({ ref }: Fields) => ref))
  for (const side of sides) assert.ok(told.includes(side), answer)
  assert.match(answer, /Oslo turbine status running/)
  assert.match(answer, /Oslo turbine status stopped/)
  assert.ok(confidence > 0 && confidence < 1)
}

test('a research report: each sentence is cited, both sides of the contested point are told, a fabrication is removed', async () => {
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
    const given = JSON.parse(messages.at(-1)!.content.match(/\{.*\}/s)![0]).findings as Fields[]
    const { number } = given.find(({ statement }) => statement.includes('repaired'))!
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
})

test('many findings are compared in threads, and told in as many words as may be', {
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

test('what was redacted since is named as such, and not a word of it is told; its words are kept nowhere else', async () => {
  const who = await service.newCaller({ tenant_id: 'forgetting' })
  const note = await remember('Zofia Quill lives at 12 Elder Lane.', who)
  await remember('Elder Lane is closed to cars.', who)
  const { inquiry_ref, findings } = await done(
    'inquire',
    { question: 'Where does Zofia Quill live?' },
    'MARI',
    who,
  )
  const first = await done('synthesize', { inquiry_ref }, 'MARI', who)
  assert.match(first.answer, /12 Elder Lane/)
  const { dependents } = await done('redact', { target: note.ref, reason: 'erasure_request' }, 'MAME', who)
  assert.deepEqual(dependents.map(({ ref }: Fields) => ref).sort(), [inquiry_ref, first.synthesis_ref].sort())
  const again = await done('synthesize', { inquiry_ref }, 'MARI', who)
  assert.ok(!JSON.stringify(again).includes('Quill'))
  const gone = again.bibliography.find(({ ref }: Fields) => ref === note.ref)
  assert.equal(gone.status, 'redacted')
  assert.match(gone.formatted, /redacted/)
  for (const source_ref of [inquiry_ref, first.synthesis_ref, findings[0].ref]) {
    const { excerpt } = await done('cite', { source_ref }, 'MAVEN', who)
    assert.ok(!excerpt.includes('12 Elder'), excerpt)
  }
  const more = await done('inquire', { question: 'Where does Zofia Quill live?' }, 'MARI', who)
  assert.ok(!JSON.stringify(more.findings).includes('Quill'))
})

test('what was edited or overruled since the inquiry is told no more; dissent is, where it is wanted', async () => {
  const who = await service.newCaller({ tenant_id: 'changing' })
  const cell = await remember('The harbour crane lifts 40 tonnes.', who)
  const crane = { subject: 'Harbour crane', predicate: 'status', object: 'certified' }
  const weak = await attest(crane, who)
  const { inquiry_ref } = await done(
    'inquire',
    { question: 'What can the harbour crane lift, and is the harbour crane certified?' },
    'MARI',
    who,
  )
  const patch = [{ op: 'replace', path: '/text', value: 'The harbour crane lifts 35 tonnes.' }]
  await done('edit', { target: cell.ref, expected_version: 1, patch, reason: 'measured again' }, 'MAME', who)
  await done(
    'contradict',
    {
      claim_ref: weak.claim_ref,
      kind: 'rebut',
      rationale: 'It has lapsed.',
      by: { claim: { ...crane, object: 'lapsed' }, evidence: [{ content: 'Register.' }] },
    },
    'MAVEN',
    who,
  )
  const answer = await done('synthesize', { inquiry_ref }, 'MARI', who)
  assert.ok(!answer.answer.includes('40 tonnes'), answer.answer)
  const status_of = (ref: string) => answer.bibliography.find((one: Fields) => one.ref === ref)?.status
  assert.equal(status_of(cell.ref), 'superseded')
  assert.deepEqual(answer.sentences, [])
  assert.deepEqual([answer.answer, answer.confidence], ['No source that stands answers this.', 0])
})

test('an overruled claim appears only with its status, and among the dissent', async () => {
  const [who, rival] = [
    await service.newCaller({ tenant_id: 'overruling' }),
    await service.newCaller({ tenant_id: 'overruling' }),
  ]
  const right = (share: number) =>
    Array.from({ length: 20 }, (_, n) => ({ forecast: 1, outcome: n < share, id: `${n}` }))
  for (const [party, share] of [[who, 4] as const, [rival, 20] as const])
    await done('weight', { source: party.agent_did, topic: 'dams', outcomes: right(share) }, 'MATA', who)
  const weak = await attest('The Alta dam holds.', who, { topic: 'dams' })
  const by = { claim: 'The Alta dam leaks.', topic: 'dams', evidence: [{ content: 'Wet concrete.' }] }
  const input = { claim_ref: weak.claim_ref, by, rationale: 'Water comes through.' }
  const strong = await done('contradict', input, 'MAVEN', rival)
  const scope = { topics: ['dams'] }
  const { inquiry_ref, findings } = await done(
    'inquire',
    { question: 'Does the Alta dam hold?', scope },
    'MARI',
    who,
  )
  const of = (ref: string) => findings.find(({ citations }: Fields) => citations[0].ref === ref)
  const [lost, won] = [of(weak.claim_ref), of(strong.by)]
  assert.deepEqual(
    [lost.status, lost.stance, won.status, won.stance],
    ['rejected', 'supports', 'valid', 'refutes'],
  )
  assert.ok(lost.source_reliability < won.source_reliability && lost.confidence < won.confidence)
  const answer = await done('synthesize', { inquiry_ref, format: 'claims' }, 'MARI', who)
  assert.match(answer.answer, /^1\. The Alta dam leaks\. \[1\] confidence \d\.\d\d$/)
  assert.deepEqual(
    answer.dissent.map(({ text, status }: Fields) => [text, status]),
    [['The Alta dam holds.', 'rejected']],
  )
  const silent = await done('synthesize', { inquiry_ref, include_dissent: false }, 'MARI', who)
  assert.deepEqual(silent.dissent, [])
  const elsewhere = await done(
    'inquire',
    { question: 'Does the Alta dam hold?', scope: { topics: ['x'] } },
    'MARI',
    who,
  )
  assert.deepEqual(elsewhere.findings, [])
})

test('a question is divided, scoped, followed deeper, and what is not known is said', async () => {
  const who = await service.newCaller({ tenant_id: 'dividing' })
  const at = (occurred_at: string) => ({ occurred_at, kind: 'episodic', namespace: 'field' })
  const fact = { subject: 'Nordlys', predicate: 'ceo', object: 'Ida Berg' }
  await remember('The ferry Nordlys belongs to Fjordline.', who, { triples: [fact] })
  await remember('Fjordline has its office in Bodo.', who)
  await remember('The ferry Nordlys was late.', who, at('2026-03-01T08:00:00Z'))
  await remember('The ferry Nordlys was early.', who, at('2026-05-01T08:00:00Z'))
  const question = 'Who is the ceo of Nordlys and why do penguins whistle?'
  const divided = await done('inquire', { question }, 'MARI', who)
  assert.deepEqual(divided.subquestions, ['Who is the ceo of Nordlys', 'why do penguins whistle'])
  assert.equal(divided.findings[0].statement, 'Nordlys ceo Ida Berg')
  await assertCited(divided.findings[0].citations[0], '', who)
  assert.deepEqual(divided.gaps, [{ subquestion: 1, why: 'nothing found' }])
  assert.ok(divided.coverage < 0.9)

  const owner = { question: 'Whom does the ferry Nordlys belong to?', min_confidence: 0.5 }
  const tells = ({ findings }: Fields) => JSON.stringify(findings).includes('Bodo')
  assert.deepEqual(
    [
      tells(await done('inquire', owner, 'MARI', who)),
      tells(await done('inquire', { ...owner, depth: 2 }, 'MARI', who)),
    ],
    [false, true],
  )

  const scope = { namespace: 'field', from: '2026-04-01T00:00:00Z', to: '2026-06-01T00:00:00Z' }
  const scoped = await done('inquire', { question: 'When was the ferry Nordlys late?', scope }, 'MARI', who)
  assert.deepEqual(
    scoped.findings.map(({ statement }: Fields) => statement),
    ['The ferry Nordlys was early.'],
  )
  const few = await done('inquire', { question, max_findings: 1 }, 'MARI', who)
  assert.equal(few.findings.length, 1)
  const audit_log = await done(
    'inquire',
    { question: 'Which memory was stored?', sources: ['max'] },
    'MARI',
    who,
  )
  assert.ok(audit_log.findings.length > 0)
  await assertCited(audit_log.findings[0].citations[0], '', who)
  const answer = await done(
    'synthesize',
    { findings: [divided.findings[0].ref], format: 'table' },
    'MARI',
    who,
  )
  assert.match(answer.answer, /\| Nordlys ceo Ida Berg\. \|/)
  const strict = await done(
    'synthesize',
    { inquiry_ref: divided.inquiry_ref, require_support: 5 },
    'MARI',
    who,
  )
  assert.deepEqual([strict.sentences, strict.unsupported_removed > 0], [[], true])
})

test('long texts are read to their end, in a thread', async () => {
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

test('a model may divide the question, and its unusable answers are not used', async () => {
  const subquestions = [
    'Which kiln is hot?',
    ' ',
    'x'.repeat(3_000),
    'Which kiln is hot?',
    'Who lit the kiln?',
  ]
  say = () => ({ value: { subquestions } })
  const worded = await done('inquire', { question: 'Tell me of the kiln.' })
  assert.deepEqual(worded.subquestions, ['Which kiln is hot?', 'Who lit the kiln?'])
  assert.deepEqual(worded.usage, { tokens_in: 21, tokens_out: 7, work: 0 })
  say = () => ({ value: { subquestions: ['  '] } })
  assert.deepEqual((await done('inquire', { question: 'Tell me of the kiln.' })).subquestions, [
    'Tell me of the kiln',
  ])
  say = () => ({ status: 400 })
})

test('what is hidden, foreign, not served or odd is refused or not there', async () => {
  const who = await service.newCaller({ tenant_id: 'hiding' })
  const other = await service.newCaller({ tenant_id: 'hiding' })
  const stranger = await service.newCaller({ tenant_id: 'strangers' })
  const embargo_until = '2099-01-01T00:00:00Z'
  await attest('The merger with Umbra closes on Friday.', who, { embargo_until })
  const question = 'When does the merger with Umbra close?'
  const found = async (caller: Addresses) =>
    (await done('inquire', { question }, 'MARI', caller)).findings.length
  assert.deepEqual([await found(other), await found(stranger)], [0, 0])
  await remember('The merger with Umbra was announced.', who)
  const { inquiry_ref, findings } = await done('inquire', { question }, 'MARI', who)
  const refused = async (
    operation: string,
    input: Fields,
    reason: string,
    code = 'invalid_payload',
    caller: Addresses = who,
  ) =>
    assertRefusal(await ask(operation, input, 'MARI', caller), {
      code: code as 'invalid_payload',
      stage: 7,
      reason,
    })
  await refused('synthesize', { inquiry_ref }, 'not_found', 'invalid_payload', stranger)
  await refused('synthesize', { findings: [findings[0].ref] }, 'not_found', 'invalid_payload', stranger)
  await refused('synthesize', {}, 'one_of')
  await refused('synthesize', { inquiry_ref, findings: [findings[0].ref] }, 'one_of')
  const answer = await done('synthesize', { inquiry_ref, publish_draft: true }, 'MARI', who)
  const draft = await done('fetch', { ref: `mage://draft/${answer.draft_id}` }, 'MAGE', who)
  assert.deepEqual([draft.content, draft.title], [answer.answer, question])
  assert.ok(draft.inputs.includes(answer.synthesis_ref) && draft.inputs.includes(answer.bibliography[0].ref))
  await refused('inquire', { question, sources: ['mat:weather'] }, 'not_a_tool')
  const unknown_tool = { question, sources: ['mat:mcp:weather/rain'] }
  await refused('inquire', unknown_tool, 'tool not approved', 'policy_denied')
  await refused('inquire', { question: '???' }, 'no_question')
  await refused('inquire', { question, scope: { from: '2026-02-30T00:00:00Z' } }, 'bad_time')
  await refused(
    'inquire',
    { question, scope: { from: '2026-03-01T00:00:00Z', to: '2026-02-01T00:00:00Z' } },
    'bad_window',
  )
  await done('redact', { target: findings[0].ref, reason: 'error' }, 'MAME', who)
  await refused('synthesize', { findings: [findings[0].ref] }, 'redacted')
  assert.ok((await done('synthesize', { inquiry_ref }, 'MARI', who)).synthesis_ref)
  const records = JSON.stringify(await service.records('hiding'))
  assert.ok(
    records.includes('InquiryCompleted') &&
      records.includes('SynthesisWritten') &&
      !records.includes('Umbra'),
  )
})
