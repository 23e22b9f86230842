// MAVEN over HTTP: claims are signed, cited and contradicted, and their status follows.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { verifyProof } from '@svc/contract/signing/data-integrity'
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
const refused = async (who: Party, operation: string, input: unknown, reason: string) =>
  assertRefusal(await ask(who, operation, input), { code: 'invalid_payload', stage: 7, reason })

const evidenceOf = (content: string): Fields => ({ content, stance: 'supports' })
const claim = (statement: unknown, content: string, more: Fields = {}): Fields => ({
  claim: statement,
  evidence: [evidenceOf(content)],
  ...more,
})

test('a claim is named by its hash, verified offline, stored once, and the audit log has none of its text', async () => {
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
  assert.deepEqual([other.corroboration.supports, other.corroboration.copies], [0, 1], 'the same evidence')
  const records = await scene.service.records('acme')
  const attested = records.filter(({ event_type }) => event_type === 'ClaimAttested')
  assert.equal(attested.filter(({ meta }) => meta.claim_ref === claim_ref).length, 1)
  assert.ok(!JSON.stringify(records).includes('B flat'))
  assert.equal(attested[0]!.meta.own_proof, false)
})

test('a citation pins its source, names its audit record, and is formatted in every style', async () => {
  const statement = { subject: 'Tower', predicate: 'height', object: 324 }
  const { claim_ref, content_hash } = await done(ann, 'attest', claim(statement, 'Laser survey, line one.'))
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
  const uri = { uri: 'https://example.com/report.pdf', sha256: 'a'.repeat(64), stance: 'context' }
  const refs = [{ ref: claim_ref }, { ref: `max://record/${brought.record_hash}` }]
  const resting = await done(bob, 'attest', { claim: 'Towers are tall.', evidence: [...refs, uri] })
  assert.deepEqual(resting.evidence, [
    { hash: content_hash, verified: true },
    { hash: brought.record_hash, verified: true },
    { hash: 'a'.repeat(64), verified: false },
  ])
  const events = await scene.service.records('acme', { event_types: ['SourceCited'] })
  assert.equal(events.filter(({ meta }) => meta.citation_id === first.citation_id).length, 1)
  const stranger = await scene.newParty('rival')
  for (const source_ref of [claim_ref, evidence, `max://acme/record/${brought.record_hash}`])
    await refused(stranger, 'cite', { source_ref }, 'not_found')
})
