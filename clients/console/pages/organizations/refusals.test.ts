import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, type ErrorCode, SvcError } from '@svc/sdk'
import { readWhole } from './read-whole.ts'
import { requiredMotion } from './required-motion.ts'
import { signatureRequestOf } from './signature-request.ts'

const subject = `sha256:${'7'.repeat(64)}`

test('a refusal for a missing signature names what to sign and when', () => {
  const faults = [{ pointer: '/signature', message: 'svc-treaty-v1\n{}' }]
  const timestamp = '2026-11-15T10:00:00.000Z'
  const error = (reason: string, details: object) =>
    new SvcError({ code: 'invalid_payload', message: 'no', reason, details: { ...details } })
  assert.deepEqual(signatureRequestOf(error('signature required', { faults, timestamp })), {
    text: 'svc-treaty-v1\n{}',
    timestamp,
  })
  assert.deepEqual(signatureRequestOf(error('signature required', { faults }))?.timestamp, undefined)
  assert.equal(signatureRequestOf(error('signature required', {})), undefined)
  assert.equal(signatureRequestOf(error('signature invalid', { faults })), undefined)
  assert.equal(signatureRequestOf(new Error('signature required')), undefined)
})

test('a refusal for a missing verdict links to the council that can give it', () => {
  const message =
    'MOAT.sign binds the whole organization, but no verdict authorizes it; convene a charter-level ' +
    `motion that binds MOAT.sign to ${subject}, or pass its verdict as authority.`
  const refused = (details: Record<string, unknown>, text = message) =>
    new SvcError({ code: 'policy_denied', message: text, details })
  assert.deepEqual(requiredMotion(refused({ gate: 'MACE-quorum' })), { operation: 'MOAT.sign', subject })
  assert.deepEqual(requiredMotion(refused({ gate: 'MACE-quorum' }, 'no')), { operation: '', subject: '' })
  assert.equal(requiredMotion(refused({})), undefined)
  assert.equal(requiredMotion(new Error(message)), undefined)
})

test('a caller who may not read the details sees the summary and why; any other problem stays a problem', async () => {
  const { signal } = new AbortController()
  const read = (code: ErrorCode) =>
    readWhole(
      {} as Client,
      async (_client, include_detail) => {
        if (include_detail) throw new SvcError({ code, message: 'not a party of this case' })
        return { items: ['the head'] }
      },
      signal,
    )
  assert.deepEqual(await read('policy_denied'), { item: 'the head', withheld: 'not a party of this case' })
  await assert.rejects(read('rate_limited'), { code: 'rate_limited' })
  const nothing = await readWhole({} as Client, async () => ({ items: [] }), signal)
  assert.deepEqual(nothing, { item: undefined, withheld: undefined })
})
