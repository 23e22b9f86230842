// MAGE over HTTP: an artifact is published with proofs, and other tenants see only what is visible to them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RefusalCode } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { verifyProof } from '@svc/contract/signing/data-integrity'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { openBorders } from '../../scenes/test-treaty.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let service: InProcessService
let ann: Addresses
let bob: Addresses

before(async () => {
  service = await startInProcess({
    treaties: openBorders('svc.mage.*'),
    caller: { tenant_id: 'acme' },
  })
  ann = service
  bob = await service.newCaller({ tenant_id: 'acme' })
})
after(() => service.stop())

const ask = (
  who: Addresses,
  operation: string,
  input: unknown,
  protocol = 'MAGE',
  tenant_id = who.tenant_id,
) => dispatch(who, { protocol, operation, input, tenant_id }) as Promise<Answer>
const done = async (who: Addresses, operation: string, input: unknown, protocol?: string): Promise<Fields> =>
  assertSuccess(await ask(who, operation, input, protocol)).output
const refused = async (
  who: Addresses,
  operation: string,
  input: unknown,
  reason: string,
  code: RefusalCode = 'invalid_payload',
) => assertRefusal(await ask(who, operation, input), { code, stage: 7, reason })

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
test('an artifact is its bytes: verifiable offline, registered, recorded, idempotent and immutable', async () => {
  const note = await done(
    ann,
    'store_memory',
    { kind: 'semantic', payload: { text: 'The pump runs.' } },
    'MIND',
  )
  const draft = await done(ann, 'draft', written('The pump report.', { title: 'Pump', inputs: [note.ref] }))
  await refused(ann, 'publish', publishing(draft, { license: 'Mine' }), 'license')
  await refused(ann, 'publish', publishing({ ...draft, version: 9 }), 'not_found')
  const out = await done(
    ann,
    'publish',
    publishing(draft, { license: 'apache-2.0 or mit', visibility: 'public' }),
  )
  assert.equal(out.artifact_ref, `mage://artifact/${sha256Hex('The pump report.')}`)
  assert.deepEqual([out.manifest.digest, out.manifest.size], [`sha256:${draft.content_hash}`, 16])
  assert.equal(out.license, 'Apache-2.0 OR MIT')
  const { provenance, proof } = out
  assert.ok(verifyProof(provenance, proof))
  assert.equal(verifyProof({ ...provenance, subject: [] }, proof), undefined)
  assert.deepEqual(provenance.subject, [{ name: 'Pump', digest: { sha256: draft.content_hash } }])
  const [material] = provenance.predicate.buildDefinition.resolvedDependencies
  assert.deepEqual([material.uri, material.digest], [note.ref, { saltedSha256: note.content_commitment }])
  const [record] = await service.records('acme', { event_types: ['ArtifactPublished'] })
  assert.deepEqual(
    [record!.record_hash, record!.meta.artifact_ref],
    [out.inclusion.record_hash, out.artifact_ref],
  )
  assert.ok(out.inclusion.tree_size >= record!.seq)
  const again = await done(bob, 'publish', publishing(draft, { license: out.license }))
  // New records arrive all the time, and each grows the tree.
  const { tree_size } = again.inclusion
  assert.ok(tree_size >= out.inclusion.tree_size)
  assert.deepEqual(again, { ...out, inclusion: { ...out.inclusion, tree_size } })
  const { inclusion } = await done(bob, 'fetch', { ref: out.artifact_ref })
  assert.ok(inclusion.tree_size >= tree_size)
  assert.equal(inclusion.record_hash, out.inclusion.record_hash)
  await refused(bob, 'publish', publishing(draft, { license: 'MIT' }), 'already_published')
  await refused(
    bob,
    'publish',
    publishing(draft, { license: 'MIT OR Apache-2.0', visibility: 'tenant' }),
    'already_published',
  )
  const { entries } = await done(ann, 'query_registry', { subject: out.artifact_ref }, 'MARS')
  assert.deepEqual([entries.length, entries[0].kind], [1, 'artifact'])
  const records = await service.records('acme')
  assert.ok(!JSON.stringify(records).includes('pump report'))
})

test('other tenants see only what is visible to them', async () => {
  const other = await service.newCaller({ tenant_id: 'globex' })
  const draft = await done(ann, 'draft', written('For partners.'))
  const { artifact_ref: ref } = await done(ann, 'publish', publishing(draft))
  const there = async (answer: Fields) => await ask(other, 'fetch', answer, 'MAGE', 'acme')
  const not_there = { code: 'invalid_payload', stage: 7, reason: 'not_found' } as const
  for (const input of [{ ref }, { ref: draft.ref }]) assertRefusal(await there(input), not_there)
  await refused(other, 'fetch', { ref }, 'not_found')
  await refused(other, 'fetch', { ref: draft.ref }, 'not_found')
  await refused(other, 'publish', publishing(draft), 'not_found')
  await done(ann, 'publish', publishing(draft, { visibility: 'treaty' }))
  assert.equal(assertSuccess(await there({ ref })).output.content, 'For partners.')
  assertRefusal(await there({ ref: draft.ref }), not_there)
  const inside = async (operation: string, input: Fields) =>
    await ask(other, operation, input, 'MAGE', 'acme')
  const revision = { draft_id: draft.draft_id, expected_version: 1, title: 'Mine' }
  assertRefusal(await inside('draft', revision), not_there)
  const guest: Fields = assertSuccess(
    await inside('draft', written('A guest.', { inputs: [draft.ref, ref] })),
  ).output
  assert.deepEqual(
    guest.lint.map(({ rule, ref: about }: Fields) => [rule, about]),
    [['unresolved_ref', draft.ref]],
  )
  assert.equal(assertSuccess(await there({ ref: guest.ref })).output.content, 'A guest.')
  assertRefusal(await inside('publish', publishing(guest)), {
    code: 'policy_denied',
    stage: 7,
    reason: 'not of this organization',
  })
})
