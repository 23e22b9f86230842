import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenForCallback } from './callback-server.ts'

const never = new AbortController().signal
const minute_ms = 60_000

test('the first callback counts; icons, other methods and other paths do not, and a second one is rejected', async (t) => {
  const server = await listenForCallback(0, minute_ms, never)
  t.after(() => server.close())
  const origin = new URL(server.redirect_uri).origin
  assert.match(server.redirect_uri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  for (const path of ['/', '/favicon.ico', '/callback/x', '//evil.example/callback', '/callbackx?code=1'])
    assert.equal((await fetch(origin + path)).status, 404, path)
  assert.equal((await fetch(server.redirect_uri, { method: 'POST' })).status, 404)
  const first = fetch(`${server.redirect_uri}?code=abc&state=def`)
  const callback = await server.came
  assert.equal(callback.url.search, '?code=abc&state=def')
  const second = await fetch(`${server.redirect_uri}?code=other`)
  assert.equal(second.status, 410)
  await callback.answer({ title: 'Done', text: 'Close this page.' })
  const page = await first
  const text = await page.text()
  assert.equal(page.status, 200)
  assert.match(text, /<h1>Done<\/h1>/)
  assert.ok(!text.includes('abc') && !text.includes('def'))
  assert.equal(page.headers.get('cache-control'), 'no-store')
  assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
  await server.close()
  await assert.rejects(fetch(server.redirect_uri))
})

test('the wait is limited, and an abort ends it with its own reason', async (t) => {
  const late = await listenForCallback(0, 1, never)
  t.after(() => late.close())
  await assert.rejects(late.came, { code: 'timeout', message: /Nobody came back from the browser/ })
  await late.close()
  const stopping = new AbortController()
  const stopped = await listenForCallback(0, minute_ms, stopping.signal)
  t.after(() => stopped.close())
  stopping.abort(new Error('stopped by Ctrl-C'))
  await assert.rejects(stopped.came, /stopped by Ctrl-C/)
  await stopped.close()
  const before = await listenForCallback(0, minute_ms, AbortSignal.abort(new Error('too late')))
  t.after(() => before.close())
  await assert.rejects(before.came, /too late/)
  await before.close()
})

test('a port in use is a usage error', async (t) => {
  const first = await listenForCallback(0, minute_ms, never)
  t.after(() => first.close())
  const port = Number(new URL(first.redirect_uri).port)
  await assert.rejects(listenForCallback(port, minute_ms, never), {
    name: 'UsageError',
    message: /is in use/,
  })
  await first.close()
  await assert.rejects(first.came, /the sign-in was stopped/, 'or its timer would hold the process')
})
