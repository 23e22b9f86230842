// "login ... starts a local callback server on 127.0.0.1 port 8600, opens the browser, exchanges the authorization code
// for access_token and refresh_token, then obtains an API key bound to the DID": through the engine's own pages.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { dispatch, freePorts } from '../engines/running-engine.ts'
import { type FormBrowser, formBrowser } from '../neighbours/form-browser.ts'
import { addPerson, type Someone } from '../scenes/login-journey.ts'
import { eventually } from '../suite/eventually.ts'
import { assertDone, fileOf, homes, kept, personAt, type Stored, svc } from './login-scene.ts'

const hello = {
  protocol: 'MAX',
  operation: 'audit_log_entry',
  input: { event_type: 'custom.hello', meta: {} },
}
const home = homes()

let engine: InProcessService
let ann: Someone
let port: string
let away: string
let browser: FormBrowser

before(async () => {
  engine = await startInProcess()
  ann = await addPerson(engine, 'ann@example.org')
  browser = formBrowser(engine.api_url)
  const free = await freePorts()
  port = String(free)
  away = `http://127.0.0.1:${free + 1}`
})
after(async () => {
  home.clear()
  await engine?.stop()
})

/** In a browser that stays signed in, so that usually only consent is needed. */
function annAt(answer: 'allow' | 'cancel' = 'allow', change?: (callback: URL) => URL) {
  return personAt(engine.api_url, ann.login, answer, change, browser)
}

async function logIn(at: string, more: readonly string[] = [], person = annAt()) {
  const argv = ['login', '--api-url', engine.api_url, '--port', port, ...more]
  const ran = await svc(argv, { home: at, openBrowser: person.openBrowser })
  return { ...ran, person }
}

/** 200 or 401: whether the engine still accepts it. */
async function statusOf(credential: string): Promise<number> {
  const headers = { authorization: `Bearer ${credential}`, 'x-agent-did': ann.did }
  return (await fetch(`${engine.api_url}/v1/whoami`, { headers })).status
}

test('login stores exactly the seven fields, readable by its owner alone, and the key is bound to the DID', async () => {
  const at = home.make()
  const ran = await logIn(at)
  assertDone(ran)
  const config = kept(at)
  assert.deepEqual(Object.keys(config), [
    'auth_url',
    'api_url',
    'agent_did',
    'access_token',
    'refresh_token',
    'api_key',
    'tenant_id',
  ])
  assert.equal(config.auth_url, `${engine.api_url}/oauth`)
  assert.deepEqual([config.agent_did, config.tenant_id], [ann.did, ann.tenant_id])
  assert.equal(statSync(fileOf(at)).mode & 0o777, 0o600)
  assert.equal(statSync(join(at, '.svc')).mode & 0o777, 0o700)
  assert.deepEqual(readdirSync(join(at, '.svc')), ['config.json'])
  assert.equal((await dispatch({ ...engine, ...config }, hello)).status, 200)

  const { url, seen } = ran.person.visit()
  const parameters = Object.fromEntries(url.searchParams)
  assert.deepEqual([parameters.client_id, parameters.scope], ['svc-cli', 'svc.call svc.keys'])
  assert.deepEqual([parameters.code_challenge_method, parameters.response_type], ['S256', 'code'])
  assert.equal(parameters.redirect_uri, `http://127.0.0.1:${port}/callback`)
  assert.ok((parameters.state?.length ?? 0) >= 32)

  const page = await seen
  assert.match(page.text, /You are signed in/)
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  for (const secret of [
    config.access_token,
    config.refresh_token,
    config.api_key,
    parameters.state!,
    ann.did,
  ]) {
    assert.ok(!page.text.includes(secret))
    if (secret !== ann.did) assert.ok(!ran.stdout.includes(secret))
  }
  assert.ok(ran.stdout.includes(ann.did))
  await assert.rejects(fetch(`http://127.0.0.1:${port}/callback`), 'the callback server is gone')
})

test('a new login replaces the old one, whose key and tokens are revoked', async () => {
  const at = home.make()
  assertDone(await logIn(at))
  const first = kept(at)
  const again = await logIn(at)
  assertDone(again)
  assert.match(again.stderr, /The previous login was revoked/)
  const second = kept(at)
  assert.notEqual(second.api_key, first.api_key)
  assert.equal(await statusOf(second.api_key), 200)
  await eventually(async () => {
    for (const old of [first.api_key, first.access_token]) assert.equal(await statusOf(old), 401)
  })
})

test('a sign-in that is declined, tampered with or for another leaves the old login unchanged', async () => {
  const at = home.make()
  assertDone(await logIn(at))
  const first = readFileSync(fileOf(at), 'utf8')
  const changed = (name: string, value: string) => (url: URL) => {
    url.searchParams.set(name, value)
    return url
  }
  const faults: [ReturnType<typeof personAt>, RegExp][] = [
    [annAt('cancel'), /declined in the browser/],
    [annAt('allow', changed('state', 'x'.repeat(43))), /does not belong to this/],
    [annAt('allow', changed('iss', 'https://evil.example')), /does not belong/],
    [annAt('allow', changed('code', 'guessed')), /has ended|refused/],
  ]
  for (const [person, sentence] of faults) {
    const ran = await logIn(at, [], person)
    assert.equal(ran.exit, 2, ran.stderr)
    assert.match(ran.stderr, sentence)
    const page = await person.visit().seen
    assert.match(page.text, /Sign-in failed/)
    assert.ok(!page.text.includes('evil') && !page.text.includes('guessed'))
    assert.equal(readFileSync(fileOf(at), 'utf8'), first)
  }
  assert.equal(await statusOf(kept(at).api_key), 200)
})

test('if the file cannot be written, the new credentials are revoked and the page says so', async () => {
  const at = home.make()
  writeFileSync(join(at, '.svc'), 'a file where the folder should be')
  const minted: string[] = []
  const listening: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    if (String(input).endsWith('/v1/keys')) minted.push(((await answer.clone().json()) as Stored).api_key)
    return answer
  }
  const person = annAt()
  const argv = ['login', '--api-url', engine.api_url, '--port', port]
  const ran = await svc(argv, { home: at, openBrowser: person.openBrowser, fetch: listening })
  assert.equal(ran.exit, 1, ran.stderr)
  assert.match(ran.stderr, /cannot be written/)
  assert.match((await person.visit().seen).text, /Sign-in failed/)
  assert.equal(minted.length, 1)
  await eventually(async () => assert.equal(await statusOf(minted[0]!), 401))
})

test('the callback port is 8600, and a port in use is reported in one sentence', async () => {
  const other = createServer()
  // Another process may use it already: that is just as good.
  await new Promise<void>((resolve) =>
    other.once('error', () => resolve()).listen(8600, '127.0.0.1', resolve),
  )
  try {
    const ran = await svc(['login', '--api-url', engine.api_url], { home: home.make() })
    assert.equal(ran.exit, 1)
    assert.match(ran.stderr, /^Port 8600 of 127\.0\.0\.1 is in use, .* --port N\.$/m)
  } finally {
    other.close()
  }
})

test('Ctrl-C while waiting closes the callback server and changes nothing', async () => {
  const at = home.make()
  const stopping = new AbortController()
  const openBrowser = () => {
    stopping.abort(new Error('stopped by Ctrl-C'))
    return Promise.resolve(false)
  }
  const argv = ['login', '--api-url', engine.api_url, '--port', port]
  const ran = await svc(argv, { home: at, signal: stopping.signal, openBrowser })
  assert.equal(ran.exit, 130)
  assert.match(ran.stderr, /Open this address in a browser/)
  assert.ok(!existsSync(fileOf(at)))
  await assert.rejects(fetch(`http://127.0.0.1:${port}/callback`))
})

test('an unreachable engine, an insecure address and a wrong one are one sentence each', async () => {
  const by_name = engine.api_url.replace('127.0.0.1', 'localhost')
  const cases: [string[], number, RegExp][] = [
    [[], 2, /No engine to sign in to/],
    [['--api-url', away], 6, /cannot be reached \(ECONNREFUSED\)/],
    [['--auth-url', `${away}/oauth`], 6, /cannot be reached/],
    [['--api-url', away, '--auth-url', `${away}/oauth`], 6, /cannot be reached/],
    [['--api-url', 'http://svc.example'], 2, /needs https/],
    [['--api-url', engine.api_url, '--auth-url', 'http://svc.example/oauth'], 2, /needs https/],
    [['--api-url', 'https://me:secret@svc.example'], 2, /contains a user name or a password/],
    [['--api-url', by_name], 6, /calls itself http:\/\/127\.0\.0\.1:\d+; sign in with --api-url/],
    [['--port', '0'], 1, /--port is 0; give a port from 1 to 65535/],
    [['work'], 1, /takes no work/],
    [['--profile', '../x'], 2, /profile is called/],
  ]
  for (const [more, exit, sentence] of cases) {
    const ran = await svc(['login', ...more], { home: home.make() })
    assert.equal(ran.exit, exit, `${more}: ${ran.stderr}`)
    assert.match(ran.stderr, sentence)
    assert.ok(!ran.stderr.includes('secret'))
  }
})

test('--auth-url alone is enough, and a profile has its own file', async () => {
  const at = home.make()
  assertDone(await logIn(at))
  const first = readFileSync(fileOf(at), 'utf8')
  const { openBrowser } = annAt()
  const argv = ['login', '--auth-url', `${engine.api_url}/oauth/`, '--port', port, '--profile', 'work']
  const signed_in = await svc([...argv, '--json'], { home: at, openBrowser })
  assertDone(signed_in)
  const { agent_did, tenant_id } = kept(at, 'work')
  const { key_id, ...shown } = JSON.parse(signed_in.stdout)
  assert.deepEqual(shown, { agent_did, tenant_id, api_url: engine.api_url, file: fileOf(at, 'work') })
  assert.match(kept(at, 'work').api_key!, new RegExp(`_${key_id}_`))
  assert.equal(statSync(fileOf(at, 'work')).mode & 0o777, 0o600)
  assert.equal(statSync(join(at, '.svc/profiles')).mode & 0o777, 0o700)
  assert.equal(kept(at, 'work').api_url, engine.api_url)
  assert.notEqual(kept(at, 'work').api_key, kept(at).api_key)
  assert.equal(readFileSync(fileOf(at), 'utf8'), first)
  // The profile from the environment counts as well.
  const out = await svc(['logout', '--json'], { home: at, env: { SVC_PROFILE: 'work' } })
  assertDone(out)
  const { revoked, ...rest } = JSON.parse(out.stdout)
  assert.deepEqual(rest, { not_revoked: [], file: fileOf(at, 'work'), deleted: true })
  assert.equal(revoked.length, 3)
  assert.deepEqual([existsSync(fileOf(at, 'work')), existsSync(fileOf(at))], [false, true])
})
