import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { didOfKey } from '../identity/did.ts'
import { signJws, verifyJws } from './jws.ts'
import { privateKeyOf, publicKeyOf, type SigningKey, signText } from './signature.ts'

function keyOf(fill: number): SigningKey {
  const private_key = privateKeyOf(Buffer.alloc(32, fill))
  const public_key = publicKeyOf(private_key)
  return { did: didOfKey('acme', 'service', Buffer.from(public_key, 'base64url')), public_key, private_key }
}

const signer = keyOf(1)
const forger = keyOf(2)
const payload = { aud: 'OAS', n: 1 }
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const headerOf = (key: SigningKey, more: object = {}) => ({
  alg: 'EdDSA',
  kid: key.did,
  jwk: { kty: 'OKP', crv: 'Ed25519', x: key.public_key },
  ...more,
})
function made(header: object, body: unknown, key: SigningKey): string {
  const text = `${encode(header)}.${encode(body)}`
  return `${text}.${signText(key.private_key, text)}`
}

test('a payload signed by a DID is read back with its signer', () => {
  assert.deepEqual(verifyJws(signJws(payload, signer)), { did: signer.did, payload })
  assert.deepEqual(verifyJws(made(headerOf(signer), payload, signer)), { did: signer.did, payload })
})

test('nobody can sign for another DID', () => {
  const forgeries = {
    'the signature of another': made(headerOf(signer), payload, forger),
    'the key of another under its name': made({ ...headerOf(forger), kid: signer.did }, payload, forger),
    'its key under the name of another': made({ ...headerOf(signer), kid: forger.did }, payload, signer),
    'no key': made(headerOf(signer, { jwk: undefined }), payload, signer),
    'no name': made(headerOf(signer, { kid: undefined }), payload, signer),
    'no algorithm': made(headerOf(signer, { alg: 'none' }), payload, signer),
    'another algorithm': made(headerOf(signer, { alg: 'ES256' }), payload, signer),
    'something critical': made(headerOf(signer, { crit: ['b64'], b64: false }), payload, signer),
    'a payload that is no object': made(headerOf(signer), 'text', signer),
  }
  for (const [how, text] of Object.entries(forgeries)) assert.equal(verifyJws(text), undefined, how)
})

test('an algorithm that uses the public key as a secret is refused', () => {
  const text = `${encode(headerOf(signer, { alg: 'HS256' }))}.${encode(payload)}`
  const mac = createHmac('sha256', Buffer.from(signer.public_key, 'base64url'))
    .update(text)
    .digest('base64url')
  assert.equal(verifyJws(`${text}.${mac}`), undefined)
})

test('changing any character is detected', () => {
  const text = signJws(payload, signer)
  for (let at = 0; at < text.length; at++) {
    const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
    assert.equal(verifyJws(changed), undefined, `character ${at}`)
  }
})

test('truncated, joined, padded or huge input is refused without throwing', () => {
  const text = signJws(payload, signer)
  const [head, body, signature] = text.split('.')
  for (const wrong of [
    '',
    '.',
    '..',
    `${head}.${body}`,
    `${head}.${body}.`,
    `${text}.`,
    `${text}.${signature}`,
    `${text}=`,
  ])
    assert.equal(verifyJws(wrong), undefined, wrong)
  assert.equal(verifyJws(signJws({ text: 'x'.repeat(64 * 1024) }, signer)), undefined)
})
