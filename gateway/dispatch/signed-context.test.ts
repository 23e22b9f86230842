import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { unresolved } from '@svc/contract/identity/identity'
import { privateKeyOf } from '@svc/contract/signing/signature'
import type { Resolution } from '@svc/engine/known'
import fc from 'fast-check'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { credentialOf, test_did, test_tenant } from '../../checks/rehearsal/test-ports.ts'
import type { Holding } from '../oauth/holding.ts'
import { readContext, requireBody, signContext } from './signed-context.ts'

const { did, public_key, private_key } = newIdentity('operator', 'service')
const signer = { did, public_key, private_key: privateKeyOf(Buffer.from(private_key, 'base64url')) }
const audience = newIdentity('operator', 'service').did
const clock = manualClock('2026-11-15T10:00:00.900Z')
const headers = { 'content-type': 'application/json' }
const body = Buffer.from('{"input":"é"}')
const correlation_id = '33333333-3333-4333-8333-333333333333'
const identity = { ...unresolved(test_did), auth_method: 'document' }

function sign(resolution: Resolution = { outcome: 'Resolved', identity }, address?: string): string {
  return signContext(
    { credential: credentialOf(), resolution, correlation_id, address, headers, body },
    audience,
    signer,
    clock,
  )
}

const read = (text: string, now_ms = clock.now_ms()) =>
  readContext(text, headers, new Set([did]), audience, now_ms)

test('signed content is read back: caller, key, time, request and a fresh id', () => {
  const claims = read(sign())
  assert.deepEqual(claims.context, {
    correlation_id,
    tenant_id: test_tenant,
    agent_did: test_did,
    resolved_identity: identity,
    timestamp: '2026-11-15T10:00:00.900Z',
    metadata: {},
  })
  assert.deepEqual(
    [claims.iss, claims.aud, claims.key_id, claims.exp - claims.iat],
    [did, audience, 'abcdefgh', 30],
  )
  assert.notEqual(read(sign()).jti, claims.jti)
  requireBody(claims, body)
  assert.throws(() => requireBody(claims, Buffer.from('{"input":"e"}')), { code: 'unauthenticated' })
})

test('the address of the caller is sent, unless it is none', () => {
  const sent = (address?: string) => read(sign(undefined, address)).address
  assert.deepEqual(['192.0.2.1', 'fe80::1%eth0', '::ffff:10.0.0.1'].map(sent), [
    '192.0.2.1',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
  ])
  assert.deepEqual([undefined, '', 'unknown', 'x'.repeat(1_000)].map(sent), Array(4).fill(undefined))
})

test('a warning is sent with its identity; a failure omits the identity', () => {
  const warnings = ['root unknown']
  assert.deepEqual(read(sign({ outcome: 'Partial', identity, warnings })).warnings, warnings)
  assert.equal(read(sign({ outcome: 'Failed', reason: 'away' })).context.resolved_identity, undefined)
})

test('an identity too large for a header is left out, with its warnings', () => {
  const capabilities = Array.from({ length: 500 }, (_, i) => ({
    name: `svc.try.operation_${i}`,
    caveats: [],
  }))
  const text = sign({ outcome: 'Partial', identity: { ...identity, capabilities }, warnings: ['x'] })
  assert.ok(text.length < 2_000, `${text.length} characters`)
  const claims = read(text)
  assert.deepEqual([claims.context.resolved_identity, claims.warnings], [undefined, []])
})

test('it is valid for thirty seconds, and five more where clocks differ, either way', () => {
  const text = sign()
  const signed_ms = Math.floor(clock.now_ms() / 1000) * 1000
  for (const [offset_s, good] of [
    [-6, false],
    [-5, true],
    [0, true],
    [34, true],
    [35, false],
    [3600, false],
  ] as const) {
    const at = () => read(text, signed_ms + offset_s * 1000)
    if (good) at()
    else assert.throws(at, { code: 'unauthenticated' }, `${offset_s} s`)
  }
})

test('changing any character never yields other content', () => {
  const text = sign()
  const signed = read(text)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'
  fc.assert(
    fc.property(
      fc.nat(text.length - 1),
      fc.constantFrom(...alphabet),
      fc.constantFrom('replace', 'insert', 'drop'),
      (at, char, how) => {
        const rest = text.slice(how === 'insert' ? at : at + 1)
        const other = text.slice(0, at) + (how === 'drop' ? '' : char) + rest
        let claims: unknown
        try {
          claims = read(other)
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'unauthenticated')
          return
        }
        assert.deepEqual(claims, signed)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('for a signed-in person it names the grant or session, for a key only its id', () => {
  const hash = 'a'.repeat(64)
  const call = { credential: credentialOf(), correlation_id, headers, body }
  const resolution = { outcome: 'Failed', reason: 'none' } as const
  const signed = (holding?: Holding) =>
    read(signContext({ ...call, holding, resolution }, audience, signer, clock)).holding
  for (const holding of [
    { kind: 'token', grant_hash: hash, ends_s: 1 },
    { kind: 'session', token_hash: hash },
  ] as const)
    assert.deepEqual(signed(holding), holding)
  assert.equal(signed(), undefined)
  assert.throws(() => signed({ kind: 'key', token_hash: hash } as never), { code: 'unauthenticated' })
  assert.throws(() => signed({ kind: 'session', token_hash: hash, admin: true } as never), {
    code: 'unauthenticated',
  })
})
