import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256Hex } from '../signing/canonical-json.ts'
import { signJws } from '../signing/jws.ts'
import { privateKeyOf, publicKeyOf } from '../signing/signature.ts'
import { didOfKey } from './did.ts'
import {
  authorizeRequest,
  did_auth_scheme,
  faultOfSignature,
  goodUntilMs,
  isSignedFor,
  openSignature,
  readAuthorization,
} from './did-auth.ts'

const private_key = privateKeyOf(Buffer.alloc(32, 1))
const public_key = publicKeyOf(private_key)
const did = didOfKey('operator', 'service', Buffer.from(public_key, 'base64url'))
const signer = { did, public_key, private_key }
const now_ms = Date.parse('2026-11-15T10:00:00.000Z')
const request = { audience: 'OAS', body: '{"operation":"resolve"}', now_ms }
const authorization = authorizeRequest(signer, request, 'one')

test('an engine is identified by its signature over this exact request', () => {
  assert.deepEqual(readAuthorization(authorization, request), {
    did,
    id: 'one',
    expires_at_ms: now_ms + 35_000,
  })
  assert.ok(
    typeof readAuthorization(authorization, { ...request, body: Buffer.from(request.body) }) === 'object',
  )
})

test('a signature is valid only for its service, its bytes and its half minute', () => {
  const readAt = (ms: number) => readAuthorization(authorization, { ...request, now_ms: now_ms + ms })
  assert.equal(
    readAuthorization(authorization, { ...request, audience: 'Aegis' }),
    'signed for another service',
  )
  assert.equal(readAuthorization(authorization, { ...request, body: '{}' }), 'signed for another request')
  assert.equal(typeof readAt(35_000), 'object')
  assert.equal(readAt(35_001), 'signature out of time')
  assert.equal(typeof readAt(-5_000), 'object')
  assert.equal(readAt(-5_001), 'signature out of time')
})

test('a signature with a lifetime above half a minute is refused', () => {
  const iat = now_ms / 1000
  const whole = { aud: 'OAS', iat, exp: iat + 30, jti: 'two', body: sha256Hex(request.body) }
  const read = (payload: object) => readAuthorization(did_auth_scheme + signJws(payload, signer), request)
  assert.equal(typeof read(whole), 'object')
  assert.equal(read({ ...whole, exp: iat + 31 }), 'signature out of time')
  assert.equal(read({ ...whole, exp: iat - 6 }), 'signature out of time')
  for (const field of ['iat', 'exp', 'jti']) {
    assert.equal(read({ ...whole, [field]: undefined }), 'signature incomplete', field)
    assert.equal(read({ ...whole, [field]: [1] }), 'signature incomplete', field)
  }
  assert.equal(read({ ...whole, jti: 'x'.repeat(129) }), 'signature incomplete')
  assert.equal(typeof read({ ...whole, jti: 'x'.repeat(128) }), 'object')
  assert.equal(read({ ...whole, body: undefined }), 'signed for another request')
})

test('the signer is known before the body, even where the signature is not valid here', () => {
  const signed = openSignature(authorization)
  assert.ok(typeof signed === 'object')
  assert.deepEqual([signed.did, signed.id, goodUntilMs(signed)], [did, 'one', now_ms + 35_000])
  assert.equal(faultOfSignature(signed, { audience: 'OAS', now_ms }), undefined)
  assert.equal(faultOfSignature(signed, { audience: 'Aegis', now_ms }), 'signed for another service')
  assert.equal(
    faultOfSignature(signed, { audience: 'OAS', now_ms: now_ms + 60_000 }),
    'signature out of time',
  )
  assert.deepEqual([isSignedFor(signed, request.body), isSignedFor(signed, '{}')], [true, false])
})

test('an invalid did-auth header is reported as such', () => {
  for (const header of [undefined, '', 'Bearer x', authorization.slice(4), authorization.toLowerCase()])
    assert.equal(readAuthorization(header, request), 'no did-auth signature', String(header))
  for (const header of ['DID ', 'DID x', `${authorization}x`, authorization.replace('.', '..')])
    assert.equal(readAuthorization(header, request), 'signature invalid', header)
})
