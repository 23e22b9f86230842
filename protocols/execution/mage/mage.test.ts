// Rules of drafts and artifacts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { openAiModel } from '@svc/adapters/model/openai'
import { asOwner } from '@svc/audit/test-audit-log'
import type { RefusalCode } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Reply, startModel, type TestModel } from '../../../checks/neighbours/test-model.ts'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { giveRecords } from '../../../checks/scenes/track-record.ts'
import { mari } from '../../awareness/mari/mari.ts'
import { mame } from '../../cognition/mame/mame.ts'
import { mind } from '../../cognition/mind/mind.ts'
import { mantic } from '../../truth/mantic/mantic.ts'
import { maven } from '../../truth/maven/maven.ts'
import { mage } from './mage.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let stage: Rehearsal
let model: TestModel
/** The model's next answer; if it fails, known facts are outlined instead. */
let say: Reply = { status: 400 }
const [ann, bob, cy] = [1, 2, 3].map(() => newIdentity(test_tenant, 'agent').did) as [string, string, string]

before(async () => {
  model = await startModel(() => say)
  const client = openAiModel({ url: model.url, name: 'small', key: undefined })
  stage = await rehearse(mage, { others: [mame, mari, mantic, maven, mind], needs: { model: () => client } })
})
after(async () => {
  await stage?.close()
  await model.close()
})

const done = (did: string, operation: string, input: unknown, protocol = 'MAGE'): Promise<Fields> =>
  stage.run(`${protocol}.${operation}`, input, { did })
const refused = (
  did: string,
  operation: string,
  input: unknown,
  reason: string,
  code: RefusalCode = 'invalid_payload',
) => assertRefused(stage.run(operation, input, { did }), code, reason)

const sealedPieces = (): Promise<Buffer[]> =>
  asOwner(stage.database.url, async (client) =>
    (await client.query('SELECT sealed FROM mage_pieces')).rows.map(({ sealed }) => sealed),
  )
const written = (content: string, more: Fields = {}): Fields => ({
  kind: 'document',
  title: 'Notes',
  content,
  ...more,
})
const publishing = ({ draft_id, version }: Fields, more: Fields = {}): Fields => ({
  draft_id,
  version,
  license: 'MIT',
  ...more,
})
const claim = (sentence: string): Fields => ({
  claim: sentence,
  evidence: [{ content: `Seen: ${sentence}` }],
  topic: 'dams',
})

test('each version of a draft can be read, and a stale revision is refused', async () => {
  const first = await done(ann, 'draft', written('One.', { labels: ['a'] }))
  assert.deepEqual([first.version, first.content_hash, first.size], [1, sha256Hex('One.'), 4])
  assert.deepEqual([first.media_type, first.made_by, first.lint], ['text/markdown', 'caller', []])
  const { draft_id, ref } = first
  const revised = await done(bob, 'draft', { draft_id, expected_version: 1, content: 'Two.', title: 'More' })
  assert.deepEqual([revised.version, revised.ref], [2, ref])
  await refused(ann, 'draft', { draft_id, expected_version: 1, content: 'Late.' }, 'version_conflict')
  const renamed = await done(ann, 'draft', { draft_id, expected_version: 2, title: 'Named' })
  assert.deepEqual([renamed.version, renamed.content_hash], [3, sha256Hex('Two.')])
  const appended = await done(ann, 'draft', {
    draft_id,
    expected_version: 3,
    content: ' Three.',
    append: true,
  })
  assert.equal(appended.content_hash, sha256Hex('Two. Three.'))
  const then = await done(cy, 'fetch', { ref, version: 1 })
  assert.deepEqual([then.content, then.title, then.labels, then.next_offset], ['One.', 'Notes', ['a'], null])
  const now = await done(cy, 'fetch', { ref, offset: 5, length: 3 })
  assert.deepEqual([now.content, now.title, now.next_offset, now.version], ['Thr', 'Named', 8, 4])
  const records = stage.records().filter(({ event_type }) => event_type === 'DraftSaved')
  assert.equal(records.filter(({ meta }) => meta.draft_ref === ref).length, 4)
  assert.ok(!JSON.stringify(records).includes('Two'))
})

test('an invalid draft is refused; lints are reported and prevent publishing', async () => {
  const { draft_id: existing } = await done(ann, 'draft', written('Known.'))
  const odd: [Fields, string][] = [
    [{ kind: 'code', title: 'x' }, 'one_of'],
    [{ kind: 'code', content: 'x' }, 'required'],
    [{ title: 'x', content: 'x' }, 'required'],
    [written('x', { template: 'y' }), 'one_of'],
    [written('x', { data: {} }), 'one_of'],
    [written('x', { append: true }), 'one_of'],
    [written('x', { expected_version: 1 }), 'one_of'],
    [written('x', { draft_id: '00000000-0000-7000-8000-000000000000' }), 'required'],
    [written('x', { draft_id: '00000000-0000-7000-8000-000000000000', expected_version: 1 }), 'not_found'],
    [written('x', { draft_id: existing, expected_version: 9 }), 'version_conflict'],
    [written('!', { encoding: 'base64' }), 'encoding'],
    [written('x'.repeat(1024 * 1024 + 1)), 'too_large'],
  ]
  for (const [input, reason] of odd) await refused(ann, 'draft', input, reason)
  const bad: [Fields, RegExp][] = [
    [written('{"a":', { kind: 'dataset' }), /not JSON/],
    [written('{"a":1}\n{', { kind: 'dataset', media_type: 'application/x-ndjson' }), /Line 2/],
    [written('{"type":"wrong"}', { kind: 'schema' }), /JSON Schema/],
    [written('permit (', { kind: 'policy' }), /Cedar/],
    [written('gICA', { kind: 'dataset', encoding: 'base64' }), /no text/],
  ]
  for (const [input, message] of bad) {
    const draft = await done(ann, 'draft', input)
    assert.deepEqual([draft.lint.length, draft.lint[0].rule], [1, 'schema_invalid'])
    assert.match(draft.lint[0].message, message)
    await refused(ann, 'publish', publishing(draft), 'draft does not validate', 'policy_denied')
  }
  const nowhere = `mind://cell/${'0'.repeat(36)}`
  const template = { kind: 'dataset', title: 'x', template: '{"n":"{{n}}","m":"{{m}}"}', data: { n: '"' } }
  const { lint, content_hash } = await done(ann, 'draft', { ...template, inputs: [nowhere] })
  assert.deepEqual(
    lint.map(({ rule }: Fields) => rule),
    ['unresolved_name', 'unresolved_ref'],
  )
  assert.equal(content_hash, sha256Hex('{"n":"\\"","m":""}'))
  await refused(ann, 'draft', { ...template, template: '{{> p}}' }, 'partial')
})

test('scenario 11: a rejected claim is cited only if acknowledged; once valid again, freely', async () => {
  const right = (share: number) => Array.from({ length: 20 }, (_, n) => (n < share ? 1 : 0))
  await giveRecords(stage.run, {
    resolver: { did: newIdentity(test_tenant, 'agent').did, tenant_id: test_tenant },
    topic: 'dams',
    outcomes: Array.from({ length: 20 }, () => true),
    locks_at: '2100-01-01T00:00:00Z',
    sources: [
      { did: ann, probabilities: right(4) },
      { did: bob, probabilities: right(20) },
      { did: cy, probabilities: right(20) },
    ],
  })
  const a = await done(ann, 'attest', claim('The dam holds.'), 'MAVEN')
  const draft = await done(ann, 'draft', written('The dam is safe.', { inputs: [a.claim_ref] }))
  assert.deepEqual(draft.lint, [])
  const b = await done(bob, 'contradict', { claim_ref: a.claim_ref, by: claim('The dam leaks.') }, 'MAVEN')
  assert.equal(b.statuses[a.claim_ref], 'rejected')
  const citing = publishing(draft, { citations: [a.claim_ref] })
  const { details } = await refused(ann, 'publish', citing, 'cited claim rejected', 'policy_denied')
  assert.deepEqual(details.citations, [{ ref: a.claim_ref, state: 'rejected', against: [b.by] }])
  const warned = await done(ann, 'draft', written('The dam is safe, I say.', { inputs: [a.claim_ref] }))
  assert.deepEqual([warned.lint[0].rule, warned.lint[0].ref], ['weak_source', a.claim_ref])
  const knowing = publishing(warned, { citations: [a.claim_ref], acknowledge: [a.claim_ref] })
  const dissented = (await done(ann, 'publish', knowing)).provenance.predicate.buildDefinition
    .externalParameters
  assert.deepEqual(dissented.dissent, [{ ref: a.claim_ref, state: 'rejected', against: [b.by] }])
  const undercut = { claim_ref: b.by, by: claim('It had rained.'), kind: 'undercut' }
  assert.equal((await done(cy, 'contradict', undercut, 'MAVEN')).statuses[a.claim_ref], 'accepted')
  const passed = await done(ann, 'publish', citing)
  assert.equal(passed.provenance.predicate.buildDefinition.externalParameters.dissent, undefined)
})

test('large bytes are sent in pieces and stored once; ranges can be fetched', async () => {
  const before = (await sealedPieces()).length
  const piece = Buffer.alloc(1_500_000, 'pieces of eight ')
  const part = { content: piece.toString('base64'), encoding: 'base64' }
  const first = await done(ann, 'draft', { kind: 'binary', title: 'Large', ...part })
  const { draft_id, ref } = first
  const pieces = async () => (await sealedPieces()).length - before
  assert.deepEqual([first.size, first.media_type, await pieces()], [1_500_000, 'application/octet-stream', 2])
  const whole = await done(ann, 'draft', { draft_id, expected_version: 1, append: true, ...part })
  const bytes = Buffer.concat([piece, piece])
  assert.deepEqual([whole.size, whole.content_hash], [3_000_000, sha256Hex(bytes)])
  await done(bob, 'draft', { kind: 'binary', title: 'Again', ...part })
  const { artifact_ref, manifest } = await done(ann, 'publish', publishing(whole))
  assert.equal(await pieces(), 4)
  const ends = manifest.layers.map(({ size, offset }: Fields) => offset + size)
  assert.deepEqual(ends, [1_048_576, 1_500_000, 2_548_576, 3_000_000])
  const over = await done(cy, 'fetch', { ref: artifact_ref, offset: 1_040_000, length: 600_000 })
  assert.equal(over.content, bytes.subarray(1_040_000, 1_640_000).toString())
  assert.equal(over.next_offset, 1_640_000)
  const last = await done(cy, 'fetch', { ref, offset: 2_999_999, length: 10 })
  assert.deepEqual([last.content.length, last.next_offset], [1, null])
  const odd = { kind: 'binary', title: 'Odd', content: 'gICA', encoding: 'base64' }
  const odd_part = await done(cy, 'fetch', { ref: (await done(ann, 'draft', odd)).ref })
  assert.deepEqual([odd_part.content, odd_part.encoding], ['gICA', 'base64'])
  assert.ok((await sealedPieces()).every((box) => !box.includes('pieces of eight')))
})

test('redacted content cannot be opened, and its dependents are named', async () => {
  const content = `${'x'.repeat(200_000)} secret`
  const draft = await done(ann, 'draft', written(content))
  // References are ordered by time.
  stage.ports.clock.advance(1)
  const copy = await done(bob, 'draft', written(content))
  const copied = await done(bob, 'redact', { target: copy.ref, reason: 'legal' }, 'MAME')
  assert.deepEqual(copied.dependents, [{ ref: draft.ref, kind: 'same_bytes' }])
  const { artifact_ref } = await done(ann, 'publish', publishing(draft))
  const gone = await done(ann, 'redact', { target: artifact_ref, reason: 'legal' }, 'MAME')
  assert.deepEqual(gone.dependents, [
    { ref: draft.ref, kind: 'published_as' },
    { ref: copy.ref, kind: 'same_bytes' },
  ])
  await refused(ann, 'fetch', { ref: artifact_ref }, 'artifact is redacted', 'policy_denied')
  await refused(ann, 'publish', publishing(draft), 'artifact is redacted', 'policy_denied')
  assert.equal((await done(ann, 'fetch', { ref: draft.ref, length: 1 })).size, 200_007)
  await done(ann, 'redact', { target: draft.ref, reason: 'legal' }, 'MAME')
  const state = 'content is redacted; a draft needs current content'
  await refused(ann, 'fetch', { ref: draft.ref }, state, 'policy_denied')
  await refused(ann, 'publish', publishing(draft), state, 'policy_denied')
  const citing = await done(ann, 'draft', written('Rests on it.', { inputs: [draft.ref] }))
  assert.deepEqual([citing.lint.length, citing.lint[0].rule], [1, 'redacted_source'])
  const wrong = publishing(citing, { citations: [draft.ref] })
  await refused(ann, 'publish', wrong, 'cited claim rejected', 'policy_denied')
  const before = (await sealedPieces()).length
  const again = await done(ann, 'draft', written(content))
  assert.equal((await done(ann, 'fetch', { ref: again.ref, offset: 200_001 })).content, 'secret')
  assert.equal((await sealedPieces()).length, before + 1, 'the old piece opens for nobody')
})

test('MAME edits a draft; after any edit only the real bytes count', async () => {
  const { ref, draft_id } = await done(ann, 'draft', written('Draft.'))
  let expected_version = 0
  const edit = (patch: unknown) => {
    const order = { target: ref, expected_version: ++expected_version, reason: 'typo', patch }
    return done(bob, 'edit', order, 'MAME')
  }
  const unreadable = (reason: string) => refused(ann, 'fetch', { ref }, reason, 'policy_denied')
  await edit([{ op: 'replace', path: '/content', value: 'Edited.' }])
  assert.equal((await done(ann, 'fetch', { ref })).content_hash, sha256Hex('Edited.'))
  await edit([
    { op: 'replace', path: '/made_by', value: 'model' },
    { op: 'add', path: '/model', value: 'x' },
  ])
  const forged = publishing({ draft_id, version: expected_version + 1 })
  const { externalParameters } = (await done(ann, 'publish', forged)).provenance.predicate.buildDefinition
  assert.deepEqual([externalParameters.made_by, externalParameters.model], ['caller', undefined])
  await edit([{ op: 'remove', path: '/content' }])
  await unreadable('content is gone; a draft needs content')
  await edit({ anything: 1 })
  await unreadable('draft is malformed')
  const pieces = [{ id: draft_id, size: 1, key: 'AAAA' }]
  const body = { kind: 'binary', title: 'x', media_type: 'text/plain', made_by: 'caller' }
  await edit({ ...body, stored: { digest: sha256Hex('x'), size: 1, pieces } })
  await unreadable('content is gone; a draft needs content')
  await edit({ ...body, stored: { digest: sha256Hex('x'), size: 1, pieces: [] } })
  assert.equal((await done(ann, 'fetch', { ref })).content_hash, sha256Hex(''))
})

test('a policy needs authority, a superseded artifact names its successor, and concurrent publications make one', async () => {
  const content = 'forbid (principal, action, resource) when { context.hour < 6 };'
  const policy = await done(ann, 'draft', { kind: 'policy', title: 'No night work', content })
  assert.deepEqual(policy.lint, [])
  await refused(ann, 'publish', publishing(policy), 'charter quorum required', 'policy_denied')
  const [old, next, rival] = (await Promise.all(
    ['Old.', 'New.', 'Rival.'].map((text) => done(ann, 'draft', written(text))),
  )) as [Fields, Fields, Fields]
  const { artifact_ref: replaced } = await done(ann, 'publish', publishing(old))
  const superseding = (draft: Fields, supersedes = replaced) => publishing(draft, { supersedes })
  const both = await Promise.all([1, 2].map(() => done(ann, 'publish', superseding(next))))
  const [one, other] = both as [Fields, Fields]
  assert.equal(one.inclusion.record_hash, other.inclusion.record_hash)
  const answer = await done(cy, 'fetch', { ref: replaced, length: 0 })
  assert.deepEqual([answer.superseded_by, answer.content], [one.artifact_ref, ''])
  await refused(ann, 'publish', superseding(rival), 'artifact is superseded', 'policy_denied')
  const taken = superseding(rival, one.artifact_ref)
  await refused(bob, 'publish', taken, 'charter quorum required', 'policy_denied')
  assert.equal((await done(cy, 'fetch', { ref: one.artifact_ref })).superseded_by, undefined)
  await refused(ann, 'publish', superseding(rival, `mage://artifact/${'0'.repeat(64)}`), 'not_found')
})

test('a brief is written by a model, or outlined from known facts; research finds publications', async () => {
  const brief = 'What is known of the Lund kiln?'
  say = { value: { content: '# Kiln' } }
  const proposed = await done(ann, 'draft', { kind: 'document', title: 'Kiln', brief })
  assert.deepEqual([proposed.made_by, proposed.content_hash], ['model', sha256Hex('# Kiln')])
  assert.deepEqual([proposed.lint[0].rule, proposed.usage], ['unverified', { tokens_in: 21, tokens_out: 7 }])
  say = { status: 400 }
  await done(
    ann,
    'store_memory',
    { kind: 'semantic', payload: { text: 'The Lund kiln burns wood.' } },
    'MIND',
  )
  const outlined = await done(ann, 'draft', { kind: 'report', title: 'Kiln', brief })
  assert.deepEqual([outlined.made_by, outlined.lint], ['outline', []])
  const { content, inputs } = await done(ann, 'fetch', { ref: outlined.ref })
  assert.match(content, /^# Kiln\n[\s\S]*Lund kiln burns wood\. \[1\]/)
  assert.ok(inputs.some((ref: string) => ref.startsWith('mind://cell/')))
  await refused(ann, 'draft', { kind: 'code', title: 'x', brief }, 'no model', 'policy_denied')

  const text = 'The Visby lighthouse was built in 1887. It is painted white.'
  const { artifact_ref } = await done(ann, 'publish', publishing(await done(ann, 'draft', written(text))))
  const asking = { question: 'When was the Visby lighthouse built?', sources: ['mage'] }
  const [finding] = (await done(bob, 'inquire', asking, 'MARI')).findings
  assert.deepEqual([finding.citations[0].ref, finding.status], [artifact_ref, 'valid'])
  assert.match(finding.statement, /1887/)
  const { locator, version } = finding.citations[0]
  const cited = await done(bob, 'cite', { source_ref: artifact_ref, version, locator }, 'MAVEN')
  assert.deepEqual([cited.excerpt, cited.content_hash], [finding.statement, sha256Hex(text)])
})
