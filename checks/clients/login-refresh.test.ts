// "Tokens refresh automatically. logout revokes the tokens and the API key and deletes the config."
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { freePorts } from '../engines/running-engine.ts'
import { type FormBrowser, formBrowser } from '../neighbours/form-browser.ts'
import { addPerson, begin, consent, redeem, type Someone } from '../scenes/login-journey.ts'
import { eventually } from '../suite/eventually.ts'
import { assertDone, fileOf, homes, kept, type Stored, svc } from './login-scene.ts'
import { clientEnv } from './test-terminal.ts'

const sixteen_minutes_ms = 16 * 60_000
const home = homes()
let ahead_ms = 0
const clock = { ...system_clock, now_ms: () => system_clock.now_ms() + ahead_ms }

let engine: InProcessService
let ann: Someone
let away: string
/** Stays signed in, so that only consent is needed again. */
let browser: FormBrowser

before(async () => {
  engine = await startInProcess({ clock })
  ann = await addPerson(engine, 'ann@example.org')
  browser = formBrowser(engine.api_url)
  away = `http://127.0.0.1:${await freePorts()}`
})
after(async () => {
  home.clear()
  await engine?.stop()
})

/** A home directory after `svc login`; fields may be replaced or left out. */
async function signedIn(change: Partial<Record<keyof Stored, string | undefined>> = {}) {
  const begun = await begin(engine, {}, 'svc-cli', browser)
  const tokens = await redeem(begun, await consent(begun, ann.login))
  const headers = { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' }
  const made = await fetch(`${engine.api_url}/v1/keys`, { method: 'POST', headers, body: '{}' })
  const { api_key } = (await made.json()) as { api_key: string }
  const { access_token, refresh_token } = tokens
  const whole = {
    auth_url: `${engine.api_url}/oauth`,
    api_url: engine.api_url,
    agent_did: ann.did,
    access_token,
    refresh_token,
    api_key,
    tenant_id: ann.tenant_id,
    ...change,
  }
  const at = home.make()
  mkdirSync(join(at, '.svc'))
  writeFileSync(fileOf(at), JSON.stringify(whole), { mode: 0o600 })
  return { at, whole: whole as Stored }
}

/** Counts token requests. The server there uses the real clock, so ours follows it for its tokens. */
function counting() {
  let refreshes = 0
  const counted: typeof fetch = (input, init) => {
    if (String(input).endsWith('/oauth/token')) {
      refreshes++
      ahead_ms = 0
    }
    return fetch(input, init)
  }
  return { fetch: counted, refreshes: () => refreshes }
}

async function statusOf(credential: string): Promise<number> {
  const headers = { authorization: `Bearer ${credential}`, 'x-agent-did': ann.did }
  return (await fetch(`${engine.api_url}/v1/whoami`, { headers })).status
}

test('without an API key the access token is used, and renewed when it has expired', async () => {
  const { at, whole } = await signedIn({ api_key: undefined })
  const counter = counting()
  assertDone(await svc(['whoami'], { home: at, fetch: counter.fetch }))
  assert.equal(counter.refreshes(), 0)
  ahead_ms = sixteen_minutes_ms
  const ran = await svc(['whoami', '--output', 'json'], { home: at, fetch: counter.fetch })
  assertDone(ran)
  assert.equal(JSON.parse(ran.stdout).agent_did, ann.did)
  assert.equal(counter.refreshes(), 1)
  const now = kept(at)
  assert.notEqual(now.access_token, whole.access_token)
  assert.notEqual(now.refresh_token, whole.refresh_token)
  assert.deepEqual([now.agent_did, now.tenant_id, now.api_url], [ann.did, ann.tenant_id, engine.api_url])
  assert.equal(statSync(fileOf(at)).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(at, '.svc')), ['config.json'])
})

test('concurrent commands renew once: none uses a refresh token that another has used', async () => {
  const { at } = await signedIn({ api_key: undefined })
  const counter = counting()
  ahead_ms = sixteen_minutes_ms
  // All learn that their token has expired before any of them renews it.
  let waiting = 5
  let release = () => {}
  const gathered = new Promise<void>((resolve) => {
    release = resolve
  })
  const together: typeof fetch = async (input, init) => {
    const answer = await counter.fetch(input, init)
    if (answer.status === 401 && --waiting === 0) release()
    if (answer.status === 401) await gathered
    return answer
  }
  const runs = Array.from({ length: 5 }, () => svc(['whoami'], { home: at, fetch: together }))
  for (const ran of await Promise.all(runs)) assertDone(ran)
  assert.equal(counter.refreshes(), 1)
  assertDone(await svc(['whoami'], { home: at }))
  assert.equal(await statusOf(kept(at).access_token), 200)
})

test('the lock of a dead process is taken over, and a refused renewal says to sign in', async () => {
  const { at } = await signedIn({ api_key: undefined })
  // No process has this pid: it is above the system's maximum.
  writeFileSync(`${fileOf(at)}.lock`, `${hostname()} 4194999 left-behind`)
  ahead_ms = sixteen_minutes_ms
  assertDone(await svc(['whoami'], { home: at, fetch: counting().fetch }))
  assert.deepEqual(readdirSync(join(at, '.svc')), ['config.json'])

  const { access_token } = kept(at)
  const form = new URLSearchParams({ token: kept(at).refresh_token, client_id: 'svc-cli' })
  const other = await signedIn({ api_key: undefined, access_token, refresh_token: 'never-given' })
  ahead_ms = sixteen_minutes_ms
  const ran = await svc(['whoami'], { home: other.at, fetch: counting().fetch })
  assert.equal(ran.exit, 2)
  assert.match(ran.stderr, /This sign-in has ended; run `svc login`/)
  assert.ok(!ran.stderr.includes('never-given') && !ran.stderr.includes(access_token))
  await fetch(`${engine.api_url}/oauth/revoke`, { method: 'POST', body: form })
})

test('logout revokes key and tokens at the engine, deletes the file, and says so', async () => {
  const { at, whole } = await signedIn()
  const ran = await svc(['logout'], { home: at })
  assertDone(ran)
  assert.match(
    ran.stdout,
    /Revoked the API key [a-z0-9]{8}\.\nRevoked the refresh token\.\nRevoked the access token\.\n/,
  )
  assert.match(ran.stdout, /Deleted .*config\.json\./)
  assert.ok(!existsSync(fileOf(at)))
  await eventually(async () => {
    for (const old of [whole.api_key, whole.access_token]) assert.equal(await statusOf(old), 401)
  })
  const fields = { grant_type: 'refresh_token', client_id: 'svc-cli', refresh_token: whole.refresh_token }
  const renewed = await fetch(`${engine.api_url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  assert.equal(renewed.status, 400)
  for (const secret of [whole.api_key, whole.access_token, whole.refresh_token])
    assert.ok(!(ran.stdout + ran.stderr).includes(secret))
})

test('logout with an expired access token renews it first, and revokes the new pair', async () => {
  const { at, whole } = await signedIn()
  const counter = counting()
  ahead_ms = sixteen_minutes_ms
  assertDone(await svc(['logout'], { home: at, fetch: counter.fetch }))
  assert.equal(counter.refreshes(), 1)
  assert.deepEqual(readdirSync(join(at, '.svc')), [])
  await eventually(async () => assert.equal(await statusOf(whole.api_key), 401))
})

test('logout with an unreachable engine keeps the file and exits with 6; --force deletes it', async () => {
  const { at } = await signedIn({ api_url: away, auth_url: `${away}/oauth` })
  const ran = await svc(['logout'], { home: at })
  assert.equal(ran.exit, 6)
  for (const what of ['the API key', 'the refresh token', 'the access token'])
    assert.match(ran.stderr, new RegExp(`Not revoked: ${what}.* cannot be reached`))
  assert.ok(existsSync(fileOf(at)))
  const forced = await svc(['logout', '--force'], { home: at })
  assert.equal(forced.exit, 0)
  assert.match(forced.stderr, /Not revoked: the API key/)
  assert.ok(!existsSync(fileOf(at)))
})

test('logout after a sign-in was revoked elsewhere: an invalid key does not block it, a valid one does', async () => {
  const living = await signedIn()
  /** Revocation takes up to a second: the access token of the same sign-in is tried until it is refused. */
  const revoke = async ({ refresh_token, access_token }: Stored) => {
    await fetch(`${engine.api_url}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: refresh_token, client_id: 'svc-cli' }),
    })
    await eventually(async () => assert.equal(await statusOf(access_token), 401))
  }
  await revoke(living.whole)
  const first = await svc(['logout'], { home: living.at })
  assert.deepEqual([first.exit, existsSync(fileOf(living.at))], [2, true], first.stderr)
  assert.match(first.stderr, /Not revoked: the API key/)

  const dead = await signedIn({ api_key: `svc_test_aaaaaaaa_${'a'.repeat(43)}` })
  await revoke(dead.whole)
  const second = await svc(['logout'], { home: dead.at })
  assertDone(second)
  assert.match(second.stdout, /the API key aaaaaaaa \(already expired\)/)
})

test('headless: SVC_API_KEY and SVC_AGENT_DID are enough, no file is read or written, and logout leaves them alone', async () => {
  const at = home.make()
  const { SVC_API_URL, SVC_API_KEY, SVC_AGENT_DID } = clientEnv(engine)
  const env = { SVC_API_URL, SVC_API_KEY, SVC_AGENT_DID }
  const ran = await svc(['whoami', '-o', 'json'], { home: at, env })
  assertDone(ran)
  const whoami = JSON.parse(ran.stdout)
  assert.deepEqual([whoami.agent_did, whoami.tenant_id], [engine.agent_did, 'dev'])
  assert.equal(whoami.settings.api_key.source, 'SVC_API_KEY')
  assert.equal(whoami.settings.tenant_id.source, 'the tenant of the DID')
  const out = await svc(['logout'], { home: at, env })
  assert.equal(out.exit, 0)
  assert.match(out.stdout, /Nobody is signed in here/)
  assert.match(out.stderr, /SVC_API_KEY is still set/)
  assert.deepEqual(readdirSync(at), [])
  assertDone(await svc(['whoami'], { home: at, env }))
})

test('a broken or world-readable file is one sentence that repeats nothing of it', async () => {
  const { at, whole } = await signedIn()
  const assertRefused = async (sentence: RegExp) => {
    for (const command of ['whoami', 'logout']) {
      const ran = await svc([command], { home: at })
      assert.equal(ran.exit, 2)
      assert.match(ran.stderr, sentence)
      assert.ok(!(ran.stdout + ran.stderr).includes(whole.api_key.slice(-20)))
    }
  }
  chmodSync(fileOf(at), 0o640)
  await assertRefused(/others can read it; run chmod 600/)
  chmodSync(fileOf(at), 0o600)
  writeFileSync(fileOf(at), readFileSync(fileOf(at), 'utf8').slice(0, -3))
  await assertRefused(/fix it/)
  assert.ok(existsSync(fileOf(at)))
})
