import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { jwtVerify } from 'jose'
import { startIssuer, type TestIssuer } from '../../checks/neighbours/test-issuer.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { addressGuard, unguarded } from '../outbound/address-guard.ts'
import { issuerKeys } from './issuer-keys.ts'

const clock = manualClock('2026-11-15T10:00:00.000Z')
let issuer: TestIssuer
before(async () => {
  issuer = await startIssuer(() => Math.floor(clock.now_ms() / 1000))
})
after(() => issuer.stop())

test('keys are read once, again after ten minutes, and for a new key no more often than every half minute', async () => {
  const keys = issuerKeys({ guard: unguarded }, clock)
  const check = async (token: string) =>
    (await jwtVerify(token, keys.of(issuer.url), { currentDate: new Date(clock.now_ms()) })).payload.sub
  for (const sub of ['a', 'b']) assert.equal(await check(await issuer.sign({ sub })), sub)
  assert.equal(issuer.keyReads(), 1)
  await issuer.rotate()
  const token = await issuer.sign({ sub: 'c' })
  await assert.rejects(check(token), /no applicable key/)
  assert.equal(issuer.keyReads(), 1, 'too soon after the last time')
  clock.advance(30_000)
  assert.equal(await check(token), 'c')
  assert.equal(issuer.keyReads(), 2)
  clock.advance(600_000)
  assert.equal(await check(await issuer.sign({ sub: 'd' })), 'd')
  assert.equal(issuer.keyReads(), 3)
})

test('an issuer in a network that is not allowed, or that calls itself otherwise, is not believed', async () => {
  const token = await issuer.sign({ sub: 'a' })
  const guarded = issuerKeys({ guard: addressGuard([]) }, clock)
  await assert.rejects(jwtVerify(token, guarded.of(issuer.url)), /address not allowed/)
  const other = `${issuer.url.replace('127.0.0.1', 'localhost')}`
  const keys = issuerKeys({ guard: unguarded }, clock)
  await assert.rejects(jwtVerify(token, keys.of(other)), /does not describe itself/)
})

test('an issuer that stops answering keeps its good keys; a new key is refused', async () => {
  const brief = await startIssuer(() => Math.floor(clock.now_ms() / 1000))
  const keys = issuerKeys({ guard: unguarded }, clock)
  const check = (token: string) =>
    jwtVerify(token, keys.of(brief.url), { currentDate: new Date(clock.now_ms()) })
  const good = await brief.sign({ sub: 'a' })
  await check(good)
  await brief.rotate()
  const unknown = await brief.sign({ sub: 'b' })
  await brief.stop()
  clock.advance(60_000)
  await assert.rejects(check(unknown))
  assert.equal((await check(good)).payload.sub, 'a')
})
