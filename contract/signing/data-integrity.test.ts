import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, sha256Hex } from './canonical-json.ts'
import {
  type DataIntegrityProof,
  keyOfMethod,
  type ProofKey,
  proofBytes,
  proveDocument,
  verificationMethodOf,
  verifyProof,
} from './data-integrity.ts'
import { privateKeyOf, publicKeyOf } from './signature.ts'

function keyOf(seed: Uint8Array): ProofKey {
  const private_key = privateKeyOf(seed)
  return {
    public_key: publicKeyOf(private_key),
    sign: (bytes) => sign(null, bytes, private_key).toString('base64url'),
  }
}

const key = keyOf(Buffer.alloc(32, 7))
const created = '2026-11-17T09:00:00Z'
const controller = `did:oas:acme:agent:${'a'.repeat(64)}`

// The worked example of the recommendation: an alumni credential, its key, both hashes and the signature.
const context = ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/examples/v2']
const credential = {
  '@context': context,
  id: 'urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33',
  type: ['VerifiableCredential', 'AlumniCredential'],
  name: 'Alumni Credential',
  description: 'A minimum viable example of an Alumni Credential.',
  issuer: 'https://vc.example/issuers/5678',
  validFrom: '2023-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:abcdefgh', alumniOf: 'The School of Examples' },
}
const alumni_key = 'z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2'
const published: DataIntegrityProof = {
  type: 'DataIntegrityProof',
  cryptosuite: 'eddsa-jcs-2022',
  created: '2023-02-24T23:36:38Z',
  verificationMethod: `did:key:${alumni_key}#${alumni_key}`,
  proofPurpose: 'assertionMethod',
  '@context': context,
  proofValue: 'z2HnFSSPPBzR36zdDgK8PbEHeXbR56YF24jwMpt3R1eHXQzJDMWS93FCzpvJpwTWd3GAVFuUfjoJdcnTMuVor51aX',
}

describe('the published example', () => {
  it('has the hashes and the signature that the recommendation prints', () => {
    const { proofValue: _, ...options } = published
    assert.equal(
      proofBytes({ ...credential, proof: published }, options).toString('hex'),
      '66ab154f5c2890a140cb8388a22a160454f80575f6eae09e5a097cabe539a1db' +
        '59b7cb6251b8991add1ce0bc83107e3db9dbbab5bd2c28f687db1a03abc92f19',
    )
    const public_key = verifyProof(credential, published)
    assert.equal(public_key && verificationMethodOf(public_key), published.verificationMethod)
  })

  it('stays valid with further contexts, and not with others or fewer', () => {
    const grown = { ...credential, '@context': [...context, 'https://example.com/more'] }
    assert.ok(verifyProof(grown, published))
    for (const other of [[context[1], context[0]], [context[0]], 'https://example.com/more', undefined])
      assert.equal(verifyProof({ ...credential, '@context': other }, published), undefined)
  })
})

describe('a proof', () => {
  it('is self-contained, names its issuer, and counts for its purpose only', async () => {
    const proof = await proveDocument({ said: 'so' }, key, { created, controller })
    assert.equal(proof.controller, controller)
    assert.equal(verifyProof({ said: 'so', proof }, proof), key.public_key)
    assert.equal(verifyProof({ said: 'so' }, proof, 'authentication'), undefined)
    assert.equal(keyOfMethod(proof.verificationMethod), key.public_key)
  })

  it('fails with any character changed, in the document, in the proof, or in its key', async () => {
    const document = { said: 'the pump ran', at: '2026-11-16T00:00:00Z', times: 3, by: { name: 'Ada' } }
    const proof = await proveDocument(document, key, { created, controller })
    const text = JSON.stringify({ document, proof })
    const flips = fc.record({ at: fc.nat(text.length - 1), bit: fc.integer({ min: 0, max: 6 }) })
    fc.assert(
      fc.property(flips, ({ at, bit }) => {
        const flipped = Buffer.from(text)
        flipped[at]! ^= 1 << bit
        const read = parsed(flipped.toString('latin1'))
        if (read === undefined || canonicalJson(read) === canonicalJson({ document, proof })) return
        assert.equal(verifyProof(read.document ?? {}, read.proof), undefined)
      }),
    )
  })

  it('is valid for any signed JSON, keys in any order', async () => {
    const documents = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 })
    await fc.assert(
      fc.asyncProperty(documents, fc.uint8Array({ minLength: 32, maxLength: 32 }), async (drawn, seed) => {
        const { proof: _, ...document } = JSON.parse(JSON.stringify(drawn))
        const other = keyOf(seed)
        const proof = await proveDocument(document, other, { created })
        const turned = Object.fromEntries(Object.entries(document).reverse())
        assert.equal(verifyProof(turned, proof), other.public_key)
        assert.equal(keyOfMethod(proof.verificationMethod), other.public_key)
      }),
      { numRuns: 30 },
    )
  })

  it('is refused with fields that would have to be enforced, in another spelling, or in another form', async () => {
    const document = { said: 'so' }
    const proof = await proveDocument(document, key, { created })
    const other_forms: unknown[] = [
      { ...proof, expires: '2020-01-01T00:00:00Z' },
      { ...proof, proofValue: proof.proofValue.replace('z', 'z1') },
      { ...proof, proofValue: 'z' },
      { ...proof, verificationMethod: proof.verificationMethod.split('#')[0] },
      { ...proof, created: 'yesterday' },
      { ...proof, controller: 5 },
      [proof],
      null,
      'z',
    ]
    for (const form of other_forms) assert.equal(verifyProof(document, form), undefined)
    assert.equal(verifyProof({ said: '\ud800' }, proof), undefined)
    assert.equal(keyOfMethod(`did:key:z${'1'.repeat(99)}#z${'1'.repeat(99)}`), undefined)
  })

  it('hashes its options and its document separately', () => {
    const options = {
      type: 'DataIntegrityProof',
      cryptosuite: 'eddsa-jcs-2022',
      created,
      verificationMethod: verificationMethodOf(key.public_key),
      proofPurpose: 'assertionMethod',
    } as const
    assert.equal(
      proofBytes({ b: 1, a: 2, proof: 3 }, options).toString('hex'),
      sha256Hex(canonicalJson(options)) + sha256Hex('{"a":2,"b":1}'),
    )
  })
})

function parsed(text: string): { document?: Record<string, unknown>; proof?: unknown } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
