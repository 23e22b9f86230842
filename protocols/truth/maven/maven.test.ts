// The rules of attest, contradict and cite.
import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { after, before, test } from 'node:test'
import { keepSeed } from '@svc/adapters/custody/keystore'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import type { RefusalCode } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { proveDocument } from '@svc/contract/signing/data-integrity'
import type { Resolution } from '@svc/engine/known'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type Rehearsal, rehearse, root_keys } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { newKey } from '../../../checks/scenes/delegation-scene.ts'
import { giveRecords } from '../../../checks/scenes/track-record.ts'
import { mame } from '../../cognition/mame/mame.ts'
import { mantic } from '../mantic/mantic.ts'
import { maven } from './maven.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>
interface Party {
  readonly did: string
  readonly tenant_id: string
}

const clock = manualClock('2026-11-15T10:00:00.000Z')
const newParty = (tenant_id = test_tenant) => ({ ...newKey(tenant_id), tenant_id })
const [ann, bob, cy, stranger] = [newParty(), newParty(), newParty(), newParty('rival')]
/** Of those that are not their own. */
const roots = new Map<string, string | undefined>()
let stage: Rehearsal

before(async () => {
  const resolver = localAdminResolver()
  const identity = {
    resolve(did: string) {
      const resolution = resolver.resolve(did) as Extract<Resolution, { outcome: 'Resolved' }>
      const root = roots.has(did) ? roots.get(did) : did
      const { identity } = resolution
      return {
        ...resolution,
        identity:
          root === undefined
            ? { ...identity, lineage_verified: false }
            : { ...identity, human_root_did: root },
      }
    },
  }
  const ports = { clock, identity }
  stage = await rehearse(maven, { others: [mame, mantic], tenants: [test_tenant, 'rival'], ports })
  for (const { tenant_id, did, seed } of [ann, bob, cy, stranger])
    await keepSeed(stage.store.engine, root_keys, tenant_id, did, seed)
})
after(() => stage.close())

const done = ({ did, tenant_id }: Party, operation: string, input: unknown): Promise<Fields> =>
  stage.run(operation, input, { did, tenant_id })
const refused = (
  who: Party,
  operation: string,
  input: unknown,
  reason: string,
  code: RefusalCode = 'invalid_payload',
) => assertRefused(done(who, operation, input), code, reason)

const evidenceOf = (content: string): Fields => ({ content, stance: 'supports' })
const claim = (statement: unknown, content: string, more: Fields = {}): Fields => ({
  claim: statement,
  evidence: [evidenceOf(content)],
  ...more,
})
const flipsOf = (claim_ref: string): string[] =>
  stage
    .records()
    .filter(({ event_type, meta }) => event_type === 'ClaimStatusChanged' && meta.claim_ref === claim_ref)
    .map(({ meta }) => `${meta.from} ${meta.to}`)

test('children of one person corroborate and refute a claim once, and unknown identities never', async () => {
  const family = Array.from({ length: 50 }, () => newParty())
  const unknown = newParty()
  for (const { did } of family) roots.set(did, 'person')
  roots.set(unknown.did, undefined)
  for (const { tenant_id, did, seed } of [...family, unknown])
    await keepSeed(stage.store.engine, root_keys, tenant_id, did, seed)
  const statement = { subject: 'Tank 9', predicate: 'volume_litres', object: 100, functional: true }
  const first = await done(ann, 'attest', claim(statement, 'A gauge.', { confidence: 0.8 }))
  assert.deepEqual([first.corroboration.supports, first.corroboration.posterior], [0, 0.8])
  for (const child of family) await done(child, 'attest', claim(statement, 'The float.', { confidence: 0.6 }))
  await done(unknown, 'attest', claim(statement, 'A gauge.', { confidence: 0.9 }))
  const again = await done(ann, 'attest', claim(statement, 'A gauge.', { confidence: 0.8 }))
  assert.deepEqual([again.corroboration.supports, again.corroboration.refutes], [1, 0])
  const rival = { ...statement, object: 200 }
  const against = await done(bob, 'attest', claim(rival, 'Another gauge.', { confidence: 0.8 }))
  assert.deepEqual(
    [against.corroboration.supports, against.corroboration.refutes],
    [0, 2],
    'ann and one person',
  )
  const own = await done(family[0]!, 'attest', claim(statement, 'A second gauge.', { confidence: 0.6 }))
  assert.equal(own.corroboration.supports, 1, 'siblings do not support each other; ann does')
})

test('copied claims count once: the same evidence, or another claim, in thirty mouths is one voice', async () => {
  const copiers = Array.from({ length: 30 }, () => newParty())
  for (const { tenant_id, did, seed } of copiers)
    await keepSeed(stage.store.engine, root_keys, tenant_id, did, seed)
  const statement = { subject: 'Tank 11', predicate: 'colour', object: 'green', functional: true }
  const unsure = { confidence: 0.6 }
  const first = await done(bob, 'attest', claim(statement, 'A photograph.', unsure))
  clock.advance(1_000)
  for (const [place, copier] of copiers.entries()) {
    const repeated = place % 2 ? [evidenceOf('A photograph.')] : [{ ref: first.claim_ref }]
    await done(copier, 'attest', { ...claim(statement, 'x', unsure), evidence: repeated })
  }
  const { corroboration } = await done(bob, 'attest', claim(statement, 'A photograph.', unsure))
  assert.deepEqual(
    [corroboration.supports, corroboration.copies, Math.round(corroboration.posterior * 1e9) / 1e9],
    [0, 30, 0.6],
  )
  const rival = await done(ann, 'attest', claim({ ...statement, object: 'red' }, 'My own eyes.', unsure))
  assert.deepEqual([rival.corroboration.refutes, rival.corroboration.copies], [1, 30])
  const second = await done(cy, 'attest', claim(statement, 'Another photograph.', unsure))
  assert.deepEqual([second.corroboration.supports, second.corroboration.copies], [1, 30])
})

test('a proof by the key of the caller over the claim is accepted, any other is refused', async () => {
  const input = claim('The valve is brass.', 'A photograph.')
  const { private_key, public_key } = ann
  const key = {
    public_key,
    sign: (bytes: Uint8Array) => sign(null, bytes, private_key).toString('base64url'),
  }
  const wish = { created: '2026-11-15T10:00:00Z', controller: ann.did }
  const bad = await proveDocument({ not: 'it' }, key, wish)
  const { details } = await refused(ann, 'attest', { ...input, proof: bad }, 'bad_proof')
  const document = JSON.parse(details.faults![0]!.message)
  const proof = await proveDocument(document, key, wish)
  await refused(bob, 'attest', { ...input, proof }, 'bad_proof')
  const { claim_ref, ...answer } = await done(ann, 'attest', { ...input, proof })
  assert.deepEqual([answer.proof, answer.document], [proof, document])
  assert.equal((await done(cy, 'cite', { source_ref: claim_ref })).signature_valid, true)
})

test('evidence is resolved and hashed; missing or mismatching evidence is refused', async () => {
  const base = await done(ann, 'attest', claim('Water boils.', 'A thermometer.'))
  const uri = { uri: 'https://example.com/report.pdf', sha256: 'a'.repeat(64), stance: 'context' }
  const resting = await done(bob, 'attest', {
    claim: 'Steam is hot.',
    evidence: [{ ref: base.claim_ref }, uri],
  })
  assert.deepEqual(resting.evidence, [
    { hash: base.content_hash, verified: true },
    { hash: 'a'.repeat(64), verified: false },
  ])
  const faults: [Party, Fields[], string][] = [
    [stranger, [{ ref: base.claim_ref }], 'not_found'],
    [bob, [{ ref: `mind://cell/${'0'.repeat(36)}` }], 'not_found'],
    [bob, [{ ref: `max://record/${'0'.repeat(64)}` }], 'not_found'],
    [bob, [{ ...evidenceOf('x'), sha256: 'b'.repeat(64) }], 'hash_mismatch'],
    [bob, [{ uri: uri.uri }], 'hash_missing'],
    [bob, [{ ref: base.claim_ref, content: 'x' }], 'one_kind_each'],
    [bob, [{ stance: 'supports' }], 'one_kind_each'],
    [bob, [evidenceOf('x'), evidenceOf('x')], 'duplicate_evidence'],
  ]
  for (const [who, evidence, reason] of faults)
    await refused(who, 'attest', { claim: 'Steam is wet.', evidence }, reason)
  const never = { valid_from: '2026-02-01T00:00:00Z', valid_to: '2026-01-01T00:00:00Z' }
  await refused(bob, 'attest', claim('Never.', 'x', never), 'empty_validity')
  await refused(bob, 'attest', claim('Never.', 'x', { valid_from: '2026-02-30T00:00:00Z' }), 'bad_time')
})

test('claims that exclude each other contradict each other, in either order; others do not', async () => {
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
  assert.deepEqual(flipsOf(now.claim_ref), ['accepted undecided'])
  const plural = await done(bob, 'attest', on('Zoe', {}, { functional: false }))
  assert.deepEqual([plural.status, plural.contradictions], ['accepted', []])
  const by_minutes = { evidence: [evidenceOf('Minutes of the board.')] }
  const corrected = await done(
    bob,
    'attest',
    on('Max', { ...since, supersedes: rival.claim_ref, ...by_minutes }),
  )
  assert.deepEqual([corrected.status, corrected.corroboration.supports], ['accepted', 1])
  assert.deepEqual(flipsOf(now.claim_ref), ['accepted undecided', 'undecided accepted'])
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

test('scenario 11: a claim is rejected by a weightier one, and accepted again when that one falls', async () => {
  const right = (share: number) => Array.from({ length: 20 }, (_, n) => (n < share ? 1 : 0))
  await giveRecords(stage.run, {
    resolver: newParty(),
    topic: 'dams',
    outcomes: Array.from({ length: 20 }, () => true),
    locks_at: '2026-12-01T00:00:00Z',
    sources: [
      { did: ann.did, probabilities: right(4) },
      { did: bob.did, probabilities: right(20) },
      { did: cy.did, probabilities: right(20) },
    ],
  })
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
  assert.deepEqual(flipsOf(a.claim_ref), ['accepted rejected', 'rejected accepted'])
  assert.deepEqual([c.extension, c.appeal.path], ['grounded', 'MOOT file'])
  const weak = await done(ann, 'contradict', { claim_ref: c.by, by: claim('It was dry.', 'I recall.', dam) })
  assert.deepEqual([weak.statuses[c.by], weak.statuses[weak.by]], ['accepted', 'rejected'])
  const again = await done(ann, 'contradict', { claim_ref: c.by, by: weak.by })
  assert.deepEqual([again.contradiction_ref === weak.contradiction_ref, again.changed], [true, []])
})

test('invalid contradictions are refused; contradicting oneself retracts; resolve: false decides nothing', async () => {
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

test('a claim under embargo is visible to its issuer only, and counts when the embargo ends', async () => {
  const embargo_until = new Date(clock.now_ms() + 60_000).toISOString()
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
  clock.advance(60_000)
  assert.equal((await done(cy, 'cite', { source_ref: open.claim_ref })).status, 'contested')
  assert.equal((await done(cy, 'cite', { source_ref: secret.claim_ref })).status, 'contested')
  assert.deepEqual(flipsOf(secret.claim_ref), ['embargoed undecided'])
})

test('a redacted claim is cited as redacted, and redacted evidence cannot be used again', async () => {
  const input = claim('Kim was ill in May.', 'A note by Kim.')
  const { claim_ref } = await done(ann, 'attest', input)
  const note = `maven://evidence/${sha256Hex('A note by Kim.')}`
  await done(ann, 'MAME.redact', { target: note, reason: 'erasure_request' })
  await refused(bob, 'attest', { claim: 'Kim rests.', evidence: [{ ref: note }] }, 'redacted')
  await refused(bob, 'attest', claim('Kim rests.', 'A note by Kim.'), 'redacted')
  const redaction = await done(ann, 'MAME.redact', { target: claim_ref, reason: 'erasure_request' })
  assert.equal(redaction.records_affected, 1)
  const cited = await done(bob, 'cite', { source_ref: claim_ref, style: 'apa' })
  assert.deepEqual([cited.status, cited.excerpt], ['redacted', null])
  assert.match(cited.formatted, /\[redacted\]/)
})

test('concurrent claims are settled one after the other, with the same result', async () => {
  const on = (object: number) => claim({ subject: 'Race', predicate: 'laps', object }, `Board ${object}`)
  const answers = await Promise.all([1, 2, 3, 4].map((lap) => done(lap % 2 ? ann : bob, 'attest', on(lap))))
  const last = await done(cy, 'attest', on(5))
  assert.deepEqual(last.contradictions, answers.map(({ claim_ref }) => claim_ref).sort())
  for (const { claim_ref } of answers)
    assert.equal((await done(cy, 'cite', { source_ref: claim_ref })).status, 'contested')
})
