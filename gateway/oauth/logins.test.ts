import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '@svc/adapters/clock/manual'
import { Refusal } from '@svc/contract/refusal'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { credentialOf, test_did } from '../../checks/test-ports.ts'
import { openLogins } from './logins.ts'
import type { Accounts, Person, SigningKey } from './ports.ts'
import { openSite } from './site.ts'

const person: Person = {
  user_id: 'u1',
  tenant_id: 'acme',
  did: test_did,
  login: 'ann',
  name: null,
  tier: 'charter',
  disabled: false,
}

async function open(grantor: Accounts['grantor'] = () => person) {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' } as SigningKey
  let loads = 0
  const accounts = {
    grantor,
    secretFor: () => Buffer.alloc(32),
    credentialOf: ({ did }: Person, key_id: string) => ({ ...credentialOf('svc.max.*'), did, key_id }),
    signingKeys: async () => {
      loads++
      return [key]
    },
  } as unknown as Accounts
  const site = openSite()
  site.settle('https://svc.example')
  const issued_s = clock.now_ms() / 1000
  const sign = (claims: object = {}, header: object = {}) =>
    new SignJWT({
      iss: site.issuer,
      aud: site.public_url,
      sub: 'u1',
      jti: 'j1',
      iat: issued_s,
      exp: issued_s + 900,
      gid: 'g1',
      did: test_did,
      tenant_id: 'acme',
      client_id: 'svc-cli',
      scope: 'svc.call',
      ...claims,
    })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1', ...header })
      .sign(privateKey)
  return { clock, logins: openLogins(accounts, site, clock), sign, loads: () => loads }
}

function refusedFor(reason: string) {
  return (thrown: unknown) => thrown instanceof Refusal && thrown.details.reason === reason
}

test('a token that was seen is answered at once, with the same credential while nothing changed', async () => {
  const { logins, sign } = await open()
  const token = await sign()
  const first = await logins.fromToken(token)
  assert.equal(first.credential.key_id, 'token:j1')
  assert.deepEqual([...first.scopes!], ['svc.call'])
  assert.equal(logins.fromToken(token), first)
})

test('each claim is looked at, and each fault said', async () => {
  const { logins, sign } = await open()
  const cases: [object, object, string][] = [
    [{ aud: 'https://other.example' }, {}, 'token audience'],
    [{ aud: 'https://svc.example/' }, {}, 'token audience'],
    [{ iss: 'https://other.example/oauth' }, {}, 'token invalid'],
    [{ exp: 1 }, {}, 'token expired'],
    [{ gid: undefined }, {}, 'token invalid'],
    [{ did: undefined }, {}, 'token invalid'],
    [{}, { typ: 'JWT' }, 'token invalid'],
    [{}, { typ: undefined }, 'token invalid'],
    [{}, { kid: 'k2' }, 'token invalid'],
    [{ sub: 'u2' }, {}, 'token revoked'],
    [{ did: 'did:other' }, {}, 'token revoked'],
    [{ tenant_id: 'rival' }, {}, 'token revoked'],
  ]
  for (const [claims, header, reason] of cases) {
    const token = await sign(claims, header)
    await assert.rejects(
      async () => logins.fromToken(token),
      refusedFor(reason),
      JSON.stringify([claims, header]),
    )
  }
})

test('a seen token ends by the clock, with its grant, and with its person', async () => {
  let now: Person | undefined = person
  const { clock, logins, sign } = await open(() => now)
  const token = await sign()
  await logins.fromToken(token)
  for (const changed of [undefined, { ...person, disabled: true }, { ...person, did: 'did:other' }]) {
    now = changed
    assert.throws(() => logins.fromToken(token), refusedFor('token revoked'))
  }
  now = person
  await logins.fromToken(token)
  clock.advance(900_000)
  assert.throws(() => logins.fromToken(token), refusedFor('token expired'))
})

test('a database that is away is said as that, and guessing key names does not ask it each time', async () => {
  const { logins, sign, loads } = await open(() => Promise.reject(new Error('away')))
  const token = await sign()
  await assert.rejects(async () => logins.fromToken(token), refusedFor('database unavailable'))
  for (let i = 0; i < 20; i++) {
    const guessed = await sign({}, { kid: `k-${i}` })
    await assert.rejects(async () => logins.fromToken(guessed), refusedFor('token invalid'))
  }
  assert.equal(loads(), 1)
})
