import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didOfKey } from '@svc/contract/identity/did'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type ProofKey, proveDocument, verificationMethodOf } from '@svc/contract/signing/data-integrity'
import { privateKeyOf, publicKeyOf, signText } from '@svc/contract/signing/signature'
import fc from 'fast-check'
import { credentialDocument, verifyCredential } from './credential.ts'
import {
  decodeBits,
  encodeBits,
  noBits,
  readBit,
  type StatusPurpose,
  status_bits,
  statusListDocument,
  statusListRef,
  writeBit,
} from './status-list.ts'

const now = '2026-11-15T10:00:00.000Z'
const keyOf = (byte: number): ProofKey => {
  const private_key = privateKeyOf(Buffer.alloc(32, byte))
  return { public_key: publicKeyOf(private_key), sign: (bytes) => signText(private_key, bytes) }
}
const [audit_log, own, stranger] = [keyOf(1), keyOf(2), keyOf(3)]
const issuer = didOfKey('acme', 'agent', Buffer.from(own.public_key, 'base64url'))
const trust = { now, organization_keys: [audit_log.public_key] }
const index = 94_567

async function made(signer = own, controller = issuer, tenant_id = 'acme') {
  const document = credentialDocument({
    credential_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
    issuer,
    now,
    subject: {
      id: `did:oas:acme:agent:${'0'.repeat(64)}`,
      evaluation: `merit://evaluation/${'0'.repeat(64)}`,
      action: { kind: 'help', description: 'Help Kim, who asked for it.' },
      verdict: 'permit',
      conditions: [],
    },
    list: { tenant_id, list_no: 1 },
    index,
  })
  return { ...document, proof: await proveDocument(document, signer, { created: now, controller }) }
}

async function list(
  purpose: StatusPurpose,
  set: readonly number[],
  more: { signer?: ProofKey; ends?: string; of?: string } = {},
) {
  const { signer = audit_log, ends, of = 'acme' } = more
  const bits = noBits()
  for (const place of set) writeBit(bits, place, true)
  const document = statusListDocument({
    tenant_id: of,
    purpose,
    list_no: 1,
    bits,
    ends: ends === undefined ? {} : { [index]: ends },
    issuer: verificationMethodOf(signer.public_key).split('#')[0]!,
    now,
  })
  return { ...document, proof: await proveDocument(document, signer, { created: now }) }
}

const lists = async (revoked: readonly number[] = [], suspended: readonly number[] = []) => [
  await list('revocation', revoked),
  await list('suspension', suspended),
]

test('a credential is valid only with the key of its issuer or of the organization', async () => {
  const none = await lists()
  assert.equal(verifyCredential(await made(), none, trust), 'valid')
  assert.equal(verifyCredential(await made(audit_log), none, trust), 'valid')
  assert.equal(verifyCredential(await made(stranger), none, trust), 'unproven')
  assert.equal(verifyCredential(await made(), none, { ...trust, issuers: [issuer] }), 'valid')
  assert.equal(verifyCredential(await made(), none, { ...trust, issuers: [] }), 'unproven')
  assert.equal(verifyCredential(await made(own, `${issuer.slice(0, -1)}x`), none, trust), 'unproven')
  for (const odd of [null, 1, 'x', [], {}, { proof: 1 }])
    assert.equal(verifyCredential(odd, none, trust), 'unproven')
})

test('status lists decide; a missing or unreadable list does not make a credential valid', async () => {
  const credential = await made()
  const standing = (all: readonly unknown[], at = now) =>
    verifyCredential(credential, all, { ...trust, now: at })
  assert.equal(standing(await lists([index])), 'revoked')
  assert.equal(standing(await lists([index - 1, index + 1], [index ^ 7])), 'valid')
  assert.equal(standing(await lists([], [index])), 'suspended')
  const [none, stored] = [
    await list('revocation', []),
    await list('suspension', [index], { ends: '2026-11-16T00:00:00Z' }),
  ]
  assert.deepEqual(
    [standing([none, stored]), standing([none, stored], '2026-11-16T00:00:00Z')],
    ['suspended', 'valid'],
  )
  const ref = statusListRef({ tenant_id: 'acme', purpose: 'revocation', list_no: 1 })
  assert.equal(standing([]), 'status_unknown')
  const elsewhere = await made(own, issuer, 'rival')
  const theirs = [
    await list('revocation', [], { of: 'rival' }),
    await list('suspension', [], { of: 'rival' }),
  ]
  assert.equal(verifyCredential(elsewhere, theirs, trust), 'status_unknown')
  assert.equal(standing([none]), 'status_unknown')
  const forged = await list('suspension', [], { signer: stranger })
  assert.equal(standing([none, forged]), 'status_unknown')
  assert.equal(
    standing([{ ...(await list('revocation', [index], { signer: stranger })), id: ref }, stored]),
    'status_unknown',
  )
  assert.equal(standing(await lists(), '2026-11-15T09:59:59Z'), 'not_yet_valid')
  assert.equal(standing(await lists(), '2027-11-15T10:00:00Z'), 'expired')
  assert.equal(standing(await lists([index]), '2028-01-01T00:00:00Z'), 'revoked')
  assert.equal(standing(await lists(), 'never'), 'unproven')
})

test('any changed byte of a credential or its lists is detected', async () => {
  const [credential, [revoked, free]] = [await made(), await lists([index])]
  const texts = [credential, revoked, free].map((part) => canonicalJson(part))
  const place = fc.tuple(fc.nat({ max: 2 }), fc.nat(), fc.integer({ min: 1, max: 127 }))
  fc.assert(
    fc.property(place, ([which, at, flip]) => {
      const bytes = texts.map((text) => Buffer.from(text))
      const chosen = bytes[which]!
      chosen[at % chosen.length]! ^= flip
      let parts: unknown[]
      try {
        parts = bytes.map((text) => JSON.parse(text.toString('utf8')))
      } catch {
        return
      }
      const standing = verifyCredential(parts[0], parts.slice(1), trust)
      assert.notEqual(standing, 'valid')
      if (which === 0) assert.equal(standing, 'unproven')
      if (which === 1) assert.equal(standing, 'status_unknown')
    }),
    { numRuns: 150 },
  )
})

test('bits are read back as written, and a list of another size is invalid', () => {
  const places = fc.uniqueArray(fc.nat({ max: status_bits - 1 }), { maxLength: 20 })
  fc.assert(
    fc.property(places, (set) => {
      const bits = noBits()
      for (const place of set) writeBit(bits, place, true)
      const read = decodeBits(encodeBits(bits))!
      for (const place of set)
        assert.ok(readBit(read, place) && (set.includes(place ^ 1) || !readBit(read, place ^ 1)))
      for (const place of set) writeBit(read, place, false)
      assert.ok(read.equals(noBits()))
    }),
    { numRuns: 20 },
  )
  assert.equal(noBits().length, 16_384)
  const first = noBits()
  writeBit(first, 0, true)
  assert.equal(first[0], 0x80)
  for (const odd of ['', 'u', 'uAAAA', `z${encodeBits(noBits()).slice(1)}`, 7])
    assert.equal(decodeBits(odd), undefined)
  assert.equal(decodeBits(encodeBits(Buffer.alloc(16_383))), undefined)
  assert.equal(decodeBits(encodeBits(Buffer.alloc(1_000_000))), undefined)
})
