// The rules of inquiries and syntheses: what is found, cited, left out and refused.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { openAiModel } from '@svc/adapters/model/openai'
import { Refusal } from '@svc/contract/refusal'
import { type Reply, startModel, type TestModel } from '../../../checks/neighbours/test-model.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { giveRecords } from '../../../checks/scenes/track-record.ts'
import { mame } from '../../cognition/mame/mame.ts'
import { mind } from '../../cognition/mind/mind.ts'
import { mage } from '../../execution/mage/mage.ts'
import { mat } from '../../execution/mat/mat.ts'
import { mantic } from '../../truth/mantic/mantic.ts'
import { maven } from '../../truth/maven/maven.ts'
import { mari } from './mari.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

interface Party {
  readonly did: string
  readonly tenant_id: string
}

let model: TestModel
let stage: Rehearsal
/** The model's next reply; a failure selects the built-in path. */
let say: () => Reply = () => ({ status: 400 })

before(async () => {
  model = await startModel(() => say())
  const own_model = openAiModel({ url: model.url, name: 'small', key: undefined })
  stage = await rehearse(mari, {
    others: [mame, mind, mage, mat, mantic, maven],
    ports: { identity: localAdminResolver() },
    needs: { model: () => own_model },
    tenants: ['forgetting', 'changing', 'overruling', 'dividing', 'modelling', 'hiding', 'strangers'],
  })
})
after(async () => {
  await stage.close()
  await model.close()
})

const newCaller = (tenant_id: string): Party => ({ tenant_id, did: newIdentity(tenant_id, 'agent').did })
const done = (who: Party, operation: string, input: Fields): Promise<Fields> =>
  stage.run(operation, input, who)
const remember = (text: string, who: Party, more: Fields = {}) =>
  done(who, 'MIND.store_memory', { kind: 'semantic', payload: { text }, ...more })
const attest = (claim: unknown, who: Party, more: Fields = {}) =>
  done(who, 'MAVEN.attest', { claim, evidence: [{ content: `Seen: ${JSON.stringify(claim)}` }], ...more })

/** Every citation resolves to the exact text it cites. */
async function assertCited(cited: Fields, text: string, who: Party): Promise<Fields> {
  const { ref, version, locator } = cited
  const source = await done(who, 'MAVEN.cite', { source_ref: ref, version, locator })
  assert.equal(source.content_hash, cited.content_hash)
  if (locator.char_range) assert.equal(source.excerpt, text)
  return source
}

test('redacted content is reported as redacted without its text, and its text is stored nowhere else', async () => {
  const who = newCaller('forgetting')
  const note = await remember('Zofia Quill lives at 12 Elder Lane.', who)
  await remember('Elder Lane is closed to cars.', who)
  const { inquiry_ref, findings } = await done(who, 'inquire', { question: 'Where does Zofia Quill live?' })
  const first = await done(who, 'synthesize', { inquiry_ref })
  assert.match(first.answer, /12 Elder Lane/)
  const { dependents } = await done(who, 'MAME.redact', { target: note.ref, reason: 'erasure_request' })
  assert.deepEqual(dependents.map(({ ref }: Fields) => ref).sort(), [inquiry_ref, first.synthesis_ref].sort())
  const again = await done(who, 'synthesize', { inquiry_ref })
  assert.ok(!JSON.stringify(again).includes('Quill'))
  const gone = again.bibliography.find(({ ref }: Fields) => ref === note.ref)
  assert.equal(gone.status, 'redacted')
  assert.match(gone.formatted, /redacted/)
  for (const source_ref of [inquiry_ref, first.synthesis_ref, findings[0].ref]) {
    const { excerpt } = await done(who, 'MAVEN.cite', { source_ref })
    assert.ok(!excerpt.includes('12 Elder'), excerpt)
  }
  const more = await done(who, 'inquire', { question: 'Where does Zofia Quill live?' })
  assert.ok(!JSON.stringify(more.findings).includes('Quill'))
})

test('content edited or overruled since the inquiry is left out; dissent is included on request', async () => {
  const who = newCaller('changing')
  const cell = await remember('The harbour crane lifts 40 tonnes.', who)
  const crane = { subject: 'Harbour crane', predicate: 'status', object: 'certified' }
  const weak = await attest(crane, who)
  const { inquiry_ref } = await done(who, 'inquire', {
    question: 'What can the harbour crane lift, and is the harbour crane certified?',
  })
  const patch = [{ op: 'replace', path: '/text', value: 'The harbour crane lifts 35 tonnes.' }]
  await done(who, 'MAME.edit', { target: cell.ref, expected_version: 1, patch, reason: 'measured again' })
  await done(who, 'MAVEN.contradict', {
    claim_ref: weak.claim_ref,
    kind: 'rebut',
    rationale: 'It has lapsed.',
    by: { claim: { ...crane, object: 'lapsed' }, evidence: [{ content: 'Register.' }] },
  })
  const answer = await done(who, 'synthesize', { inquiry_ref })
  assert.ok(!answer.answer.includes('40 tonnes'), answer.answer)
  const status_of = (ref: string) => answer.bibliography.find((one: Fields) => one.ref === ref)?.status
  assert.equal(status_of(cell.ref), 'superseded')
  assert.deepEqual(answer.sentences, [])
  assert.deepEqual([answer.answer, answer.confidence], ['No source that stands answers this.', 0])
})

test('an overruled claim appears only with its status, and among the dissent', async () => {
  const [who, rival] = [newCaller('overruling'), newCaller('overruling')]
  const right = (share: number) => Array.from({ length: 20 }, (_, n) => (n < share ? 1 : 0))
  await giveRecords(stage.run, {
    resolver: newCaller(who.tenant_id),
    topic: 'dams',
    outcomes: Array.from({ length: 20 }, () => true),
    locks_at: '2100-01-01T00:00:00Z',
    sources: [
      { did: who.did, probabilities: right(4) },
      { did: rival.did, probabilities: right(20) },
    ],
  })
  const weak = await attest('The Alta dam holds.', who, { topic: 'dams' })
  const by = { claim: 'The Alta dam leaks.', topic: 'dams', evidence: [{ content: 'Wet concrete.' }] }
  const input = { claim_ref: weak.claim_ref, by, rationale: 'Water comes through.' }
  const strong = await done(rival, 'MAVEN.contradict', input)
  const scope = { topics: ['dams'] }
  const { inquiry_ref, findings } = await done(who, 'inquire', { question: 'Does the Alta dam hold?', scope })
  const of = (ref: string) => findings.find(({ citations }: Fields) => citations[0].ref === ref)
  const [lost, won] = [of(weak.claim_ref), of(strong.by)]
  assert.deepEqual(
    [lost.status, lost.stance, won.status, won.stance],
    ['rejected', 'supports', 'valid', 'refutes'],
  )
  assert.ok(lost.source_reliability < won.source_reliability && lost.confidence < won.confidence)
  const answer = await done(who, 'synthesize', { inquiry_ref, format: 'claims' })
  assert.match(answer.answer, /^1\. The Alta dam leaks\. \[1\] confidence \d\.\d\d$/)
  assert.deepEqual(
    answer.dissent.map(({ text, status }: Fields) => [text, status]),
    [['The Alta dam holds.', 'rejected']],
  )
  const silent = await done(who, 'synthesize', { inquiry_ref, include_dissent: false })
  assert.deepEqual(silent.dissent, [])
  const elsewhere = await done(who, 'inquire', {
    question: 'Does the Alta dam hold?',
    scope: { topics: ['x'] },
  })
  assert.deepEqual(elsewhere.findings, [])
})

test('a question is split, scoped and followed deeper, and gaps are reported', async () => {
  const who = newCaller('dividing')
  const at = (occurred_at: string) => ({ occurred_at, kind: 'episodic', namespace: 'field' })
  const fact = { subject: 'Nordlys', predicate: 'ceo', object: 'Ida Berg' }
  await remember('The ferry Nordlys belongs to Fjordline.', who, { triples: [fact] })
  await remember('Fjordline has its office in Bodo.', who)
  await remember('The ferry Nordlys was late.', who, at('2026-03-01T08:00:00Z'))
  await remember('The ferry Nordlys was early.', who, at('2026-05-01T08:00:00Z'))
  const question = 'Who is the ceo of Nordlys and why do penguins whistle?'
  const divided = await done(who, 'inquire', { question })
  assert.deepEqual(divided.subquestions, ['Who is the ceo of Nordlys', 'why do penguins whistle'])
  assert.equal(divided.findings[0].statement, 'Nordlys ceo Ida Berg')
  await assertCited(divided.findings[0].citations[0], '', who)
  assert.deepEqual(divided.gaps, [{ subquestion: 1, why: 'nothing found' }])
  assert.ok(divided.coverage < 0.9)

  const owner = { question: 'Whom does the ferry Nordlys belong to?', min_confidence: 0.5 }
  const tells = ({ findings }: Fields) => JSON.stringify(findings).includes('Bodo')
  assert.deepEqual(
    [tells(await done(who, 'inquire', owner)), tells(await done(who, 'inquire', { ...owner, depth: 2 }))],
    [false, true],
  )

  const scope = { namespace: 'field', from: '2026-04-01T00:00:00Z', to: '2026-06-01T00:00:00Z' }
  const scoped = await done(who, 'inquire', { question: 'When was the ferry Nordlys late?', scope })
  assert.deepEqual(
    scoped.findings.map(({ statement }: Fields) => statement),
    ['The ferry Nordlys was early.'],
  )
  const few = await done(who, 'inquire', { question, max_findings: 1 })
  assert.equal(few.findings.length, 1)
  const answer = await done(who, 'synthesize', { findings: [divided.findings[0].ref], format: 'table' })
  assert.match(answer.answer, /\| Nordlys ceo Ida Berg\. \|/)
  const strict = await done(who, 'synthesize', { inquiry_ref: divided.inquiry_ref, require_support: 5 })
  assert.deepEqual([strict.sentences, strict.unsupported_removed > 0], [[], true])
})

test('a model may split the question, and its unusable answers are ignored', async () => {
  const who = newCaller('modelling')
  const subquestions = [
    'Which kiln is hot?',
    ' ',
    'x'.repeat(3_000),
    'Which kiln is hot?',
    'Who lit the kiln?',
  ]
  say = () => ({ value: { subquestions } })
  const worded = await done(who, 'inquire', { question: 'Tell me of the kiln.' })
  assert.deepEqual(worded.subquestions, ['Which kiln is hot?', 'Who lit the kiln?'])
  assert.deepEqual(worded.usage, { tokens_in: 21, tokens_out: 7, work: 0 })
  say = () => ({ value: { subquestions: ['  '] } })
  assert.deepEqual((await done(who, 'inquire', { question: 'Tell me of the kiln.' })).subquestions, [
    'Tell me of the kiln',
  ])
  say = () => ({ status: 400 })
})

test('hidden, foreign, unserved and invalid input is refused or not found', async () => {
  const who = newCaller('hiding')
  const other = newCaller('hiding')
  const stranger = newCaller('strangers')
  const embargo_until = '2099-01-01T00:00:00Z'
  await attest('The merger with Umbra closes on Friday.', who, { embargo_until })
  const question = 'When does the merger with Umbra close?'
  const countFindings = async (caller: Party) => (await done(caller, 'inquire', { question })).findings.length
  assert.deepEqual([await countFindings(other), await countFindings(stranger)], [0, 0])
  await remember('The merger with Umbra was announced.', who)
  const { inquiry_ref, findings } = await done(who, 'inquire', { question })
  const refused = async (
    operation: string,
    input: Fields,
    reason: string,
    code = 'invalid_payload',
    caller: Party = who,
  ) => {
    const refusal = await done(caller, operation, input).then(
      () => assert.fail('not refused'),
      (error) => error,
    )
    assert.ok(refusal instanceof Refusal, String(refusal))
    assert.deepEqual([refusal.code, refusal.details.reason], [code, reason], refusal.message)
    assert.match(refusal.message, /^\S.*[.?]$/s)
  }
  await refused('synthesize', { inquiry_ref }, 'not_found', 'invalid_payload', stranger)
  await refused('synthesize', { findings: [findings[0].ref] }, 'not_found', 'invalid_payload', stranger)
  await refused('synthesize', {}, 'one_of')
  await refused('synthesize', { inquiry_ref, findings: [findings[0].ref] }, 'one_of')
  const answer = await done(who, 'synthesize', { inquiry_ref, publish_draft: true })
  const draft = await done(who, 'MAGE.fetch', { ref: `mage://draft/${answer.draft_id}` })
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
  await done(who, 'MAME.redact', { target: findings[0].ref, reason: 'error' })
  await refused('synthesize', { findings: [findings[0].ref] }, 'redacted')
  assert.ok((await done(who, 'synthesize', { inquiry_ref })).synthesis_ref)
  const records = JSON.stringify(stage.records('hiding'))
  assert.ok(
    records.includes('InquiryCompleted') &&
      records.includes('SynthesisWritten') &&
      !records.includes('Umbra'),
  )
})
