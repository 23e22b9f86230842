// "People sign in with a local account or an upstream OIDC issuer": the upstream is a second, real OpenID
// provider.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { addInvitation } from '@svc/adapters/accounts/invitations'
import { addRoleClaim, removeRoleClaim } from '@svc/adapters/accounts/role-claims'
import { giveRoles } from '@svc/adapters/accounts/role-store'
import { createUser, disableUser, listUsers } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import { Provider } from 'oidc-provider/lib/provider.js'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { freePorts } from '../../engines/running-engine.ts'
import { type FormBrowser, formBrowser, type Page } from '../../neighbours/form-browser.ts'
import { begin, redeem } from '../../scenes/login-journey.ts'

let issuer: string
/** What the upstream issuer says about people now. */
const groups_of = new Map<string, string[] | string>()
let upstream: Server
let strict: InProcessService
let open: InProcessService

before(async () => {
  upstream = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => upstream.once('listening', resolve))
  issuer = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const ports = [await freePorts(), await freePorts()]
  const redirect_uris = ports.map((port) => `http://127.0.0.1:${port}/oauth/upstream/callback`)
  upstream.on('request', openUpstreamProvider(redirect_uris).callback())
  const settings = { issuer, client_id: 'svc', client_secret: 'a secret of both', tenant_id: undefined }
  const login = { public_url: undefined, proxy_hops: 0, upstream: settings }
  strict = await startInProcess({ config: { port: ports[0], login } })
  const creating = { ...login, upstream: { ...settings, tenant_id: 'guests' } }
  open = await startInProcess({ with_nodes: true, config: { port: ports[1], login: creating } })
  await ensureTenant(open.service.store.engine, 'guests', 'Guests', 'charter')
})
after(async () => {
  await strict?.stop()
  await open?.stop()
  upstream?.close()
})

/** Signs in anyone under the requested name. */
function openUpstreamProvider(redirect_uris: string[]): Provider {
  const provider: Provider = new Provider(issuer, {
    clients: [
      { client_id: 'svc', client_secret: 'a secret of both', redirect_uris, application_type: 'native' },
    ],
    features: { devInteractions: { enabled: false } },
    claims: { openid: ['sub'], email: ['email'], profile: ['name', 'preferred_username', 'groups'] },
    cookies: { keys: ['upstream'] },
    conformIdTokenClaims: false,
    interactions: { url: (_ctx, { uid }) => `/who/${uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: async () => ({
        sub,
        email: `${sub}@example.org`,
        name: `Name of ${sub}`,
        groups: groups_of.get(sub),
      }),
    }),
  })
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/who/')) return next()
    const { params, prompt } = await provider.interactionDetails(ctx.req, ctx.res)
    if (prompt.name === 'login') {
      const accountId = ctx.get('x-test-subject') || 'nobody'
      return provider.interactionFinished(ctx.req, ctx.res, { login: { accountId } })
    }
    const grant = new provider.Grant({
      accountId: (await sessionOf(provider, ctx))!,
      clientId: String(params.client_id),
    })
    grant.addOIDCScope('openid profile email')
    return provider.interactionFinished(ctx.req, ctx.res, { consent: { grantId: await grant.save() } })
  })
  return provider
}

async function sessionOf(
  provider: Provider,
  ctx: { req: unknown; res: unknown },
): Promise<string | undefined> {
  const { session } = await provider.interactionDetails(ctx.req as never, ctx.res as never)
  return session?.accountId
}

/** A browser whose owner is `subject` at the upstream issuer. */
function browserOf(engine: InProcessService, subject: string): FormBrowser {
  return formBrowser(engine.api_url, [issuer], { 'x-test-subject': subject })
}

function follow(browser: FormBrowser, page: Page): Promise<Page> {
  const href = /<a class="button" href="([^"]+)">Sign in with ([^<]+)</.exec(page.text)
  assert.ok(href, page.text)
  assert.equal(href[2], new URL(issuer).host)
  return browser.get(new URL(href[1]!.replaceAll('&#38;', '&'), page.url).href)
}

test('an unknown person is refused with one sentence, and a known one gets in', async () => {
  const db = strict.service.store.engine
  const { did } = newIdentity('dev', 'person')
  const stranger = browserOf(strict, 'stranger')
  const refused = await follow(stranger, await stranger.get(`${strict.api_url}/oauth/sign-in`))
  assert.equal(refused.status, 401)
  assert.match(refused.text, /You have no account here/)
  assert.equal(stranger.cookies().has('svc_session'), false)

  const at = { issuer, subject: 'ann' }
  const { user_id } = await createUser(db, system_clock, {
    tenant_id: 'dev',
    login: 'ann',
    did,
    upstream: at,
  })
  const browser = browserOf(strict, 'ann')
  const begun = await begin(strict, {}, 'svc-cli', browser)
  const page = await follow(browser, await browser.get(begun.url.href))
  assert.match(page.text, /Allow access\?/)
  const done = await browser.submit(page, { answer: 'allow' })
  const tokens = await redeem(begun, new URL(done.left_to!))
  const claims = JSON.parse(Buffer.from(tokens.access_token.split('.')[1]!, 'base64url').toString())
  assert.deepEqual([claims.sub, claims.did, claims.tenant_id], [user_id, did, 'dev'])

  await disableUser(db, user_id)
  const again = browserOf(strict, 'ann')
  assert.equal((await follow(again, await again.get(`${strict.api_url}/oauth/sign-in`))).status, 401)
})

test("with a configured tenant, newcomers are created in it once, and never take another's login", async () => {
  const db = open.service.store.engine
  await createUser(db, system_clock, {
    tenant_id: 'guests',
    login: 'dora@example.org',
    password: 'a password of her own',
    did: newIdentity('guests', 'person').did,
  })
  for (const subject of ['carl', 'carl', 'dora']) {
    const browser = browserOf(open, subject)
    const page = await follow(browser, await browser.get(`${open.api_url}/oauth/sign-in`))
    assert.match(page.text, /You are signed in as/)
  }
  const users = await listUsers(db, 'guests')
  const logins = users.map(({ login, oidc_issuer }) => [login.replace(/[0-9a-f]{24}/, '<hash>'), oidc_issuer])
  assert.deepEqual(logins, [
    ['carl@example.org', issuer],
    ['dora@example.org', null],
    ['oidc-<hash>', issuer],
  ])
  const { rows } = await open.service.store.engine_pool.query(
    `SELECT did FROM keystore WHERE tenant_id = 'guests' UNION
     SELECT did FROM oas_documents WHERE did LIKE 'did:oas:guests:%' ORDER BY did`,
  )
  const theirs = users.filter(({ oidc_issuer }) => oidc_issuer !== null).map(({ did }) => did)
  assert.deepEqual(
    rows.map(({ did }) => did),
    theirs.sort(),
    'nobody is made for a login that was taken',
  )
})

test('an answer of the issuer works once, and only in the browser that started', async () => {
  const [victim, thief] = [browserOf(open, 'vic'), browserOf(open, 'thief')]
  const stopped = formBrowser(open.api_url, [issuer], { 'x-test-subject': 'vic' }, '/oauth/upstream/callback')
  const page = await stopped.get(`${open.api_url}/oauth/sign-in`)
  const { left_to: answer = '' } = await follow(stopped, page)
  assert.match(answer, /[?&]code=/)
  for (const other of [victim, thief]) assert.equal((await other.get(answer)).status, 401)
  const forged = new URL(answer)
  forged.searchParams.set('state', 'x'.repeat(43))
  assert.equal((await stopped.get(forged.href)).status, 401)
  assert.match((await stopped.get(answer)).text, /You are signed in as/)
  assert.equal((await stopped.get(answer)).status, 401)
})

test('an unreachable issuer is reported in a sentence, and passwords still work', async () => {
  const settings = {
    issuer: 'http://127.0.0.1:9',
    client_id: 'svc',
    client_secret: undefined,
    tenant_id: undefined,
  }
  const login = { public_url: undefined, proxy_hops: 0, upstream: settings }
  const lonely = await startInProcess({ config: { login } })
  try {
    const browser = formBrowser(lonely.api_url)
    const away = await browser.get(`${lonely.api_url}/oauth/upstream/start`)
    assert.equal(away.status, 502)
    assert.match(away.text, /cannot be reached now/)
    assert.match((await browser.get(`${lonely.api_url}/oauth/sign-in`)).text, /name="password"/)
  } finally {
    await lonely.stop()
  }
})

async function signInAt(engine: InProcessService, subject: string): Promise<void> {
  const browser = browserOf(engine, subject)
  const page = await follow(browser, await browser.get(`${engine.api_url}/oauth/sign-in`))
  assert.match(page.text, /You are signed in as/)
}

test('claims give roles from sign-in to sign-in, and roles given by hand stay', async () => {
  const db = open.service.store.engine
  const at = new Date(system_clock.now_ms())
  const by_claim = { issuer, claim: 'groups', value: 'accounting', role: 'finance' }
  await addRoleClaim(db, 'guests', by_claim)
  await addRoleClaim(db, 'guests', { ...by_claim, issuer: 'https://other.example', role: 'administrator' })
  await addRoleClaim(db, 'guests', { ...by_claim, claim: 'email', value: 'fred@example.org', role: 'viewer' })
  await removeRoleClaim(db, 'guests', {
    ...by_claim,
    claim: 'email',
    value: 'fred@example.org',
    role: 'viewer',
  })
  const rolesOf = async () =>
    (await listUsers(db, 'guests')).find(({ login }) => login === 'fred@example.org')!.roles
  await signInAt(open, 'fred')
  assert.deepEqual(await rolesOf(), [])
  groups_of.set('fred', ['staff', 'accounting'])
  await signInAt(open, 'fred')
  assert.deepEqual(await rolesOf(), ['finance'])
  const { user_id } = (await listUsers(db, 'guests')).find(({ login }) => login === 'fred@example.org')!
  await giveRoles(db, { tenant_id: 'guests', user_id }, ['auditor'], 'hand', at)
  groups_of.set('fred', 'accounting-2')
  await signInAt(open, 'fred')
  assert.deepEqual(await rolesOf(), ['auditor'])
  groups_of.set('fred', 'accounting')
  await signInAt(open, 'fred')
  assert.deepEqual(await rolesOf(), ['auditor', 'finance'])
  groups_of.delete('fred')
  await signInAt(open, 'fred')
  assert.deepEqual(await rolesOf(), ['auditor'])
  const changes = (await open.records('guests')).filter(({ event_type }) => event_type === 'PersonChanged')
  assert.equal(changes.length, 4)
})

async function inviteTo(tenant_id: string): Promise<string> {
  const at = new Date(system_clock.now_ms())
  const token = system_clock.randomBytes(32).toString('base64url')
  const expires_at = new Date(at.getTime() + 60_000).toISOString()
  const secrets = { invitation_id: system_clock.uuid(), token }
  const invitation = { name: 'Gina', roles: ['viewer'], expires_at }
  await addInvitation(
    strict.service.store.engine,
    { tenant_id, made_by: 'operator', at },
    invitation,
    secrets,
  )
  return token
}

test('an invited person signs in with the upstream issuer where no newcomer gets in', async () => {
  const db = strict.service.store.engine
  const token = await inviteTo('dev')
  const join = async (subject: string) => {
    const browser = browserOf(strict, subject)
    const page = await browser.get(`${strict.api_url}/oauth/invitation?token=${token}`)
    if (page.status !== 200) return page
    return await follow(browser, await browser.submit(page, { answer: 'upstream' }))
  }
  assert.match((await join('gina')).text, /You are signed in as gina@example.org of dev/)
  assert.equal((await join('thief')).status, 401)
  const gina = (await listUsers(db, 'dev')).find(({ login }) => login === 'gina@example.org')!
  assert.deepEqual([gina.roles, gina.oidc_issuer, gina.has_password], [['viewer'], issuer, false])
})

test('a link or form of another site accepts no invitation for its visitors', async () => {
  const db = strict.service.store.engine
  await ensureTenant(db, 'evil', 'Evil', 'charter')
  const token = await inviteTo('evil')
  const victim = browserOf(strict, 'vera')
  await victim.get(`${strict.api_url}/oauth/upstream/start?invitation=${token}`)
  const page = await victim.get(`${strict.api_url}/oauth/invitation?token=${token}`)
  const fields = { answer: 'upstream' }
  const forged = [
    await victim.submit(page, { ...fields, form_token: 'x' }),
    await victim.submit(page, fields, { origin: 'https://evil.example' }),
  ]
  assert.deepEqual(
    forged.map(({ status }) => status),
    [401, 401],
  )
  assert.deepEqual(await listUsers(db, 'evil'), [])
})
