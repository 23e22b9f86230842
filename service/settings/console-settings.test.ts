import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConsoleSettings } from './console-settings.ts'

const api = { SVC_API_URL: 'http://127.0.0.1:8080' }

test('a console needs only an engine; the rest has defaults', () => {
  const { host, port, api_url, path_prefix, tls } = readConsoleSettings(api)
  assert.deepEqual(
    [host, port, api_url.href, path_prefix, tls.listener],
    ['0.0.0.0', 3000, 'http://127.0.0.1:8080/', '', undefined],
  )
  assert.equal(readConsoleSettings({ ...api, SVC_CONSOLE_PATH: '/ops/svc/' }).path_prefix, '/ops/svc')
})

test('invalid settings are named in a sentence', () => {
  for (const [more, sentence] of [
    [{ SVC_API_URL: undefined }, /console needs SVC_API_URL; set it/],
    [{ SVC_API_URL: 'ftp://x' }, /SVC_API_URL names ftp:\/\/x;/],
    [{ SVC_API_URL: 'http://user:word@x' }, /SVC_API_URL must be addresses/],
    [{ SVC_API_URL: 'http://x/behind/this' }, /SVC_API_URL names http:\/\/x\/behind\/this;/],
    [{ APP_BIND_ADDR: 'nowhere' }, /APP_BIND_ADDR is nowhere/],
    [{ SVC_CONSOLE_PATH: 'ops' }, /SVC_CONSOLE_PATH is ops;/],
    [{ SVC_CONSOLE_PATH: '/a b' }, /SVC_CONSOLE_PATH is \/a b;/],
    [{ SVC_TLS_CA: '/nowhere' }, /SVC_TLS_CA names \/nowhere/],
  ] as const)
    assert.throws(() => readConsoleSettings({ ...api, ...more }), sentence)
})
