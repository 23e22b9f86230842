import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { revokeKey } from '@svc/adapters/access/api-keys'
import type { AgentCapability } from '@svc/contract/authority/capability'
import { type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import type { Resolution } from '@svc/engine/known'
import type { IdentityResolver } from '@svc/engine/ports'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { eventually } from '../../suite/eventually.ts'
import { ask, assertRefusal, assertRefusedAndRecorded, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'

/** Identities known to the resolver; all others cannot be resolved. */
const resolutions = new Map<string, Resolution>()
const identity: IdentityResolver = {
  resolve: (did) => resolutions.get(did) ?? { outcome: 'Failed', reason: 'not in the test' },
}
const trial = trialProtocol()
let service: InProcessService
let clock: ManualClock

before(async () => {
  clock = manualClock('2026-11-12T08:59:59.000Z')
  service = await startInProcess({ clock, identity, more_protocols: [trial.protocol] })
})
after(() => service.stop())

function identityOf(did: string, more: Partial<ResolvedAgentIdentity> = {}): ResolvedAgentIdentity {
  return { ...unresolved(did), auth_method: 'did-auth', ...more }
}

/** A caller whose identity document declares these capabilities. */
async function holderOf(...granted: (string | AgentCapability)[]): Promise<Addresses> {
  const caller = await service.newCaller()
  const capabilities = granted.map((item) => (typeof item === 'string' ? { name: item, caveats: [] } : item))
  resolutions.set(caller.agent_did, {
    outcome: 'Resolved',
    identity: identityOf(caller.agent_did, { capabilities }),
  })
  return caller
}

function caveated(...caveats: string[]): AgentCapability {
  return { name: 'svc.trial.*', caveats }
}

const denied = (reason: string) => ({ code: 'capability_denied', stage: 4, reason }) as const

test('Matching at Stage 4: exact, then protocol wildcard, then global wildcard', async () => {
  const order = ['svc.trial.echo', 'svc.trial.*', 'svc.*.*']
  for (const [index, name] of order.entries()) {
    const caller = await holderOf(...order.slice(index).toReversed())
    const { metadata } = assertSuccess(await ask(caller, 'echo'))
    const [record] = await service.records(caller.tenant_id, { correlation_ids: [metadata.correlation_id] })
    assert.deepEqual([record?.meta.grant, record?.meta.grant_source], [name, 'declared'])
  }
})

test('No match yields CapabilityDenied with protocol and operation', async () => {
  const caller = await holderOf('svc.trial.note', 'svc.other.*')
  const { error, record } = await assertRefusedAndRecorded(
    service,
    await ask(caller, 'echo'),
    denied('no matching capability'),
  )
  assert.equal(error.details.requested_capability, 'svc.trial.echo')
  // Stage 4 refusal: SecurityViolation with requested capability and caller DID.
  assert.deepEqual(
    [
      record.event_type,
      record.meta.requested_capability,
      record.caller_did,
      record.protocol,
      record.operation,
    ],
    ['SecurityViolation', 'svc.trial.echo', caller.agent_did, 'TRIAL', 'echo'],
  )
})

test('`svc.*` alone does not match; `svc.*.read` does not match: cross-protocol wildcards are not allowed', async () => {
  for (const name of [
    'svc.*',
    'svc.*.read',
    'svc.*.echo',
    '*',
    'svc.tri*.echo',
    'SVC.TRIAL.ECHO',
    'svc.trial',
  ]) {
    const caller = await holderOf(name)
    assertRefusal(await ask(caller, 'echo'), denied('no matching capability'))
  }
})

test('Expired capabilities are ignored', async () => {
  const until = (expires_at: string) => ({ name: 'svc.trial.echo', expires_at, caveats: [] })
  const expired = await holderOf(until('2026-11-12T08:59:59Z'))
  assertRefusal(await ask(expired, 'echo'), denied('capability expired'))
  assertSuccess(await ask(await holderOf(until('2026-11-12T09:00:00Z')), 'echo'))
  assertSuccess(await ask(await holderOf(until('2026-11-12T08:59:59Z'), 'svc.*.*'), 'echo'))
})

test('time:09-17 is valid 09:00-17:00 UTC', async () => {
  const caller = await holderOf(caveated('time:09-17'))
  const night = await holderOf(caveated('time:22-06'))
  assertRefusal(await ask(caller, 'echo'), denied('caveat not satisfied'))
  clock.advance(1_000)
  assertSuccess(await ask(caller, 'echo'))
  assertRefusal(await ask(night, 'echo'), denied('caveat not satisfied'))
  clock.advance(8 * 3_600_000)
  assertRefusal(await ask(caller, 'echo'), denied('caveat not satisfied'))
  clock.advance(5 * 3_600_000)
  assertSuccess(await ask(night, 'echo'))
})

test("jurisdiction:<code> is judged by the identity document, never by the caller's claim", async () => {
  const caller = await holderOf(caveated('jurisdiction:CH'))
  const denial = denied('caveat not satisfied')
  assertRefusal(await ask(caller, 'echo', {}, { 'x-jurisdiction': 'CH' }), denial)
  const resolution = resolutions.get(caller.agent_did) as Extract<Resolution, { outcome: 'Resolved' }>
  for (const [jurisdiction, allowed] of [
    ['DE', false],
    ['CH', true],
  ] as const) {
    const documented = { ...resolution.identity, extended: { jurisdiction } }
    resolutions.set(caller.agent_did, { outcome: 'Resolved', identity: documented })
    const answer = await ask(caller, 'echo')
    if (allowed) assertSuccess(answer)
    else assertRefusal(answer, denial)
  }
})

test('action_kind:<kind>', async () => {
  const caller = await holderOf(caveated('action_kind:read'))
  assertSuccess(await ask(caller, 'echo', { action_kind: 'read' }))
  assertRefusal(await ask(caller, 'echo', { action_kind: 'write' }), denied('caveat not satisfied'))
  assertRefusal(await ask(caller, 'echo'), denied('caveat not satisfied'))
})

test('weekly_budget:<amount> applies to an ISO week and is reset on Monday', async () => {
  const caller = await holderOf(caveated('weekly_budget:1'))
  // A call may cost 0.84 USD and costs 0.30: the first fits into the weekly dollar, the second does not.
  assertSuccess(await ask(caller, 'spend'))
  assertRefusal(await ask(caller, 'spend'), denied('caveat not satisfied'))
  const monday_ms = Date.parse('2026-11-16T00:00:00Z')
  clock.advance(monday_ms - clock.now_ms() - 1)
  assertRefusal(await ask(caller, 'spend'), denied('caveat not satisfied'))
  clock.advance(1)
  assertSuccess(await ask(caller, 'spend'))
})

test('an unknown caveat is not satisfied, and all caveats must be satisfied', async () => {
  for (const caveat of ['moon:full', 'time', 'time:9-17', 'weekly_budget:lots', 'constructor:x']) {
    assertRefusal(await ask(await holderOf(caveated(caveat)), 'echo'), denied('caveat not satisfied'))
  }
  const both = await holderOf(caveated('action_kind:read', 'moon:full'))
  assertRefusal(await ask(both, 'echo', { action_kind: 'read' }), denied('caveat not satisfied'))
  // An unsatisfied narrower grant does not block a wider one.
  const wider = await holderOf({ name: 'svc.trial.echo', caveats: ['moon:full'] }, 'svc.*.*')
  assertSuccess(await ask(wider, 'echo'))
})

test('Conformance levels: L1 needs verified lineage, L2 more, and an unresolved caller has none', async () => {
  const caller = await holderOf('svc.trial.*')
  const policy = (reason: string) => ({ code: 'policy_denied', stage: 4, reason }) as const
  const resolution = resolutions.get(caller.agent_did) as Extract<Resolution, { outcome: 'Resolved' }>
  const at = (conformance_level: 'L0' | 'L1' | 'L2') =>
    resolutions.set(caller.agent_did, {
      outcome: 'Resolved',
      identity: { ...resolution.identity, conformance_level, lineage_verified: conformance_level !== 'L0' },
    })
  at('L0')
  assertRefusal(await ask(caller, 'verified'), policy('verified lineage required'))
  assertRefusal(await ask(caller, 'charter'), policy('conformance L2 required'))
  at('L1')
  assertSuccess(await ask(caller, 'verified'))
  const error = assertRefusal(await ask(caller, 'charter'), policy('conformance L2 required'))
  assert.equal(error.details.denying_policy, 'conformance L2')
  at('L2')
  assertSuccess(await ask(caller, 'charter'))
  const stranger = await service.newCaller({ capabilities: ['svc.trial.*'] })
  assertRefusal(await ask(stranger, 'verified'), policy('unresolved identity'))
})

test('Failed: fallback to an unresolved identity, which holds what its key carries and nothing else', async () => {
  const bare = await service.newCaller()
  assertRefusal(await ask(bare, 'echo'), denied('no matching capability'))
  const carrying = await service.newCaller({ capabilities: ['svc.trial.echo'] })
  const { output } = assertSuccess(await ask(carrying, 'echo'))
  const { resolved_identity } = output.invoke as { resolved_identity: ResolvedAgentIdentity }
  assert.equal(resolved_identity.auth_method, 'unresolved')
})

test('Partial: the request proceeds and a LineageUnverified event is recorded', async () => {
  const caller = await holderOf()
  const capabilities = [{ name: 'svc.trial.echo', caveats: [] }]
  const warnings = ['the creator could not be reached']
  resolutions.set(caller.agent_did, {
    outcome: 'Partial',
    identity: identityOf(caller.agent_did, { capabilities }),
    warnings,
  })
  const { metadata } = assertSuccess(await ask(caller, 'echo'))
  const records = await service.records(caller.tenant_id, { correlation_ids: [metadata.correlation_id] })
  assert.deepEqual(records.map(({ event_type }) => event_type).sort(), [
    'LineageUnverified',
    'ProtocolInvocation',
  ])
  assert.deepEqual(
    records.find(({ event_type }) => event_type === 'LineageUnverified')?.meta.warnings,
    warnings,
  )
})

test('The middleware never raises', async () => {
  const caller = await service.newCaller({ capabilities: ['svc.trial.echo'] })
  resolutions.set(caller.agent_did, new Proxy({} as Resolution, { get: () => { throw new Error('broken document') } })) // biome-ignore format: one thought
  const request = { protocol: 'TRIAL', operation: 'echo', input: {} }
  const answer = await dispatch(caller, request)
  resolutions.delete(caller.agent_did)
  // The revocation check failed, so the call is neither allowed nor denied.
  const error = assertRefusal(answer, { code: 'unavailable', stage: 4 })
  assert.equal(error.details.unavailable, 'identity')
  assertSuccess(await dispatch(caller, request))
})

test('Cross-org without treaty: HTTP 403 CapabilityDenied, and the audit event notes there is no active treaty', async () => {
  const caller = await holderOf('svc.*.*')
  await service.newCaller({ tenant_id: 'somebody-else' })
  const answers = await Promise.all(
    ['somebody-else', 'nobody-at-all'].map((tenant_id) => ask(caller, 'echo', {}, {}, { tenant_id })),
  )
  for (const answer of answers) {
    const { record } = await assertRefusedAndRecorded(service, answer, denied('no active treaty'))
    assert.deepEqual([record.event_type, record.meta.reason], ['SecurityViolation', 'no active treaty'])
  }
  // An existing tenant and an unknown one get the same answer.
  const messages = answers.map(({ body }) => body.error.message)
  assert.equal(messages[0], messages[1])
})

test('Revocation: in-flight requests complete, new requests deny', async () => {
  const caller = await service.newCaller({ capabilities: ['svc.trial.*'] })
  const entered = trial.entered()
  const in_flight = ask(caller, 'hold')
  await entered
  assert.ok(await revokeKey(service.service.store.engine, caller.tenant_id, caller.key_id))
  const refused = { code: 'unauthenticated', stage: null, reason: 'key revoked' } as const
  await eventually(async () => assertRefusal(await ask(caller, 'echo'), refused))
  trial.release()
  assertSuccess(await in_flight)
})

test('a revoked identity holds nothing', async () => {
  const caller = await service.newCaller({ capabilities: ['svc.trial.*'] })
  assertRefusal(await ask(caller, 'charter'), { code: 'policy_denied', stage: 4 })
  resolutions.set(caller.agent_did, {
    outcome: 'Resolved',
    identity: identityOf(caller.agent_did, {
      revoked: true,
      capabilities: [{ name: 'svc.*.*', caveats: [] }],
    }),
  })
  assertRefusal(await ask(caller, 'echo'), denied('no matching capability'))
})
