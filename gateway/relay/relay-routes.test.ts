import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { headersToCaller, headersToEngine, routeOf } from './relay-routes.ts'

test('each route by method and path', () => {
  const routes: [string, string, ReturnType<typeof routeOf>][] = [
    ['POST', '/v1/dispatch', 'dispatch'],
    ['GET', '/v1/dispatch', undefined],
    ['POST', '/v1/dispatch?x=1', undefined],
    ['POST', '/v1/dispatch/', undefined],
    ['GET', '/v1/whoami', 'whoami'],
    ['POST', '/v1/whoami', undefined],
    ['HEAD', '/v1/whoami', undefined],
    ['GET', '/v1/whoami?x=1', undefined],
    ['GET', '/v1/whoami/', undefined],
    ['GET', '/v1/live', 'live'],
    ['POST', '/v1/live', undefined],
    ['GET', '/v1/live?x=1', undefined],
    ['GET', '/v1/log/acme/checkpoint', 'log'],
    ['HEAD', '/v1/log/acme/tile/0/x001/067.p/8', 'log'],
    ['GET', '/v1/log/acme/tile/entries/000', 'log'],
    ['POST', '/v1/log/acme/checkpoint', undefined],
    ['GET', '/v1/log/acme/checkpoint?x=1', undefined],
    ['GET', '/v1/log/acme/checkpoint/', undefined],
    ['GET', '/v1/log/acme/tile/../checkpoint', undefined],
    ['GET', `/v1/log/acme/tile/0/${'x000/'.repeat(20)}000`, undefined],
    ['GET', '/v1/log/acme', undefined],
    ['GET', '/v1/log//checkpoint', undefined],
    ['GET', '/', 'page'],
    ['GET', '/docs', 'page'],
    ['HEAD', '/docs/pages.js', 'page'],
    ['GET', '/v1/search?q=a/../b', 'page'],
    ['GET', '/v1/searching', undefined],
    ['GET', '/schemas/max/v1/operations.max.audit_query.request.json', 'page'],
    ['POST', '/docs', undefined],
    ['GET', '/health', 'health'],
    ['GET', '/ready', 'ready'],
    ['POST', '/oauth/token', 'login'],
    ['OPTIONS', '/oauth/token', 'login'],
    ['OPTIONS', '/v1/dispatch', undefined],
    ['DELETE', '/v1/keys/abcdefgh', 'login'],
    ['GET', '/.well-known/oauth-protected-resource', 'login'],
    ['PUT', '/v1/keys', undefined],
    ['GET', '/admin/trace', undefined],
    ['GET', '/metrics', undefined],
    ['POST', '/invoke', undefined],
    ['GET', 'http://engine/docs', undefined],
    ['OPTIONS', '*', undefined],
    ['GET', '', undefined],
  ]
  for (const [method, url, route] of routes) assert.equal(routeOf(method, url), route, `${method} ${url}`)
})

test('no ambiguous path passes', () => {
  for (const path of [
    '/docs/../admin/trace',
    '/docs/./x',
    '/docs/%2e%2e/admin',
    '/docs/%2E./admin',
    '/docs%2f..%2fadmin',
    '/docs//x',
    '//docs',
    '/docs\\..\\admin',
    '/docs/..;/admin',
    '/docs/%00',
    '/docs/\t',
    '/docs#admin',
  ]) {
    const route = routeOf('GET', path)
    // `..;` is a plain name to the engine's router, and nothing in front of it reads it as a parent folder.
    assert.equal(route, path.includes('..;') ? 'page' : undefined, path)
  }
})

test('any path that passes is inside an allowed tree', () => {
  const piece = fc.constantFrom(
    'docs',
    'admin',
    'trace',
    '..',
    '.',
    '%2e',
    '%2f',
    '/',
    '\\',
    'v1',
    'dispatch',
    ';',
    '?',
    '#',
    'oauth',
  )
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 8 }),
      fc.constantFrom('GET', 'POST', 'PUT'),
      (pieces, method) => {
        const url = `/${pieces.join('/')}`
        const route = routeOf(method, url)
        if (route === undefined) return
        const { pathname } = new URL(url, 'http://engine')
        assert.equal(pathname, url.split('?')[0], 'it reads the same after normalising')
        assert.match(pathname, /^\/($|docs|oauth|v1\/dispatch$)/)
      },
    ),
    { numRuns: 5_000 },
  )
})

const sent = {
  host: 'gateway',
  connection: 'keep-alive, x-secret-hop',
  'keep-alive': 'timeout=5',
  'transfer-encoding': 'chunked',
  te: 'trailers',
  trailer: 'x',
  upgrade: 'websocket',
  'proxy-authorization': 'Basic eA==',
  'x-secret-hop': 'x',
  'x-svc-context': 'mine',
  'x-forwarded-for': '10.0.0.1',
  'x-agent-did': 'did:oas:a:agent:b',
  authorization: 'Bearer svc_live_abcdefgh_secret',
  cookie: 'svc_session=1',
  accept: 'application/json',
  'content-type': 'application/json',
  'idempotency-key': 'k',
}

test("the engine gets the route's allowed headers: never a hop-by-hop header, a context, or an API key", () => {
  assert.deepEqual(headersToEngine('dispatch', sent), {
    accept: 'application/json',
    'content-type': 'application/json',
    'idempotency-key': 'k',
  })
  assert.deepEqual(headersToEngine('page', sent), { accept: 'application/json' })
  const login = headersToEngine('login', sent)
  assert.deepEqual(
    [login.cookie, login.authorization, login['x-svc-context'], login['x-forwarded-for'], login.connection],
    ['svc_session=1', undefined, undefined, undefined, undefined],
  )
  assert.equal(headersToEngine('login', { authorization: 'bearer  svc_live_x' }).authorization, undefined)
  assert.equal(
    headersToEngine('login', { authorization: 'Bearer ey.token' }).authorization,
    'Bearer ey.token',
  )
})

test('the caller gets the documented headers, each as often as it was sent', () => {
  const raw = [
    'Set-Cookie',
    'a=1',
    'set-cookie',
    'b=2',
    'Connection',
    'close',
    'X-Powered-By',
    'x',
    'X-Correlation-Id',
    'c',
  ]
  assert.deepEqual(headersToCaller(raw), ['Set-Cookie', 'a=1', 'set-cookie', 'b=2', 'X-Correlation-Id', 'c'])
})
