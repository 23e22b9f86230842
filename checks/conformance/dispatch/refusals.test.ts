import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RefusalCode } from '@svc/contract/refusal'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'
import { ask, assertRefusal, assertRefusedAndRecorded, type Expected } from './expectations.ts'

const trial = trialProtocol()
let service: InProcessService

before(async () => {
  service = await startInProcess({ more_protocols: [trial.protocol] })
  const unhealthy = { ...trialProtocol('v1.0.0', 'SICK').protocol }
  const endpoint = {
    id: 'away',
    kind: 'external',
    healthy: false,
    in_flight: 0,
    invoke: () => ({ data: {} }),
  } as const
  service.service.registry.register(unhealthy, [endpoint])
})
after(() => service.stop())

interface Case extends Expected {
  /** The condition in the spec's table of errors. */
  readonly condition: string
  readonly details?: Record<string, unknown>
  call(): Promise<Answer>
}

const cases: readonly Case[] = [
  {
    condition: 'UnknownProtocol: protocol not registered',
    code: 'unknown_protocol',
    stage: 1,
    reason: 'unknown protocol',
    call: () => ask(service, 'echo', {}, {}, { protocol: 'TRYAL' }),
  },
  {
    condition: 'UnknownVersion: requested version not installed',
    code: 'unknown_version',
    stage: 1,
    reason: 'unknown version',
    details: { installed: 'v1.0.0' },
    call: () => ask(service, 'echo', {}, {}, { version: 'v2.0.0' }),
  },
  {
    condition: 'UnknownOperation',
    code: 'unknown_operation',
    stage: 1,
    reason: 'unknown operation',
    call: () => ask(service, 'ecco'),
  },
  {
    condition: 'CapabilityDenied: cross-org without an active treaty',
    code: 'capability_denied',
    stage: 4,
    reason: 'no active treaty',
    details: { requested_capability: 'svc.trial.echo', appeal_path: 'MOAT propose' },
    call: () => ask(service, 'echo', {}, {}, { tenant_id: 'somebody-else' }),
  },
  {
    condition: 'NoEndpointAvailable: no healthy endpoint',
    code: 'no_endpoint_available',
    stage: 6,
    reason: 'no healthy endpoint',
    call: () => ask(service, 'echo', {}, {}, { protocol: 'SICK' }),
  },
  {
    condition: 'Timeout: deadline exceeded',
    code: 'timeout',
    stage: 7,
    reason: 'deadline exceeded',
    call: () => ask(service, 'late'),
  },
  {
    condition: 'InvalidPayload (422)',
    code: 'invalid_payload',
    stage: 7,
    reason: 'schema',
    details: {
      faults: [
        { pointer: '/text', message: 'is required' },
        { pointer: '/a~1b', message: 'is not a known field' },
      ],
    },
    call: () => ask(service, 'note', { 'a/b': 1 }),
  },
  {
    condition: 'an operation takes as many bytes as it declares',
    code: 'payload_too_large',
    stage: 7,
    reason: 'too_large',
    call: () => ask(service, 'small', { text: 'x'.repeat(2000) }),
  },
  ...(
    [
      'missing_capability',
      'policy_denied',
      'adapter_error',
      'protocol_error',
      'rate_limited',
      'idempotency_in_flight',
    ] as const
  ).map(
    (code): Case => ({
      condition: `a module that fails with ${code} is answered with it`,
      code,
      stage: 7,
      reason: 'as told',
      call: () => ask(service, 'fail', { how: code }),
    }),
  ),
  {
    condition: 'the envelope is not valid',
    code: 'invalid_request',
    stage: null,
    reason: 'envelope',
    details: { faults: [{ pointer: '/protocol', message: 'must be string' }] },
    call: () => ask(service, 'echo', {}, {}, { protocol: 5 as never }),
  },
  {
    condition: 'the body is not JSON',
    code: 'invalid_request',
    stage: null,
    reason: 'malformed body',
    call: () => dispatch(service, '{'),
  },
  {
    condition: 'the Idempotency-Key header and the body name different keys',
    code: 'idempotency_key_reused',
    stage: null,
    reason: 'two keys',
    call: () => ask(service, 'note', { text: 'x' }, { 'idempotency-key': 'a' }, { idempotency_key: 'b' }),
  },
  {
    condition: 'a request larger than 8 MiB',
    code: 'payload_too_large',
    stage: null,
    reason: 'body too large',
    call: () => dispatch(service, `"${'x'.repeat(8 * 1024 * 1024)}"`),
  },
]

for (const { condition, code, stage, reason, details = {}, call } of cases) {
  test(`${condition}: ${code}, with its reasons and exactly one record`, async () => {
    const { error, record } = await assertRefusedAndRecorded(service, await call(), { code, stage, reason })
    const none = { requested_capability: null, denying_policy: null, dissent: null, appeal_path: null }
    // Once the operation is known, every refusal names the capability it requires.
    const capability_detail = record.meta.capability ? { requested_capability: record.meta.capability } : {}
    assert.deepEqual(error.details, { ...none, ...capability_detail, ...details })
    assert.equal('capability' in record.meta, stage !== null && stage > 1)
    assert.equal(record.caller_did, service.agent_did)
    if (stage !== null) assert.equal(record.meta.stage, stage)
  })
}

test('Internal: 500, and the cause goes to the record, never to the caller', async () => {
  for (const how of ['bug', 'output']) {
    const answer = await ask(service, 'fail', { how })
    const { record } = await assertRefusedAndRecorded(service, answer, { code: 'internal', stage: 7 })
    assert.ok(!JSON.stringify(answer.body).includes('secret of the module'))
    assert.match(
      String(Object(record.meta.supplied).cause),
      how === 'bug' ? /^TypeError: a secret/ : /does not fit its output schema/,
    )
  }
})

test('a misspelled name is answered with the right one', async () => {
  const protocol = await ask(service, 'echo', {}, {}, { protocol: 'TRYAL' })
  assert.match(protocol.body.error.message, /Did you mean TRIAL\?/)
  assert.match((await ask(service, 'ecco')).body.error.message, /Did you mean echo\?/)
})

const strangers: readonly [string, Record<string, string | undefined>, string][] = [
  ['no credential', { authorization: undefined }, 'no credential'],
  ['a malformed credential', { authorization: 'Basic abc' }, 'malformed credential'],
]
const mistaken: typeof strangers = [
  ['no DID', { 'x-agent-did': undefined }, 'no agent did'],
  [
    'a DID the key is not bound to',
    { 'x-agent-did': `did:oas:dev:agent:${'0'.repeat(64)}` },
    'agent did mismatch',
  ],
]

test("dispatch requires an API key; a stranger's refusal is recorded in the operator's log, a key holder's in its tenant's", async () => {
  const [operator, own] = [service.operator.tenant_id, service.tenant_id]
  for (const [refused, tenant_id, caller_did] of [
    [strangers, operator, 'unauthenticated'],
    [mistaken, own, service.agent_did],
  ] as const) {
    for (const [what, headers, reason] of refused) {
      const answer = await ask(service, 'echo', {}, headers)
      const expected = { code: 'unauthenticated', stage: null, reason } as const
      const { record } = await assertRefusedAndRecorded(service, answer, expected, tenant_id)
      assert.equal(record.caller_did, caller_did, what)
      assert.equal(answer.body.error.audit_head, null)
    }
  }
})

test('an expired or revoked key gives no access', async () => {
  const expired = await service.newCaller({ expires_at: '2020-01-01T00:00:00Z' })
  const expected = { code: 'unauthenticated', stage: null, reason: 'key expired' } as const
  assertRefusal(await ask(expired, 'echo'), expected)
})

test('Every refusal is structured and audited with the same weight as a success', async () => {
  const count = async () => (await service.records(service.tenant_id)).length
  const before = await count()
  const codes: RefusalCode[] = ['policy_denied', 'adapter_error', 'missing_capability']
  for (const how of codes) await ask(service, 'fail', { how })
  await ask(service, 'echo')
  assert.equal(await count(), before + codes.length + 1)
})
