import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { credentialOf, test_did } from '../../checks/rehearsal/test-ports.ts'
import { openLogins } from './logins.ts'
import type { Accounts, Person, Session, SigningKey } from './ports.ts'
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

async function open(
  grantor: Accounts['grantor'] = () => person,
  session: Accounts['session'] = () => undefined,
) {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' } as SigningKey
  let loads = 0
  const accounts = {
    grantor,
    session,
    credentialOf: ({ did }: Person, key_id: string) => ({ ...credentialOf('svc.max.*'), did, key_id }),
    signingKeys: async () => {
      loads++
      return [key]
    },
  } as unknown as Accounts
  const site = openSite()
  site.settle('https://svc.example', 'https://svc.example/mcp')
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
  const logins = openLogins(accounts, site, clock)
  const mcp = openLogins(accounts, site, clock, 'mcp')
  return { clock, logins, mcp, site, sign, loads: () => loads }
}

function refusedFor(reason: string) {
  return (thrown: unknown) => thrown instanceof Refusal && thrown.details.reason === reason
}

test('a known token is answered at once, with the same credential while nothing changed', async () => {
  const { logins, sign } = await open()
  const token = await sign()
  const first = await logins.fromToken(token)
  assert.equal(first.credential.key_id, 'token:j1')
  assert.deepEqual([...first.scopes!], ['svc.call'])
  assert.equal(logins.fromToken(token), first)
})

test('each claim is checked, and each fault reported', async () => {
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

test('a known token ends by the clock, with its grant, and with its person', async () => {
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

test('an unavailable database is reported as such, and guessing key names does not query it each time', async () => {
  const { logins, sign, loads } = await open(() => Promise.reject(new Error('away')))
  const token = await sign()
  await assert.rejects(async () => logins.fromToken(token), refusedFor('database unavailable'))
  for (let i = 0; i < 20; i++) {
    const guessed = await sign({}, { kid: `k-${i}` })
    await assert.rejects(async () => logins.fromToken(guessed), refusedFor('token invalid'))
  }
  assert.equal(loads(), 1)
})

test('a person a gateway vouches for is looked up here: the same while nothing changed, refused after grant, person or expiry end', async () => {
  let now: Person | undefined = person
  const { clock, logins } = await open(() => now)
  const holding = { kind: 'token', grant_hash: 'a'.repeat(64), ends_s: clock.now_ms() / 1000 + 900 } as const
  const first = await logins.fromGateway('token:j1', holding)
  assert.deepEqual([first.credential.key_id, first.credential.did], ['token:j1', test_did])
  assert.equal(await logins.fromGateway('token:j1', holding), first)
  assert.notEqual(await logins.fromGateway('token:j2', holding), first)
  await assert.rejects(logins.fromGateway('abcdefgh', holding), refusedFor('token revoked'))
  for (const changed of [undefined, { ...person, disabled: true }]) {
    now = changed
    await assert.rejects(logins.fromGateway('token:j1', holding), refusedFor('token revoked'))
  }
  now = { ...person, did: 'did:other' }
  assert.equal((await logins.fromGateway('token:j1', holding)).credential.did, 'did:other')
  clock.advance(900_000)
  await assert.rejects(logins.fromGateway('token:j1', holding), refusedFor('token expired'))
})

test('a session a gateway names must be that one, and valid', async () => {
  const token_hash = 'b'.repeat(64)
  const good = { session_id: 's1', expires_at_ms: Number.MAX_SAFE_INTEGER, revoked: false, user: person }
  let now: Session | undefined = good
  const { clock, logins } = await open(
    () => undefined,
    (hash) => (hash === token_hash ? now : undefined),
  )
  const holding = { kind: 'session', token_hash } as const
  assert.equal((await logins.fromGateway('session:s1', holding)).credential.key_id, 'session:s1')
  const over = refusedFor('session over')
  await assert.rejects(logins.fromGateway('session:s2', holding), over)
  await assert.rejects(logins.fromGateway('session:s1', { ...holding, token_hash: 'c'.repeat(64) }), over)
  for (const change of [
    { revoked: true },
    { expires_at_ms: clock.now_ms() },
    { user: { ...person, disabled: true } },
  ]) {
    now = { ...good, ...change }
    await assert.rejects(logins.fromGateway('session:s1', holding), over, JSON.stringify(change))
  }
})

test('a gateway’s claim is not accepted while the database is away', async () => {
  const { clock, logins } = await open(() => Promise.reject(new Error('away')))
  const holding = { kind: 'token', grant_hash: 'a'.repeat(64), ends_s: clock.now_ms() / 1000 + 900 } as const
  await assert.rejects(logins.fromGateway('token:j1', holding), refusedFor('database unavailable'))
})

test('a token is valid for its own surface only, even once the other has seen it, and both can be revoked', async () => {
  const { logins, mcp, site, sign } = await open()
  const [for_engine, for_mcp] = [await sign(), await sign({ aud: site.mcp_url, jti: 'j2' })]
  for (const [dispatch_endpoint, own, other] of [
    [logins, for_engine, for_mcp],
    [mcp, for_mcp, for_engine],
  ] as const) {
    for (let turn = 0; turn < 2; turn++) {
      assert.equal((await dispatch_endpoint.fromToken(own)).user, person)
      await assert.rejects(async () => dispatch_endpoint.fromToken(other), {
        details: { reason: 'token audience' },
      })
      assert.equal((await dispatch_endpoint.claimsOf(other)).sub, 'u1')
    }
  }
  for (const aud of ['https://svc.example/sse', 'https://elsewhere.example/mcp', '', 'nobody'])
    await assert.rejects(mcp.claimsOf(await sign({ aud })), { details: { reason: 'token audience' } })
})

test('without an MCP surface no token is for it', async () => {
  const { mcp, site, sign } = await open()
  const token = await sign({ aud: 'https://svc.example/mcp' })
  site.settle('https://svc.example')
  await assert.rejects(async () => mcp.fromToken(token), { details: { reason: 'token audience' } })
})
