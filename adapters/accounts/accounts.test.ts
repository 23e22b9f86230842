import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import { Refusal } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { ensureTenant, newIdentity } from '../access/tenants.ts'
import { system_clock } from '../clock/system.ts'
import type { PostgresStore } from '../store/postgres.ts'
import { openAccounts } from './accounts.ts'
import { type AttemptRule, forgiveAttempts, sweepAttempts, takeAttempt } from './attempts.ts'
import { oauthPayloads, sweepPayloads } from './oauth-payloads.ts'
import { hashPassword, passwordFits } from './password.ts'
import { findSession, startSession, sweepSessions } from './sessions.ts'
import { loadPublicKeys, loadSigningKeys } from './signing-keys.ts'
import { createUser, disableUser, findLogin, findUser, listUsers, setPassword } from './users.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
const password = 'correct horse battery staple'
const root_keys = testRootKeys(randomBytes(32))
const did = newIdentity('acme', 'person').did

let database: Awaited<ReturnType<typeof testDatabase>>
let store: PostgresStore

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  await ensureTenant(store.engine, 'acme', 'Acme', 'charter')
})
after(async () => {
  await store?.close()
  await database?.close()
})

const refusedFor = (reason: string) => (thrown: unknown) =>
  thrown instanceof Refusal && thrown.details.reason === reason

test('a person is found by login in any letter case, and created only once', async () => {
  const { user_id } = await createUser(store.engine, system_clock, {
    tenant_id: 'acme',
    login: ' Ann@Example.ORG ',
    name: 'Ann',
    password,
    did,
  })
  assert.equal((await findLogin(store.engine, 'ANN@example.org'))?.user_id, user_id)
  assert.deepEqual(await findUser(store.engine, user_id), {
    user_id,
    tenant_id: 'acme',
    did,
    login: 'ann@example.org',
    name: 'Ann',
    tier: 'charter',
    disabled: false,
  })
  const twin = { tenant_id: 'acme', login: 'aNN@example.org', password, did }
  await assert.rejects(createUser(store.engine, system_clock, twin), refusedFor('login taken'))
  const both = ['x1', 'x1'].map((login) =>
    createUser(store.engine, system_clock, { ...twin, login }).catch(() => undefined),
  )
  assert.equal((await Promise.all(both)).filter(Boolean).length, 1)
})

test('invalid people are refused with a sentence', async () => {
  const good = { tenant_id: 'acme', login: 'someone', password, did }
  const cases: [Partial<typeof good> & { name?: string }, string][] = [
    [{ login: '' }, 'login form'],
    [{ login: 'two words' }, 'login form'],
    [{ login: 'a'.repeat(129) }, 'login form'],
    [{ login: 'a\u0000b' }, 'login form'],
    [{ password: 'short' }, 'password length'],
    [{ password: 'x'.repeat(1025) }, 'password length'],
    [{ did: newIdentity('rival', 'person').did }, 'did of another tenant'],
    [{ did: 'did:web:example.org' }, 'did of another tenant'],
    [{ name: '' }, 'name length'],
    [{ tenant_id: 'nowhere', did: newIdentity('nowhere', 'person').did }, 'no such tenant'],
  ]
  for (const [change, reason] of cases)
    await assert.rejects(
      createUser(store.engine, system_clock, { ...good, ...change }),
      refusedFor(reason),
      reason,
    )
})

test('a password fits only itself, in any Unicode form, and an unknown login takes as long as a known one', async () => {
  const hashed_password = await hashPassword('pässwört of mine'.normalize('NFC'))
  assert.ok(hashed_password.cost.n >= 2 ** 15)
  assert.notDeepEqual((await hashPassword(password)).hash, (await hashPassword(password)).hash)
  assert.ok(await passwordFits('pässwört of mine'.normalize('NFD'), hashed_password))
  for (const wrong of ['', 'pässwört of min', 'x'.repeat(5000)])
    assert.ok(!(await passwordFits(wrong, hashed_password)), wrong)
  // Measured in CPU time, not in elapsed time, which depends on the machine's load.
  const effort = async (work: () => Promise<unknown>) => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const [nobody, somebody] = [[], []] as [number[], number[]]
  for (let i = 0; i < 2; i++) {
    nobody.push(await effort(() => passwordFits(password, undefined)))
    somebody.push(await effort(() => passwordFits(password, hashed_password)))
  }
  assert.ok(Math.min(...nobody) > Math.min(...somebody) / 2, `${nobody} against ${somebody}`)
})

test('hashing too many passwords at once is refused', async () => {
  // A cheap hash waits its turn like any other.
  const hashed_password = await hashPassword(password, { n: 2 ** 10, r: 8, p: 1 })
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, () => passwordFits(password, hashed_password)),
  )
  const refused = results.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 60 - 32)
  assert.equal(await passwordFits(password, hashed_password), true, 'later ones are served')
})

test('a new password or a disabled account ends sessions, grants and keys in one step', async () => {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const accounts = openAccounts(store.engine, root_keys, clock, log, async () => did)
  const { user_id } = await createUser(store.engine, system_clock, {
    tenant_id: 'acme',
    login: 'ending',
    password,
    did,
  })
  const user = (await findUser(store.engine, user_id))!
  const give = async () => {
    const { token } = await startSession(store.engine, user, clock)
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(token))).toString('hex')
    await accounts.payloads.upsert('Grant', 'g1', { accountId: user_id }, 3600)
    const key = await accounts.issueKey({ tenant_id: 'acme', did, mode: 'test' }, user_id)
    return { hash, key_id: key.key_id }
  }
  const stands = async ({ hash, key_id }: Awaited<ReturnType<typeof give>>) => {
    const { keys } = await accounts.listKeys('acme', did, 50, undefined)
    return [
      (await findSession(store.engine, hash))?.revoked === false,
      (await accounts.payloads.find('Grant', 'g1')) !== undefined,
      keys.find((key) => key.key_id === key_id)?.revoked_at === null,
    ]
  }
  const first = await give()
  assert.deepEqual(await stands(first), [true, true, true])
  assert.equal(await setPassword(store.engine, user_id, 'another horse battery'), true)
  assert.deepEqual(await stands(first), [false, false, true])
  const second = await give()
  assert.equal(await disableUser(store.engine, user_id), true)
  assert.equal(await disableUser(store.engine, user_id), false)
  assert.deepEqual(await stands(second), [false, false, false])
  assert.equal((await accounts.signIn('ending', 'another horse battery', '192.0.2.1')).outcome, 'wrong')
  assert.equal(await setPassword(store.engine, 'nobody', password), false)
  accounts.close()
})

test('people are listed page by page', async () => {
  await ensureTenant(store.engine, 'many', 'Many', 'sandbox')
  const { did: other } = newIdentity('many', 'person')
  for (const login of ['c', 'a', 'b'])
    await createUser(store.engine, system_clock, { tenant_id: 'many', login, did: other })
  const first = await listUsers(store.engine, 'many', '', 2)
  const rest = await listUsers(store.engine, 'many', first.at(-1)!.login, 2)
  assert.deepEqual(
    [...first, ...rest].map(({ login }) => login),
    ['a', 'b', 'c'],
  )
  assert.equal(first[0]!.has_password, false)
})

const rule: AttemptRule = { free: 3, wait_ms: 1000, wait_ms_max: 4000 }

test('attempts beyond the free ones wait, twice as long each time up to a limit, and are forgotten in the end', async () => {
  let now = 1_800_000_000_000
  const take = () => takeAttempt(store.engine, 's', rule, now)
  for (let i = 0; i < 4; i++) assert.equal(await take(), 0)
  const waits: number[] = []
  for (let i = 0; i < 4; i++) {
    const wait = await take()
    waits.push(wait)
    assert.equal(await take(), wait, 'asking does not count')
    now += wait
    assert.equal(await take(), 0)
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 4000])
  now += 3_700_000
  for (let i = 0; i < 4; i++) assert.equal(await take(), 0)
  await forgiveAttempts(store.engine, 's', 'other')
  assert.equal(await take(), 0)
  await sweepAttempts(store.engine, now + 3_700_000)
  const left = await sql`SELECT FROM sign_in_attempts WHERE subject = 's'`.execute(store.engine)
  assert.equal(left.rows.length, 0)
})

test('what the OAuth server stores is sealed, consumed once, ended with its grant and swept', async () => {
  const payloads = oauthPayloads(store.engine, root_keys)
  await payloads.upsert(
    'RefreshToken',
    'secret-token',
    { grantId: 'g', accountId: 'u', jti: 'secret-token' },
    60,
  )
  await payloads.upsert('Grant', 'g', { accountId: 'u' }, 60)
  await payloads.upsert('Session', 'secret-cookie', { uid: 'uid', jti: 'secret-cookie' }, 60)
  assert.equal((await payloads.find('RefreshToken', 'secret-token'))?.grantId, 'g')
  assert.equal(await payloads.find('AuthorizationCode', 'secret-token'), undefined)
  assert.equal((await payloads.findByUid('Session', 'uid'))?.jti, 'secret-cookie')
  const rows = await sql<{
    line: string
  }>`SELECT to_jsonb(p)::text AS line FROM oauth_payloads p`.all(store.engine)
  assert.ok(rows.every(({ line }) => !line.includes(Buffer.from('secret-').toString('hex'))))
  const used = await Promise.all(
    Array.from({ length: 8 }, () => payloads.consume('RefreshToken', 'secret-token')),
  )
  assert.equal(used.filter(Boolean).length, 1)
  assert.equal(typeof (await payloads.find('RefreshToken', 'secret-token'))?.consumed, 'number')
  await payloads.revokeGrant(payloads.grantHash('g'))
  assert.equal(await payloads.find('RefreshToken', 'secret-token'), undefined)
  assert.equal(await payloads.find('Grant', 'g'), undefined)
  await payloads.upsert('Interaction', 'old', {}, -7200)
  await payloads.upsert('Interaction', 'late', {}, -60)
  await sweepPayloads(store.engine)
  assert.equal(await payloads.find('Interaction', 'old'), undefined)
  assert.ok(await payloads.find('Interaction', 'late'))
  await assert.rejects(
    oauthPayloads(store.engine, testRootKeys(randomBytes(32))).find('Interaction', 'late'),
    /does not open/,
  )
})

test('ending a grant or all access of a person takes effect here before any change notification', async () => {
  const accounts = openAccounts(
    store.engine,
    root_keys,
    manualClock('2026-11-15T10:00:00.000Z'),
    log,
    async () => did,
  )
  try {
    const { payloads } = accounts
    const { user_id } = await createUser(store.engine, system_clock, {
      tenant_id: 'acme',
      login: 'at-once',
      password,
      did,
    })
    for (const end of [
      (id: string) => payloads.revokeGrant(payloads.grantHash(id)),
      (id: string) => payloads.destroy('Grant', id),
      () => accounts.endEverything(user_id),
    ]) {
      const id = randomBytes(8).toString('hex')
      await payloads.upsert('Grant', id, { accountId: user_id }, 60)
      assert.equal((await accounts.grantor(payloads.grantHash(id)))?.user_id, user_id)
      await end(id)
      assert.equal(await accounts.grantor(payloads.grantHash(id)), undefined)
    }
  } finally {
    accounts.close()
  }
})

test('replicas that start together share one signing key, and an old one is replaced', async () => {
  assert.deepEqual(await loadPublicKeys(store.engine), [], 'a process that only verifies makes no key')
  const loaded = await Promise.all(Array.from({ length: 5 }, () => loadSigningKeys(store.engine, root_keys)))
  const [first] = loaded[0]!
  assert.ok(
    loaded.every((keys) => keys.length === 1 && keys[0]!.kid === first!.kid && keys[0]!.d === first!.d),
  )
  const owner = await import('pg').then(({ Client }) => new Client({ connectionString: database.url }))
  await owner.connect()
  const age = (days: number) =>
    owner.query(`UPDATE oauth_signing_keys SET created_at = now() - $1 * interval '1 day' WHERE kid = $2`, [
      days,
      first!.kid,
    ])
  await age(90.5)
  const renewed = await loadSigningKeys(store.engine, root_keys)
  assert.deepEqual([renewed.length, renewed[1]?.kid], [2, first!.kid])
  const halves = renewed.map(({ d: _, ...half }) => half)
  assert.deepEqual(await loadPublicKeys(store.engine), halves)
  await age(92)
  assert.equal((await loadSigningKeys(store.engine, root_keys)).length, 1)
  await owner.end()
  await assert.rejects(loadSigningKeys(store.engine, testRootKeys(randomBytes(32))), /does not open/)
})

test('ended sessions are swept a day later', async () => {
  const user = (await findUser(store.engine, (await findLogin(store.engine, 'ann@example.org'))!.user_id))!
  await startSession(store.engine, user, manualClock('2020-01-01T00:00:00.000Z'))
  await sweepSessions(store.engine)
  const rows = await sql`SELECT FROM sessions WHERE expires_at < '2021-01-01'`.all(store.engine)
  assert.equal(rows.length, 0)
})
