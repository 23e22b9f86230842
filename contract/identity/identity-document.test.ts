import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import { privateKeyOf, publicKeyOf, type SigningKey, signText } from '../signing/signature.ts'
import { ResolvedAgentIdentity } from './identity.ts'
import {
  documentFault,
  documentHash,
  type IdentityDocument,
  identityOf,
  levelOf,
  type SignedSection,
  sectionInput,
  signDocument,
  type UnsignedDocument,
} from './identity-document.ts'
import { childDid, type LineageVerdict, verifyLineage } from './lineage.ts'
import { document_bytes_max, readDocument } from './received-document.ts'

const now = '2026-11-15T10:00:00.000Z'

function keyOf(fill: number, entity_kind: string): SigningKey {
  const private_key = privateKeyOf(Buffer.alloc(32, fill))
  const public_key = publicKeyOf(private_key)
  return { did: childDid('acme', entity_kind, public_key), public_key, private_key }
}

const subject = keyOf(1, 'HumanRoot')
const issuer = keyOf(2, 'EntityNameRecord')
const stranger = keyOf(3, 'HumanRoot')

/** Content of a document beyond its named sections. */
const own = (jurisdiction: string) => ({ jurisdiction }) as UnsignedDocument['extended']

function unsigned(more: Partial<UnsignedDocument> = {}): UnsignedDocument {
  return {
    id: subject.did,
    entity_kind: 'HumanRoot',
    name: 'Ada',
    public_key: subject.public_key,
    lineage: [],
    capabilities: [{ name: 'svc.mind.*', caveats: [] }],
    service_endpoints: [],
    revoked: false,
    extended: own('DE'),
    version: 1,
    updated_at: now,
    ...more,
  }
}
const documentOf = (more: Partial<UnsignedDocument> = {}) => signDocument(unsigned(more), subject)

test('a document is accepted whole or not at all: a change of any field is detected', () => {
  const document = documentOf()
  assert.equal(documentFault(document, subject.did), undefined)
  assert.equal(readDocument(document, subject.did), document)
  const changes: Partial<IdentityDocument> = {
    name: 'Eve',
    capabilities: [{ name: 'svc.*.*', caveats: [] }],
    service_endpoints: [{ kind: 'mcp', url: 'https://evil.example', protocols: [] }],
    revoked: true,
    creator_did: stranger.did,
    extended: own('US'),
    version: 2,
    updated_at: '2026-11-15T10:00:01Z',
  }
  for (const [field, value] of Object.entries(changes))
    assert.equal(documentFault({ ...document, [field]: value }, subject.did), 'proof invalid', field)
})

test('a document is valid only for its own identity', () => {
  const fault = (document: IdentityDocument, did = subject.did) => documentFault(document, did)
  assert.equal(fault(documentOf(), stranger.did), 'it is the document of another identity')
  const swapped = signDocument(unsigned({ public_key: stranger.public_key }), stranger)
  assert.equal(fault(swapped), 'public key does not match DID')
  assert.equal(fault(signDocument(unsigned(), stranger)), 'proof invalid')
  assert.equal(fault(documentOf({ entity_kind: 'MultiHumanRoot' })), 'the DID names another kind')
})

test('anything sent in place of a document is rejected without throwing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(readDocument(value, subject.did), 'it is no identity document')
    }),
    { numRuns: 200 },
  )
  for (const value of [undefined, null, [], { ...documentOf(), more: 1 }])
    assert.equal(readDocument(value, subject.did), 'it is no identity document')
  const large = documentOf({ extended: own('x'.repeat(document_bytes_max)) })
  assert.match(String(readDocument(large, subject.did)), /larger than/)
  let deep: unknown = 1
  for (let depth = 0; depth < 10_000; depth++) deep = { deep }
  assert.equal(readDocument({ ...documentOf(), extended: { deep } }, subject.did), 'it has no canonical form')
  const odd = { ...documentOf(), extended: { text: '\ud800' } }
  assert.equal(readDocument(odd, subject.did), 'it has no canonical form')
})

test('the hash of a document follows its content, not its spelling', () => {
  const document = documentOf()
  const reversed = Object.fromEntries(Object.entries(document).toReversed()) as IdentityDocument
  assert.equal(documentHash(reversed), documentHash(document))
  assert.notEqual(documentHash(documentOf({ version: 2 })), documentHash(document))
})

function section(by: SigningKey, more: Partial<SignedSection> = {}, about = subject.did): SignedSection {
  const plain = {
    issuer_did: by.did,
    issuer_public_key: by.public_key,
    body: { audited: true },
    issued_at: '2026-11-01T00:00:00Z',
    ...more,
  }
  return { ...plain, signature: signText(by.private_key, sectionInput(plain, about)) }
}

const holds = verifyLineage(subject.did, [], { now })
const broken: LineageVerdict = { verified: false, depth: 1, chain: [subject.did], broken_at: 0, reason: 'x' }
const trust = { now, isTrustedIssuer: (did: string) => did === issuer.did }
const levelWith = (attestation: SignedSection, reputation: SignedSection, lineage = holds) =>
  levelOf(documentOf({ extended: { attestations: [attestation], reputation: [reputation] } }), lineage, trust)

test('L2 needs an attestation and a reputation, both of issuers who are trusted', () => {
  const good = section(issuer)
  assert.equal(levelWith(good, good), 'L2')
  assert.equal(levelOf(documentOf(), holds, trust), 'L1')
  assert.equal(levelOf(documentOf({ extended: { attestations: [good] } }), holds, trust), 'L1')
  assert.equal(levelOf(documentOf({ extended: { reputation: [good] } }), holds, trust), 'L1')
  assert.equal(levelWith(good, good, broken), 'L0')
})

test('attestations that are forged, stale, of others or by oneself do not count', () => {
  const good = section(issuer)
  const worthless = {
    'of a stranger': section(stranger),
    'of oneself': section(subject),
    expired: section(issuer, { expires_at: now }),
    'of tomorrow': section(issuer, { issued_at: '2026-11-16T00:00:00Z' }),
    'about another': section(issuer, {}, stranger.did),
    changed: { ...good, body: { audited: 'twice' } },
    'under a trusted name': { ...section(stranger), issuer_did: issuer.did },
    'with the key of another': { ...good, issuer_public_key: stranger.public_key },
  }
  for (const [what, praise] of Object.entries(worthless)) {
    assert.equal(levelWith(praise, good), 'L1', what)
    assert.equal(levelWith(good, praise), 'L1', what)
  }
})

test("a document's identity holds what the document says, and no rights where it is revoked", () => {
  const identity = identityOf(documentOf({ creator_did: issuer.did }), holds, trust)
  assert.ok(Check(ResolvedAgentIdentity, identity))
  const { did, name, lineage_verified, conformance_level, human_root_did, creator_did } = identity
  assert.deepEqual(
    [did, name, lineage_verified, conformance_level, human_root_did, creator_did],
    [subject.did, 'Ada', true, 'L1', undefined, issuer.did],
  )
  const revoked = identityOf(documentOf({ revoked: true }), holds, trust)
  assert.deepEqual([revoked.revoked, revoked.capabilities], [true, []])
  assert.equal(identityOf(documentOf(), broken, trust).conformance_level, 'L0')
})
