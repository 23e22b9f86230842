// MAVEN over HTTP: claims are signed, cited and contradicted, and what stands follows from what was said.
import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { RefusalCode } from '@svc/contract/refusal'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { proveDocument, verifyProof } from '@svc/contract/signing/data-integrity'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { type MadeScene, openMadeScene, type Party } from '../identity/made-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let scene: MadeScene
let ann: Party
let bob: Party
let cy: Party

before(async () => {
  scene = await openMadeScene()
  ann = await scene.newParty('acme')
  bob = await scene.newParty('acme')
  cy = await scene.newParty('acme')
})
after(() => scene.service.stop())

const ask = (who: Party, operation: string, input: unknown, protocol = 'MAVEN'): Promise<Answer> =>
  dispatch(who, { protocol, operation, input, tenant_id: who.tenant_id })
const done = async (who: Party, operation: string, input: unknown, protocol?: string): Promise<Fields> =>
  assertSuccess(await ask(who, operation, input, protocol)).output
const refused = async (
  who: Party,
  operation: string,
  input: unknown,
  reason: string,
  code: RefusalCode = 'invalid_payload',
) => assertRefusal(await ask(who, operation, input), { code, stage: 7, reason })

const seen = (content: string): Fields => ({ content, stance: 'supports' })
const claim = (said: unknown, content: string, more: Fields = {}): Fields => ({
  claim: said,
  evidence: [seen(content)],
  ...more,
})
const flipsOf = async (tenant_id: string, claim_ref: string): Promise<string[]> =>
  (await scene.service.records(tenant_id, { event_types: ['ClaimStatusChanged'] }))
    .filter(({ meta }) => meta.claim_ref === claim_ref)
    .map(({ meta }) => `${meta.from} ${meta.to}`)

test('a claim is known by its hash, proved offline, kept once, and nothing of its words is in the book', async () => {
  const input = claim('The pump hums in B flat.', 'Heard at nine.', {
    confidence: 0.8,
    method: 'observation',
  })
  const first = await done(ann, 'attest', input)
  const { document, proof, claim_ref, content_hash, evidence } = first
  assert.equal(sha256Hex(canonicalJson(document)), content_hash)
  assert.equal(claim_ref, `maven://claim/${content_hash}`)
  assert.ok(verifyProof(document, proof))
  assert.equal(proof.controller, ann.agent_did)
  assert.equal(verifyProof({ ...document, confidence: 0.9 }, proof), undefined)
  assert.deepEqual(evidence, [{ hash: sha256Hex('Heard at nine.'), verified: true }])
  assert.deepEqual([first.status, first.corroboration.supports, first.contradictions], ['accepted', 0, []])
  assert.ok(Math.abs(first.corroboration.posterior - 0.8) < 1e-9)
  assert.deepEqual(await done(ann, 'attest', input), first)
  const other = await done(bob, 'attest', input)
  assert.notEqual(other.claim_ref, claim_ref)
  assert.equal(other.corroboration.supports, 1)
  const records = await scene.service.records('acme')
  const attested = records.filter(({ event_type }) => event_type === 'ClaimAttested')
  assert.equal(attested.filter(({ meta }) => meta.claim_ref === claim_ref).length, 1)
  assert.ok(!JSON.stringify(records).includes('B flat'))
  assert.equal(attested[0]!.meta.own_proof, false)
})

test('a proof made with its own key is taken, one with another or over anything else is not', async () => {
  const input = claim('The valve is brass.', 'A photograph.')
  const { private_key, public_key } = ann.key
  const key = {
    public_key,
    sign: (bytes: Uint8Array) => sign(null, bytes, private_key).toString('base64url'),
  }
  const wish = { created: '2026-11-15T10:00:00Z', controller: ann.agent_did }
  const bad = await proveDocument({ not: 'it' }, key, wish)
  const { details } = await refused(ann, 'attest', { ...input, proof: bad }, 'bad_proof')
  const document = JSON.parse((details.faults as Fields[])[0]!.message)
  const proof = await proveDocument(document, key, wish)
  await refused(bob, 'attest', { ...input, proof }, 'bad_proof')
  const { claim_ref, ...answer } = await done(ann, 'attest', { ...input, proof })
  assert.deepEqual([answer.proof, answer.document], [proof, document])
  assert.equal((await done(cy, 'cite', { source_ref: claim_ref })).signature_valid, true)
})

test('evidence is looked up, hashed and pinned; what leads nowhere or is not what it says is refused', async () => {
  const base = await done(ann, 'attest', claim('Water boils.', 'A thermometer.'))
  const [record] = await scene.service.records('acme')
  const refs = [{ ref: base.claim_ref }, { ref: `max://record/${record!.record_hash}` }]
  const uri = { uri: 'https://example.com/report.pdf', sha256: 'a'.repeat(64), stance: 'context' }
  const resting = await done(bob, 'attest', { claim: 'Steam is hot.', evidence: [...refs, uri] })
  assert.deepEqual(resting.evidence, [
    { hash: base.content_hash, verified: true },
    { hash: record!.record_hash, verified: true },
    { hash: 'a'.repeat(64), verified: false },
  ])
  const stranger = await scene.newParty('rival')
  const faults: [Party, Fields[], string][] = [
    [stranger, [{ ref: base.claim_ref }], 'not_found'],
    [bob, [{ ref: `mind://cell/${'0'.repeat(36)}` }], 'not_found'],
    [bob, [{ ref: `max://record/${'0'.repeat(64)}` }], 'not_found'],
    [bob, [{ ...seen('x'), sha256: 'b'.repeat(64) }], 'hash_mismatch'],
    [bob, [{ uri: uri.uri }], 'hash_missing'],
    [bob, [{ ref: base.claim_ref, content: 'x' }], 'one_kind_each'],
    [bob, [{ stance: 'supports' }], 'one_kind_each'],
    [bob, [seen('x'), seen('x')], 'duplicate_evidence'],
  ]
  for (const [who, evidence, reason] of faults)
    await refused(who, 'attest', { claim: 'Steam is wet.', evidence }, reason)
  const never = { valid_from: '2026-02-01T00:00:00Z', valid_to: '2026-01-01T00:00:00Z' }
  await refused(bob, 'attest', claim('Never.', 'x', never), 'empty_validity')
  await refused(bob, 'attest', claim('Never.', 'x', { valid_from: '2026-02-30T00:00:00Z' }), 'bad_time')
})

test('answers that exclude each other oppose each other, whichever came first; others do not', async () => {
  const on = (object: unknown, more: Fields = {}, answer: Fields = {}) =>
    claim({ subject: 'Globex', predicate: 'CEO', object, ...answer }, `Register: ${object}`, more)
  const early = { valid_from: '2025-01-01T00:00:00Z', valid_to: '2026-01-01T00:00:00Z' }
  const since = { valid_from: '2026-01-01T00:00:00Z' }
  const past = await done(ann, 'attest', on('Ida', early))
  const now = await done(ann, 'attest', on('Max', since))
  assert.deepEqual([past.status, now.status, now.contradictions], ['accepted', 'accepted', []])
  const rival = await done(bob, 'attest', on('Eve', { confidence: 0.9 }))
  assert.deepEqual([rival.status, rival.corroboration.refutes], ['undecided', 1])
  assert.deepEqual(rival.contradictions, [past.claim_ref, now.claim_ref].sort())
  assert.ok(rival.corroboration.posterior < 0.5)
  assert.deepEqual(await flipsOf('acme', now.claim_ref), ['accepted undecided'])
  const plural = await done(bob, 'attest', on('Zoe', {}, { functional: false }))
  assert.deepEqual([plural.status, plural.contradictions], ['accepted', []])
  const corrected = await done(bob, 'attest', on('Max', { ...since, supersedes: rival.claim_ref }))
  assert.deepEqual([corrected.status, corrected.corroboration.supports], ['accepted', 1])
  assert.deepEqual(await flipsOf('acme', now.claim_ref), ['accepted undecided', 'undecided accepted'])
  assert.equal((await done(cy, 'cite', { source_ref: rival.claim_ref })).status, 'superseded')
  await refused(
    bob,
    'attest',
    on('Kim', { supersedes: rival.claim_ref }),
    'claim is superseded',
    'policy_denied',
  )
  await refused(
    bob,
    'attest',
    on('Kim', { supersedes: now.claim_ref }),
    'not the issuer of the claim',
    'policy_denied',
  )
  await refused(bob, 'attest', on('Kim', { supersedes: `maven://claim/${'0'.repeat(64)}` }), 'not_found')
})

test('scenario 11: a claim is overturned by one that counts more, and stands again when that one falls', async () => {
  const right = (share: number) =>
    Array.from({ length: 20 }, (_, n) => ({ forecast: 1, outcome: n < share, id: `${n}` }))
  for (const [who, share] of [
    [ann, 4],
    [bob, 20],
    [cy, 20],
  ] as const)
    await done(ann, 'weight', { source: who.agent_did, topic: 'dams', outcomes: right(share) }, 'MATA')
  const dam = { topic: 'dams' }
  const a = await done(ann, 'attest', claim('The dam holds.', 'I looked at it.', dam))
  const cited = await done(ann, 'cite', { source_ref: a.claim_ref, in_ref: 'mari://report/dams' })
  assert.equal(cited.status, 'valid')
  const b = await done(bob, 'contradict', {
    claim_ref: a.claim_ref,
    by: claim('The dam leaks.', 'Wet concrete.', dam),
    rationale: 'Water comes through.',
  })
  assert.deepEqual(b.statuses, { [a.claim_ref]: 'rejected', [b.by]: 'accepted' })
  assert.deepEqual(b.changed, [{ claim_ref: a.claim_ref, from: 'accepted', to: 'rejected' }])
  assert.deepEqual(b.dependents, [{ ref: 'mari://report/dams', kind: 'cites' }])
  assert.equal((await done(ann, 'cite', { source_ref: a.claim_ref })).status, 'contested')
  const c = await done(cy, 'contradict', {
    claim_ref: b.by,
    by: claim('It had rained on the concrete.', 'The weather report.', dam),
    kind: 'undercut',
  })
  assert.deepEqual(c.statuses, { [a.claim_ref]: 'accepted', [b.by]: 'rejected', [c.by]: 'accepted' })
  assert.deepEqual(await flipsOf('acme', a.claim_ref), ['accepted rejected', 'rejected accepted'])
  assert.deepEqual([c.extension, c.appeal.path], ['grounded', 'MOOT file'])
  const weak = await done(ann, 'contradict', { claim_ref: c.by, by: claim('It was dry.', 'I recall.', dam) })
  assert.deepEqual([weak.statuses[c.by], weak.statuses[weak.by]], ['accepted', 'rejected'])
  const again = await done(ann, 'contradict', { claim_ref: c.by, by: weak.by })
  assert.deepEqual([again.contradiction_ref === weak.contradiction_ref, again.changed], [true, []])
})

test('what cannot be contradicted is refused; a change of mind is a retraction; recording decides nothing', async () => {
  const a = await done(ann, 'attest', claim('Ice sinks.', 'A dream.'))
  await refused(bob, 'contradict', { claim_ref: a.claim_ref, by: a.claim_ref }, 'self_attack')
  await refused(
    ann,
    'contradict',
    { claim_ref: a.claim_ref, by: claim('Ice sinks.', 'A dream.') },
    'self_attack',
  )
  await refused(
    bob,
    'contradict',
    { claim_ref: `maven://claim/${'0'.repeat(64)}`, by: a.claim_ref },
    'not_found',
  )
  const by = claim('Dreams prove nothing.', 'Long experience.')
  await refused(bob, 'contradict', { claim_ref: a.claim_ref, by, kind: 'undermine' }, 'evidence_hash')
  const wrong = { claim_ref: a.claim_ref, by, kind: 'undermine', evidence_hash: 'c'.repeat(64) }
  await refused(bob, 'contradict', wrong, 'not_found')
  const right = { ...wrong, evidence_hash: a.evidence[0].hash, resolve: false }
  const answer = await done(bob, 'contradict', right)
  assert.deepEqual([answer.statuses[a.claim_ref], answer.changed], ['accepted', []])
  const b = await done(ann, 'contradict', { claim_ref: a.claim_ref, by: claim('Ice floats.', 'A glass.') })
  assert.deepEqual([b.statuses[a.claim_ref], b.statuses[b.by]], ['rejected', 'accepted'])
  assert.equal((await done(bob, 'cite', { source_ref: a.claim_ref })).status, 'retracted')
})

test('a claim under embargo is there for its issuer alone, and joins in when it ends', async () => {
  const embargo_until = new Date(scene.clock.now_ms() + 60_000).toISOString()
  const on = (object: string) => claim({ subject: 'Vault 3', predicate: 'status', object }, `Seen ${object}`)
  const open = await done(cy, 'attest', on('open'))
  const secret = await done(bob, 'attest', { ...on('shut'), embargo_until })
  assert.deepEqual([secret.status, secret.contradictions], ['undecided', []])
  assert.equal((await done(bob, 'cite', { source_ref: secret.claim_ref })).status, 'valid')
  await refused(cy, 'cite', { source_ref: secret.claim_ref }, 'not_found')
  await refused(cy, 'attest', { claim: 'Leak.', evidence: [{ ref: secret.claim_ref }] }, 'not_found')
  await refused(cy, 'contradict', { claim_ref: secret.claim_ref, by: open.claim_ref }, 'not_found')
  const early = { claim_ref: open.claim_ref, by: secret.claim_ref }
  await refused(bob, 'contradict', early, 'claim is under embargo', 'policy_denied')
  assert.equal((await done(cy, 'cite', { source_ref: open.claim_ref })).status, 'valid')
  scene.clock.advance(60_000)
  assert.equal((await done(cy, 'cite', { source_ref: open.claim_ref })).status, 'contested')
  assert.equal((await done(cy, 'cite', { source_ref: secret.claim_ref })).status, 'contested')
  assert.deepEqual(await flipsOf('acme', secret.claim_ref), ['embargoed undecided'])
})

test('a citation pins what it cites, says where it stands in the book, and is written in every style', async () => {
  const said = { subject: 'Tower', predicate: 'height', object: 324 }
  const { claim_ref, content_hash } = await done(ann, 'attest', claim(said, 'Laser survey, line one.'))
  const first = await done(bob, 'cite', { source_ref: claim_ref, in_ref: claim_ref })
  assert.deepEqual([first.version, first.content_hash, first.cycle], [1, content_hash, true])
  assert.deepEqual([first.excerpt, first.signature_valid], ['Tower height 324', true])
  const records = await scene.service.records('acme')
  const brought = records.find(({ record_hash }) => record_hash === first.chain.record_hash)!
  assert.deepEqual([brought.operation, brought.event_type], ['attest', 'ProtocolInvocation'])
  assert.ok(first.chain.tree_size >= brought.seq)
  assert.match(first.formatted, /^\[maven [0-9a-f]{8}, acme agent [0-9a-f]{8}, 2026-11-15\]$/)
  const again = await done(bob, 'cite', { source_ref: claim_ref, in_ref: claim_ref, style: 'apa' })
  assert.equal(again.citation_id, first.citation_id)
  assert.match(again.formatted, /\(2026, November 15\)\. Tower height 324\. \(Version 1\) \[claim\]\. maven:/)
  const csl = await done(cy, 'cite', { source_ref: claim_ref, style: 'csl-json' })
  assert.deepEqual(csl.formatted.issued, { 'date-parts': [[2026, 11, 15]] })
  const at = (locator: Fields) => done(cy, 'cite', { source_ref: claim_ref, locator })
  assert.equal((await at({ json_pointer: '/claim/object' })).excerpt, '324')
  assert.equal((await at({ char_range: { start: 0, end: 5 } })).excerpt, 'Tower')
  assert.equal((await at({ record_seq: brought.seq })).excerpt, 'Tower height 324')
  for (const locator of [
    { json_pointer: '/no' },
    { char_range: { start: 5, end: 99 } },
    { record_seq: 999_999 },
  ])
    await refused(cy, 'cite', { source_ref: claim_ref, locator }, 'not_found')
  const evidence = `maven://evidence/${sha256Hex('Laser survey, line one.')}`
  assert.equal((await done(cy, 'cite', { source_ref: evidence })).excerpt, 'Laser survey, line one.')
  const record = await done(cy, 'cite', { source_ref: `max://record/${brought.record_hash}` })
  assert.match(record.excerpt, /^ProtocolInvocation MAVEN\.attest success/)
  assert.deepEqual([record.signature_valid, record.chain.record_hash], [true, brought.record_hash])
  const events = await scene.service.records('acme', { event_types: ['SourceCited'] })
  assert.equal(events.filter(({ meta }) => meta.citation_id === first.citation_id).length, 1)
  const stranger = await scene.newParty('rival')
  for (const source_ref of [claim_ref, evidence, `max://acme/record/${brought.record_hash}`])
    await refused(stranger, 'cite', { source_ref }, 'not_found')
})

test('what is redacted keeps its place and loses its words: cited as such, and nothing rests on it again', async () => {
  const input = claim('Kim was ill in May.', 'A note by Kim.')
  const { claim_ref } = await done(ann, 'attest', input)
  const note = `maven://evidence/${sha256Hex('A note by Kim.')}`
  await done(ann, 'redact', { target: note, reason: 'erasure_request' }, 'MAME')
  await refused(bob, 'attest', { claim: 'Kim rests.', evidence: [{ ref: note }] }, 'redacted')
  await refused(bob, 'attest', claim('Kim rests.', 'A note by Kim.'), 'redacted')
  const redaction = await done(ann, 'redact', { target: claim_ref, reason: 'erasure_request' }, 'MAME')
  assert.equal(redaction.records_affected, 1)
  const cited = await done(bob, 'cite', { source_ref: claim_ref, style: 'apa' })
  assert.deepEqual([cited.status, cited.excerpt], ['redacted', null])
  assert.match(cited.formatted, /\[redacted\]/)
})

test('two who speak at once are heard one after the other, and the end is the same', async () => {
  const on = (object: number) => claim({ subject: 'Race', predicate: 'laps', object }, `Board ${object}`)
  const answers = await Promise.all([1, 2, 3, 4].map((lap) => done(lap % 2 ? ann : bob, 'attest', on(lap))))
  const last = await done(cy, 'attest', on(5))
  assert.deepEqual(last.contradictions, answers.map(({ claim_ref }) => claim_ref).sort())
  for (const { claim_ref } of answers)
    assert.equal((await done(cy, 'cite', { source_ref: claim_ref })).status, 'contested')
})
