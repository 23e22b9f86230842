import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { didOfKey } from '../identity/did.ts'
import { isKeyOf, isSignedBy, privateKeyOf, publicKeyOf, signingInput, signText } from './signature.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const private_key = privateKeyOf(Buffer.alloc(32, 1))
const public_key = publicKeyOf(private_key)

test('the key of a seed is the one RFC 8032 gives', () => {
  const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')
  const expected = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
  assert.equal(Buffer.from(publicKeyOf(privateKeyOf(seed)), 'base64url').toString('hex'), expected)
  assert.throws(() => privateKeyOf(Buffer.alloc(31)), /32 bytes/)
})

test('the signed text names its purpose, and member order does not change it', () => {
  assert.equal(signingInput('svc-treaty-v1', { b: 1, a: [true] }), 'svc-treaty-v1\n{"a":[true],"b":1}')
  const signature = signText(private_key, signingInput('svc-treaty-v1', { a: 1 }))
  assert.equal(isSignedBy(public_key, signingInput('svc-treaty-v1', { a: 1 }), signature), true)
  assert.equal(isSignedBy(public_key, signingInput('svc-vote-v1', { a: 1 }), signature), false)
})

test('no other text, and no other spelling of the signature, is valid', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.nat(85),
      fc.integer({ min: 1, max: 63 }),
      (text, other, at, by) => {
        const signature = signText(private_key, text)
        assert.equal(isSignedBy(public_key, text, signature), true)
        if (other !== text) assert.equal(isSignedBy(public_key, other, signature), false)
        // The last character has unused bits: changing those alone would leave the bytes the same.
        const changed = alphabet[(alphabet.indexOf(signature[at]!) + by) % 64]!
        assert.equal(
          isSignedBy(public_key, text, signature.slice(0, at) + changed + signature.slice(at + 1)),
          false,
        )
      },
    ),
    { numRuns: 100 },
  )
})

test('an invalid key or signature is not valid, and does not throw', () => {
  const signature = signText(private_key, 'text')
  for (const wrong of [
    '',
    'x',
    signature.slice(1),
    `${signature}A`,
    `${signature}=`,
    ` ${signature}`,
    'A'.repeat(86),
  ])
    assert.equal(isSignedBy(public_key, 'text', wrong), false, wrong)
  for (const wrong of ['', 'x', public_key.slice(1), 'A'.repeat(43)])
    assert.equal(isSignedBy(wrong, 'text', signature), false, wrong)
})

test('a DID has one key, and that key one spelling', () => {
  const did = didOfKey('acme', 'agent', Buffer.from(public_key, 'base64url'))
  assert.equal(isKeyOf(did, public_key), true)
  assert.equal(isKeyOf(did, publicKeyOf(privateKeyOf(Buffer.alloc(32, 2)))), false)
  const last = alphabet.indexOf(public_key.at(-1)!)
  const respelled = public_key.slice(0, -1) + alphabet[last ^ 1]
  assert.deepEqual(Buffer.from(respelled, 'base64url'), Buffer.from(public_key, 'base64url'))
  for (const wrong of [respelled, `${public_key}=`, '', 'did'])
    assert.equal(isKeyOf(did, wrong), false, wrong)
  assert.equal(isKeyOf('did:oas:acme:agent:x', public_key), false)
})
