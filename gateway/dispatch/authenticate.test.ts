import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatApiKey, hashSecret } from '@svc/contract/identity/api-key'
import { Refusal } from '@svc/contract/refusal'
import type { KeyRecord } from '@svc/engine/ports'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { credentialOf, test_did } from '../../checks/rehearsal/test-ports.ts'
import type { Logins, SignedIn } from '../oauth/logins.ts'
import { authenticate } from './authenticate.ts'
import type { Presented } from './presented.ts'

const clock = manualClock('2026-11-15T10:00:00.000Z')
const secret = 's'.repeat(43)
const api_key = formatApiKey('live', 'abcdefgh', secret)
const key_record: KeyRecord = {
  ...credentialOf('svc.max.*'),
  secret_hash: hashSecret(secret),
  expires_at_ms: null,
  revoked: false,
}

function presented(headers: object): Presented {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  return { headers: sent, method: 'POST', path: '/v1/dispatch' }
}

/** Authenticates as the dispatch endpoint does, with a key ring that answers at once or later. */
async function ask(
  more: Partial<KeyRecord>,
  authorization: string | undefined,
  did: string | undefined,
  waits: boolean,
) {
  const record = { ...key_record, ...more }
  const find = (key_id: string) => (key_id === record.key_id ? record : undefined)
  const keys = { used: () => {}, find: waits ? async (id: string) => find(id) : find }
  return authenticate(presented({ authorization, 'x-agent-did': did }), { keys, clock })
}

async function reasonOf(
  more: Partial<KeyRecord>,
  authorization: string | undefined,
  did: string | undefined,
) {
  const refusals: string[] = []
  for (const waits of [false, true]) {
    await assert.rejects(ask(more, authorization, did, waits), (thrown) => {
      assert.ok(thrown instanceof Refusal)
      assert.equal(thrown.code, 'unauthenticated')
      assert.equal(thrown.row.event, 'SecurityViolation')
      refusals.push(`${thrown.details.reason}: ${thrown.message}`)
      return true
    })
  }
  assert.equal(refusals[0], refusals[1])
  return refusals[0]!
}

test('a valid key with its own DID is admitted as its binding', async () => {
  for (const waits of [false, true]) {
    const credential = await ask({}, `Bearer ${api_key}`, test_did, waits)
    assert.deepEqual([credential.did, credential.tenant_id, credential.tier], [test_did, 'acme', 'charter'])
    assert.equal((await ask({}, `bearer ${api_key}`, test_did, waits)).key_id, 'abcdefgh')
  }
})

test('a cached key is answered without waiting', () => {
  const keys = { used: () => {}, find: () => key_record }
  const headers = { authorization: `Bearer ${api_key}`, 'x-agent-did': test_did }
  const credential = authenticate(presented(headers), { keys, clock })
  assert.ok(!(credential instanceof Promise))
})

test('a missing and a malformed credential have different reasons', async () => {
  assert.match(await reasonOf({}, undefined, test_did), /^no credential:/)
  const malformed = [
    '',
    'Bearer',
    'Bearer ',
    `Basic ${api_key}`,
    api_key,
    `Bearer  ${api_key}`,
    `Bearer ${api_key} `,
    `Bearer ${api_key},${api_key}`,
    `Bearer ${api_key}x`,
    `Bearer ${api_key.slice(0, -1)}`,
    `Bearer ${api_key.toUpperCase()}`,
    `Bearer svc_prod_abcdefgh_${secret}`,
    `Bearer ${'x'.repeat(600)}`,
  ]
  for (const authorization of malformed) {
    assert.match(await reasonOf({}, authorization, test_did), /^malformed credential:/, authorization)
  }
})

test('an unknown id and a wrong secret give the same refusal, whatever else is wrong', async () => {
  const wrong_secret = `Bearer ${formatApiKey('live', 'abcdefgh', 't'.repeat(43))}`
  const unknown_id = `Bearer ${formatApiKey('live', 'zzzzzzzz', secret)}`
  const answer = await reasonOf({}, unknown_id, test_did)
  assert.match(answer, /^unknown key:/)
  for (const did of [test_did, undefined, 'did:other']) {
    assert.equal(await reasonOf({}, wrong_secret, did), answer)
    assert.equal(await reasonOf({ revoked: true }, wrong_secret, did), answer)
    assert.equal(await reasonOf({ expires_at_ms: 0 }, wrong_secret, did), answer)
    assert.equal(await reasonOf({}, unknown_id, did), answer)
  }
})

test('a revoked and an expired key say so to the holder of the secret', async () => {
  assert.match(await reasonOf({ revoked: true }, `Bearer ${api_key}`, test_did), /^key revoked:/)
  const now_ms = clock.now_ms()
  assert.match(await reasonOf({ expires_at_ms: now_ms }, `Bearer ${api_key}`, test_did), /^key expired:/)
  assert.equal((await ask({ expires_at_ms: now_ms + 1 }, `Bearer ${api_key}`, test_did, false)).did, test_did)
})

test("the header's DID must be the key's own", async () => {
  assert.match(await reasonOf({}, `Bearer ${api_key}`, undefined), /^no agent did:/)
  const other = `did:oas:acme:agent:${'b'.repeat(64)}`
  for (const claim of [other, '', test_did.toUpperCase(), ` ${test_did}`, `${test_did}, ${test_did}`]) {
    assert.match(await reasonOf({}, `Bearer ${api_key}`, claim), /^agent did mismatch:/, claim)
  }
})

test('a refusal never quotes the credential', async () => {
  for (const [more, did] of [
    [{ revoked: true }, test_did],
    [{}, 'did:other'],
  ] as const) {
    assert.ok(!(await reasonOf(more, `Bearer ${api_key}`, did)).includes(secret))
  }
})

const person = {
  user_id: 'u',
  tenant_id: 'acme',
  did: test_did,
  login: 'ann',
  name: null,
  tier: 'charter',
  disabled: false,
} as const
const signed_in: SignedIn = {
  credential: credentialOf('svc.max.*'),
  user: person,
  scopes: new Set(['svc.call']),
  holding: { kind: 'token', grant_hash: 'a'.repeat(64), ends_s: 0 },
}
const logins: Logins = {
  challenge: '',
  fromToken: (token) => {
    if (token === 'eyJgood') return signed_in
    if (token === 'eyJslow') return Promise.resolve(signed_in)
    return { ...signed_in, scopes: new Set(['svc.keys']) }
  },
  fromCookie: async (cookie) =>
    cookie === 'svc_session=good' ? { ...signed_in, scopes: undefined, csrf_token: 'csrf' } : undefined,
  fromGateway: () => Promise.reject(new Error('not asked for')),
  claimsOf: () => Promise.reject(new Error('not asked for')),
  signOut: async () => {},
}
const no_keys = { used: () => {}, find: () => undefined }

async function askPerson(authorization: string | undefined, browser = {}, did?: string, changes = true) {
  const headers = { authorization, 'x-agent-did': did, ...browser }
  return authenticate(presented(headers), { keys: no_keys, clock, logins }, changes)
}

function refusedWith(reason: string) {
  return (thrown: unknown) => thrown instanceof Refusal && thrown.details.reason === reason
}

test('an access token names its DID itself, and is limited to its scope', async () => {
  for (const token of ['eyJgood', 'eyJslow']) {
    assert.equal((await askPerson(`Bearer ${token}`)).did, test_did)
    assert.equal((await askPerson(`Bearer ${token}`, {}, test_did)).did, test_did)
    await assert.rejects(askPerson(`Bearer ${token}`, {}, 'did:other'), refusedWith('agent did mismatch'))
  }
  await assert.rejects(askPerson('Bearer eyJother'), refusedWith('token scope'))
  await assert.rejects(askPerson('Bearer opaque'), refusedWith('malformed credential'))
})

test('a cookie counts only without an Authorization header, and changes nothing without its token', async () => {
  const cookie = 'svc_session=good'
  assert.equal((await askPerson(undefined, { cookie }, undefined, false)).did, test_did)
  assert.equal((await askPerson(undefined, { cookie, 'x-svc-csrf': 'csrf' })).did, test_did)
  for (const csrf of [undefined, '', 'csrg', 'csrf ', ['csrf', 'csrf']])
    await assert.rejects(askPerson(undefined, { cookie, 'x-svc-csrf': csrf }), refusedWith('csrf token'))
  await assert.rejects(askPerson(undefined, { cookie: 'svc_session=bad' }), refusedWith('no credential'))
  await assert.rejects(
    askPerson('Bearer x', { cookie, 'x-svc-csrf': 'csrf' }),
    refusedWith('malformed credential'),
  )
})

test('where nobody can sign in, tokens and cookies are refused', () => {
  const authenticating = (authorization: string | undefined) => () =>
    authenticate(presented({ authorization, 'x-agent-did': test_did, cookie: 'svc_session=good' }), {
      keys: no_keys,
      clock,
    })
  assert.throws(authenticating('Bearer eyJgood'), refusedWith('malformed credential'))
  assert.throws(authenticating(undefined), refusedWith('no credential'))
})
