// Why was this allowed or refused? Every kind of decision, explained from the audit log alone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { overwriteRequest } from '@svc/audit/test-stored'
import { unresolved } from '@svc/contract/identity/identity'
import type { ConformanceLevel } from '@svc/contract/schema'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses, Answer } from '../../engines/running-engine.ts'
import { ask, assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'

const levels = new Map<string, ConformanceLevel>()
let service: InProcessService

before(async () => {
  const [trial, broken, heavy] = ['TRIAL', 'BROKEN', 'HEAVY'].map(
    (id) => trialProtocol('v1.0.0', id).protocol,
  )
  const limits = {
    infrastructure: { capacity: 2000, refill_per_s: 1000 },
    standard: { capacity: 500, refill_per_s: 250 },
    // Allows one call at these callers' tier.
    heavy: { capacity: 1 / 50, refill_per_s: 0.00001 },
  }
  service = await startInProcess({
    more_protocols: [trial!, broken!, { ...heavy!, rate: 'heavy' }],
    config: { limits },
    caller: { capabilities: ['svc.*.*'] },
    identity: {
      resolve: (did) => ({
        outcome: 'Resolved',
        identity: { ...unresolved(did), auth_method: 'test', conformance_level: levels.get(did) ?? 'L1' },
      }),
    },
  })
})
after(() => service.stop())

function askWhy(input: object, caller: Addresses = service): Promise<Answer> {
  return ask(caller, 'explainability_request', input, {}, { protocol: 'MAX' })
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
async function explain(input: object, caller: Addresses = service): Promise<any> {
  return assertSuccess(await askWhy(input, caller)).output
}

/** Each kind of decision: how to cause it, and its expected explanation. */
const decisions: readonly [string, () => Promise<Answer>, Record<string, unknown>, string[]][] = [
  [
    'allowed',
    () => ask(service, 'echo'),
    { decision: 'allowed', stage: 8, reason: 'svc.*.* grants svc.trial.echo' },
    ['svc.trial.echo had not been granted'],
  ],
  [
    'no capability',
    async () => ask(await service.newCaller(), 'echo'),
    { decision: 'refused', stage: 4, code: 'capability_denied', reason: 'no matching capability' },
    ['svc.trial.echo were granted or delegated to the caller'],
  ],
  [
    'no capability, and a level that would not do either',
    async () => ask(await service.newCaller(), 'charter'),
    { decision: 'refused', stage: 4, code: 'capability_denied', reason: 'no matching capability' },
    [
      'svc.trial.charter were granted or delegated to the caller',
      'svc.trial.charter were granted or delegated to the caller, and the caller were at L2',
    ],
  ],
  [
    'no treaty',
    () => ask(service, 'echo', {}, {}, { tenant_id: 'elsewhere' }),
    {
      decision: 'refused',
      stage: 4,
      code: 'capability_denied',
      reason: 'no active treaty',
      appeal_path: 'MOAT propose',
    },
    ['an active treaty granted the capability'],
  ],
  [
    'too low a level',
    () => ask(service, 'charter'),
    { decision: 'refused', stage: 4, code: 'policy_denied', reason: 'conformance L2 required' },
    ['the caller were at L2'],
  ],
  [
    'an input that does not fit',
    () => ask(service, 'echo', { unknown: 1 }),
    { decision: 'refused', stage: 7, code: 'invalid_payload', reason: 'schema' },
    ['the input fitted the published schema'],
  ],
  [
    'a module that says no',
    () => ask(service, 'fail', { how: 'policy_denied' }),
    { decision: 'refused', stage: 7, code: 'policy_denied', reason: 'as told' },
    [],
  ],
  [
    'a name nobody has',
    () => ask(service, 'echo', {}, {}, { protocol: 'NONE' }),
    { decision: 'refused', stage: 1, code: 'unknown_protocol', reason: 'unknown protocol', capability: {} },
    [],
  ],
  [
    'a bug',
    () => ask(service, 'fail', { how: 'bug' }),
    { decision: 'failed', stage: 7, code: 'internal', reason: 'internal' },
    [],
  ],
  [
    'a deadline',
    () => ask(service, 'late'),
    { decision: 'failed', stage: 7, code: 'timeout', reason: 'deadline exceeded' },
    [],
  ],
  [
    'nothing done, only asked',
    () => ask(service, 'echo', { unknown: 1 }, { 'x-svc-dry-run': 'true' }),
    { decision: 'refused', stage: 7, code: 'invalid_payload', reason: 'schema' },
    ['the input fitted the published schema'],
  ],
  [
    'a body that cannot be read',
    () => ask(service, 'echo', {}, {}, { tenant_id: 7 as never }),
    { decision: 'refused', stage: 0, code: 'invalid_request', reason: 'envelope', capability: {} },
    [],
  ],
]

for (const [what, call, expected, changes] of decisions) {
  test(`explained: ${what}`, async () => {
    const { headers } = await call()
    const correlation_id = headers.get('x-correlation-id')!
    const explanation = await explain({ correlation_id, audience: 'auditor' })
    assert.partialDeepStrictEqual(explanation, { ...expected, consistent: true, policies: [] })
    assert.deepEqual(
      explanation.counterfactuals.map(({ change }: { change: string }) => change),
      changes,
    )
    assert.match(explanation.narrative, new RegExp(`${expected.reason}\\.$`.replaceAll('*', '\\*')))
    const records = await service.records(service.tenant_id, { correlation_ids: [correlation_id] })
    assert.deepEqual(
      explanation.evidence,
      records.map(({ record_hash }) => `max://${service.tenant_id}/record/${record_hash}`),
    )
    const plain = await explain({ correlation_id, counterfactuals: false })
    assert.deepEqual(plain.counterfactuals, [])
  })
}

test('a temporary refusal says when to come again: tried on the bucket, and for a breaker said to be outside the log', async () => {
  const heavy = { protocol: 'HEAVY' }
  assertSuccess(await ask(service, 'echo', {}, {}, heavy))
  const limited = await ask(service, 'echo', {}, {}, heavy)
  const broken = { protocol: 'BROKEN' }
  for (let failed = 0; failed < 5; failed++) await ask(service, 'fail', { how: 'bug' }, {}, broken)
  const open = await ask(service, 'echo', {}, {}, broken)
  const passes = { outcome: 'passes', result: 'stage 3 would have passed' }
  const outside = 'cannot be judged again: what was full or closed then is not in the log'
  for (const [{ body }, stage, expected] of [
    [limited, 3, passes],
    [open, 5, { outcome: 'not_judged', result: outside }],
  ] as const) {
    const { correlation_id, retry_after_ms, reason } = body.error
    const explanation = await explain({ correlation_id })
    assert.deepEqual([explanation.stage, explanation.reason, explanation.consistent], [stage, reason, true])
    assert.deepEqual(explanation.limits, { retry_after_ms })
    const change = `the call came ${retry_after_ms} ms later`
    assert.deepEqual(explanation.counterfactuals, [{ change, ...expected }])
  }
})

test('the explanation is reproducible', async () => {
  const { metadata } = assertSuccess(await ask(service, 'echo'))
  const { correlation_id } = metadata
  assert.deepEqual(await explain({ correlation_id }), await explain({ correlation_id }))
})

test('the subject audience hides the DIDs of other agents, the others do not', async () => {
  const colleague = await service.newCaller({ capabilities: ['svc.*.*'] })
  const { correlation_id } = assertSuccess(await ask(colleague, 'echo')).metadata
  for (const audience of [undefined, 'subject']) {
    const explanation = await explain({ correlation_id, ...(audience && { audience }) })
    assert.ok(!JSON.stringify(explanation).includes(colleague.agent_did))
    assert.match(explanation.narrative, /another agent was allowed TRIAL echo/)
  }
  for (const audience of ['operator', 'auditor'])
    assert.ok((await explain({ correlation_id, audience })).narrative.includes(colleague.agent_did))
  assert.ok((await explain({ correlation_id }, colleague)).narrative.includes(colleague.agent_did))
})

test('own calls require L0, those of another agent L1', async () => {
  const plain = await service.newCaller({ capabilities: ['svc.*.*'] })
  levels.set(plain.agent_did, 'L0')
  const own = assertSuccess(await ask(plain, 'echo')).metadata
  assert.equal((await explain({ correlation_id: own.correlation_id }, plain)).decision, 'allowed')
  const { correlation_id } = assertSuccess(await ask(service, 'echo')).metadata
  const expected = { code: 'policy_denied', stage: 7, reason: 'verified lineage required' } as const
  assertRefusal(await askWhy({ correlation_id }, plain), expected)
})

test('a record that contradicts its own rule is reported as such, and raises an alarm', async () => {
  const { correlation_id } = assertSuccess(await ask(service, 'echo')).metadata
  await service.service.audit_log.flush()
  await asOwner(service.db_url, async (owner) => {
    const change = (body: string) => body.replace('"grant":"svc.*.*"', '"grant":"svc.macs.*"')
    await overwriteRequest(owner, service.tenant_id, correlation_id, change)
  })
  const answer = assertSuccess(await askWhy({ correlation_id }))
  assert.deepEqual([answer.output.consistent, answer.output.decision], [false, 'allowed'])
  const filter = { correlation_ids: [answer.metadata.correlation_id], event_types: ['SecurityViolation'] }
  const [alarm] = await service.records(service.tenant_id, filter)
  assert.equal(alarm?.meta.reason, 'a record contradicts the rules it names')
  const [accused] = await service.records(service.tenant_id, { correlation_ids: [correlation_id] })
  assert.deepEqual([alarm?.meta.seq, alarm?.meta.record_hash], [accused?.seq, accused?.record_hash])
})
