import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headersOnward, isPassedOn, requireOwnPage } from './console-routes.ts'

test('routes the page needs are passed on, and no others', () => {
  for (const [method, path] of [
    ['POST', '/v1/dispatch'],
    ['GET', '/v1/live'],
    ['GET', '/schemas/max/v1/operations.max.audit_query.request.json'],
    ['POST', '/oauth/sign-in'],
    ['PUT', '/admin/trace'],
    ['GET', '/admin/settings'],
    ['GET', '/admin/tenants'],
  ] as const)
    assert.ok(isPassedOn(method, path), `${method} ${path}`)
  for (const [method, path] of [
    ['GET', '/v1/dispatch'],
    ['POST', '/v1/keys'],
    ['POST', '/invoke'],
    ['GET', '/metrics'],
    ['POST', '/oauth/token'],
    ['GET', '/schemas/../admin/trace'],
    ['GET', '/schemas//x'],
    ['GET', '/schemas/%2e%2e/admin/trace'],
    ['GET', '/admin/trace/'],
    ['PUT', '/admin/settings'],
    ['POST', '/admin/tenants'],
    ['GET', '/admin'],
    ['TRACE', '/v1/session'],
  ] as const)
    assert.ok(!isPassedOn(method, path), `${method} ${path}`)
})

test('a key, a forged context and a forged address are not passed on', () => {
  const sent = {
    cookie: 'svc_session=x',
    'x-svc-csrf': 'y',
    authorization: 'Bearer svc_live_x',
    'x-agent-did': 'did:oas:a:agent:0',
    'x-svc-context': 'eyJ',
    'x-forwarded-for': '10.0.0.1',
    origin: 'http://127.0.0.1:3000',
  }
  assert.deepEqual(headersOnward(sent), { cookie: 'svc_session=x', 'x-svc-csrf': 'y' })
})

test('a change must come from the console’s own page, as the browser reports', () => {
  const from = (headers: Record<string, string>, method = 'POST') =>
    requireOwnPage(method, { host: 'ops.example:3000', ...headers })
  from({ 'sec-fetch-site': 'same-origin', origin: 'https://mapped.example' })
  from({ origin: 'http://ops.example:3000' })
  from({})
  from({ 'sec-fetch-site': 'cross-site' }, 'GET')
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ] as Record<string, string>[])
    assert.throws(() => from(headers), /own pages/, JSON.stringify(headers))
})
