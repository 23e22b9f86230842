// Password guessing, table filling and phishing: what the login limits, and what it does not reveal.
import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { formBrowser, type Page } from '../../neighbours/form-browser.ts'
import { addPerson, begin, clientOf, password } from '../../scenes/login-journey.ts'
import { eventually } from '../../suite/eventually.ts'
import { redirect_traps } from './redirect-traps.ts'

const wrong = 'not the password at all'
const waits = /too many failed sign-ins/i

let engine: InProcessService

before(async () => {
  const login = { public_url: undefined, proxy_hops: 1, upstream: undefined }
  engine = await startInProcess({ config: { login } })
})
after(() => engine?.stop())

/** Each from its own address, as a proxy in front of us would report it. */
async function attempt(login: string, guess: string, address: string): Promise<Page> {
  const browser = formBrowser(engine.api_url)
  const page = await browser.get(`${engine.api_url}/oauth/sign-in`)
  return browser.submit(page, { login, password: guess, answer: 'sign-in' }, { 'x-forwarded-for': address })
}

function register(metadata: unknown, address = '192.0.2.77') {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
  return fetch(`${engine.api_url}/oauth/register`, {
    method: 'POST',
    headers,
    body: JSON.stringify(metadata),
  })
}

test('an unknown login and a wrong password are answered alike, and recorded in the right log', async () => {
  const person = await addPerson(engine, 'known', 'acme')
  const textOf = (page: Page) =>
    [page.status, page.text.replace(/value="[^"]*"/g, ''), page.headers.get('retry-after')].join('\n')
  const [a, b] = [
    await attempt(person.login, wrong, '192.0.2.1'),
    await attempt('unknown', wrong, '192.0.2.1'),
  ]
  assert.equal(textOf(a), textOf(b))
  assert.match(a.text, /role="alert"/)
  const reasons = async (tenant: string) =>
    (await engine.records(tenant))
      .filter(({ event_type }) => event_type === 'SecurityViolation')
      .map(({ meta, caller_did }) => [meta.reason, caller_did])
  assert.deepEqual(await reasons('acme'), [['wrong login or password', person.did]])
  assert.deepEqual(await reasons('operator'), [['wrong login or password', 'unauthenticated']])
})

test('attempts during a wait are counted, not recorded each time', async () => {
  const address = '192.0.2.99'
  const [free, sent] = [40, 120]
  const browser = formBrowser(engine.api_url)
  const page = await browser.get(`${engine.api_url}/oauth/sign-in`)
  const fields = (n: number) => ({ login: `nobody-${n}`, password: wrong, answer: 'sign-in' })
  for (let n = 0; n < free + sent; n++) await browser.submit(page, fields(n), { 'x-forwarded-for': address })
  await eventually(async () => {
    const refused = (await engine.records('operator')).filter(({ meta }) => meta.address === address)
    const counted = refused.reduce((sum, { meta }) => sum + Number(meta.count ?? 1), 0)
    assert.equal(counted, free + sent)
    assert.ok(refused.length < sent / 2, `${refused.length} records`)
  })
})

test('after some failures an account waits, longer each time, also with the right password and from any address', async () => {
  const { login } = await addPerson(engine, 'waiting')
  const now = system_clock.now_ms()
  let address = 0
  const next = () => `198.51.100.${address++}`
  for (let i = 0; i < 9; i++) assert.doesNotMatch((await attempt(login, wrong, next())).text, waits)
  const refused = await attempt(login, password, next())
  assert.match(refused.text, waits)
  const first_wait_s = Number(refused.headers.get('retry-after'))
  assert.ok(first_wait_s > 0 && first_wait_s <= 15)
  mock.timers.enable({ apis: ['Date'], now: now + 60_000 })
  try {
    assert.doesNotMatch((await attempt(login, wrong, next())).text, waits)
    const second_wait_s = Number((await attempt(login, password, next())).headers.get('retry-after'))
    assert.ok(second_wait_s > first_wait_s, `${second_wait_s} s after ${first_wait_s} s`)
    mock.timers.setTime(now + 120_000)
    assert.match((await attempt(login, password, next())).text, /You are signed in/)
    assert.doesNotMatch((await attempt(login, wrong, next())).text, waits, 'who got in starts over')
  } finally {
    mock.timers.reset()
  }
})

test('concurrent guesses are counted before they are judged', async () => {
  const { login } = await addPerson(engine, 'raced')
  const pages = await Promise.all(
    Array.from({ length: 25 }, (_, i) => attempt(login, wrong, `203.0.113.${i}`)),
  )
  const judged = pages.filter(({ text }) => text.includes('do not fit together'))
  assert.ok(judged.length <= 9, `${judged.length} of ${pages.length} were judged`)
})

test('one address cannot try many logins', { skip: !is_long && 'only in npm run assurance' }, async () => {
  const pages: Page[] = []
  for (let i = 0; i < 45; i += 9)
    pages.push(
      ...(await Promise.all(
        Array.from({ length: 9 }, (_, n) => attempt(`many-${i + n}`, wrong, '192.0.2.9')),
      )),
    )
  assert.ok(pages.filter(({ text }) => waits.test(text)).length > 0)
  assert.doesNotMatch((await attempt('many-0', wrong, '192.0.2.10')).text, waits)
})

test('a sign-in redirects only to a page of this site', async () => {
  const { login } = await addPerson(engine, 'led')
  for (const trap of redirect_traps) {
    const browser = formBrowser(engine.api_url)
    const page = await browser.get(`${engine.api_url}/oauth/sign-in?return_to=${encodeURIComponent(trap)}`)
    const there = await browser.submit(page, { login, password, answer: 'sign-in' })
    const again = await browser.get(page.url)
    for (const { left_to, url } of [there, again])
      assert.deepEqual([left_to, new URL(url).pathname], [undefined, '/oauth/sign-out'], trap)
  }
  const browser = formBrowser(engine.api_url)
  const page = await browser.get(
    `${engine.api_url}/oauth/sign-in?return_to=${encodeURIComponent('/docs/api?a=b')}`,
  )
  const there = await browser.submit(page, { login, password, answer: 'sign-in' })
  assert.equal(there.url, `${engine.api_url}/docs/api?a=b`)
})

test('public clients register themselves, and sign people in under an unverified name', async () => {
  const redirect_uri = 'http://localhost:3334/callback'
  const answer = await register({ client_name: '<i>The Bank</i>', redirect_uris: [redirect_uri], foo: 1 })
  const client = (await answer.json()) as { client_id: string; token_endpoint_auth_method: string }
  assert.equal(answer.status, 201)
  assert.equal(client.token_endpoint_auth_method, 'none')
  assert.equal(JSON.stringify(client).includes('secret'), false)
  assert.ok(await clientOf(engine, client.client_id))
  const { login } = await addPerson(engine, 'mcp-user')
  const begun = await begin(engine, { redirect_uri, resource: `${engine.api_url}/` }, client.client_id)
  const page = await begun.browser.get(begun.url.href)
  const consent = await begun.browser.submit(page, { login, password, answer: 'sign-in' })
  assert.match(consent.text, /&#60;i&#62;The Bank/)
  assert.match(consent.text, /localhost:3334/)
  assert.match(consent.text, /nobody has checked it/)
  const done = await begun.browser.submit(consent, { answer: 'allow' })
  assert.ok(done.left_to?.startsWith(`${redirect_uri}?code=`), done.text)
})

test('what a client may register is limited in kind, size and number', async () => {
  const good = { redirect_uris: ['https://app.example/callback'] }
  const faulty: unknown[] = [
    {},
    { redirect_uris: [] },
    { redirect_uris: ['javascript:alert(1)'] },
    { redirect_uris: ['data:text/html,x'] },
    { redirect_uris: ['https://app.example/callback#x'] },
    { redirect_uris: ['http://app.example/callback'] },
    { redirect_uris: Array(11).fill('https://app.example/callback') },
    { redirect_uris: [`https://app.example/${'x'.repeat(600)}`] },
    { ...good, client_name: 'x'.repeat(101) },
    { ...good, token_endpoint_auth_method: 'client_secret_basic' },
    { ...good, grant_types: ['implicit'] },
    { ...good, response_types: ['token'] },
  ]
  for (const [i, metadata] of faulty.entries()) {
    const answer = await register(metadata, `198.51.100.${100 + i}`)
    const { error } = (await answer.json()) as { error: string }
    assert.deepEqual(
      [answer.status, /^invalid_/.test(error)],
      [400, true],
      JSON.stringify(metadata).slice(0, 100),
    )
  }
  assert.equal((await register({ ...good, padding: 'x'.repeat(9000) }, '198.51.100.200')).status, 413)
  const statuses: number[] = []
  for (let i = 0; i < 24; i++) statuses.push((await register(good, '198.51.100.201')).status)
  assert.ok(statuses.includes(429) && statuses[0] === 201, statuses.join())
})
