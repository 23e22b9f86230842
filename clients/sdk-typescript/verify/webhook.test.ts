import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { verifyWebhook } from './webhook.ts'

const key = Buffer.alloc(32, 7)
const secret = `whsec_${key.toString('base64')}`
const now = new Date('2026-11-15T10:00:00Z')
const body = JSON.stringify({ type: 'ApprovalGiven', timestamp: now.toISOString(), data: { id: 'é' } })

function signed(text: string, at: Date = now, id = 'msg-1') {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

const reasonOf = async (...args: Parameters<typeof verifyWebhook>) => {
  const verdict = await verifyWebhook(...args)
  return verdict.ok ? undefined : verdict.reason
}

test('a signed body is the event in it, as text or bytes, whatever holds its headers', async () => {
  const headers = signed(body)
  const event = JSON.parse(body)
  assert.deepEqual(await verifyWebhook(body, headers, secret, now), { ok: true, id: 'msg-1', event })
  assert.equal(await reasonOf(Buffer.from(body), new Headers(headers), secret, now), undefined)
  const shouted = Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name.toUpperCase(), text]),
  )
  assert.equal(await reasonOf(body, shouted, secret, now), undefined)
  const both = { ...headers, 'webhook-signature': `v1a,x v1,AAAA ${headers['webhook-signature']}` }
  assert.equal(await reasonOf(body, both, secret, now), undefined)
})

test('any other body, id, time, signature or secret is refused', async () => {
  const headers = signed(body)
  const wrong = 'its signature is not made with this secret'
  assert.equal(await reasonOf(`${body} `, headers, secret, now), wrong)
  assert.equal(await reasonOf(body, { ...headers, 'webhook-id': 'msg-2' }, secret, now), wrong)
  const later = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }
  assert.equal(await reasonOf(body, later, secret, now), wrong)
  for (const signature of ['v1,', 'v1', 'v2,AAAA', headers['webhook-signature'].slice(0, -4), 'v1,=?'])
    assert.equal(await reasonOf(body, { ...headers, 'webhook-signature': signature }, secret, now), wrong)
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  assert.equal(await reasonOf(body, headers, other, now), wrong)
  for (const unfit of ['', 'whsec_', 'whsec_*', key.toString('base64')])
    assert.match(String(await reasonOf(body, headers, unfit, now)), /form whsec_/)
})

test('a message counts for five minutes in both directions', async () => {
  const at = (s: number) => new Date(now.getTime() + s * 1000)
  assert.equal(await reasonOf(body, signed(body), secret, at(300)), undefined)
  assert.equal(await reasonOf(body, signed(body), secret, at(-300)), undefined)
  for (const moment of [at(301), at(-301)])
    assert.match(String(await reasonOf(body, signed(body), secret, moment)), /within 5 minutes/)
  const unfit = { ...signed(body), 'webhook-timestamp': 'NaN' }
  assert.match(String(await reasonOf(body, unfit, secret, now)), /within 5 minutes/)
})

test('what lacks a header or is no event is refused, and nothing throws', async () => {
  const { 'webhook-id': _, ...rest } = signed(body)
  assert.match(String(await reasonOf(body, rest, secret, now)), /is missing/)
  for (const text of ['', 'null', '[]', '{"type":1,"data":{}}', '{"type":"x"}'])
    assert.equal(await reasonOf(text, signed(text), secret, now), 'its body is no event')
  const bytes = new Uint8Array([0xff, 0xfe])
  assert.notEqual(await reasonOf(bytes, signed('x'), secret, now), undefined)
})

test('a time that is none, and a body that was parsed already, are refused, and nothing throws', async () => {
  assert.match(String(await reasonOf(body, signed(body), secret, new Date(Number.NaN))), /within 5 minutes/)
  for (const parsed of [JSON.parse(body), undefined, null, 7, [1]])
    assert.match(String(await reasonOf(parsed as string, signed(body), secret, now)), /before any parsing/)
  for (const headers of [undefined, null, 7])
    assert.match(String(await reasonOf(body, headers as never, secret, now)), /is missing/)
  assert.match(String(await reasonOf(body, signed(body), undefined as never, now)), /form whsec_/)
})

test('no text but the signed one passes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }),
      fc.dictionary(fc.string(), fc.string()),
      async (text, more) => {
        const verdict = await verifyWebhook(text, { ...more, ...signed(body) }, secret, now)
        assert.equal(verdict.ok, text === body)
      },
    ),
  )
})
