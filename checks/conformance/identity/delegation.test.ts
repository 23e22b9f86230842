// Scenarios 4 and 5, and every externally visible rule of delegation.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { tokenId, tokenInput } from '@svc/contract/authority/delegation-token'
import { isSignedBy } from '@svc/contract/signing/signature'
import {
  askAegis,
  askDelegation,
  type DelegationScene,
  delegateTo,
  type Member,
  openDelegationScene,
  revokeDelegation,
} from '../../scenes/delegation-scene.ts'
import { eventually } from '../../suite/eventually.ts'
import { ask, assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'

/** Generous timeout for slow machines. */
const trial = trialProtocol()
let scene: DelegationScene
before(async () => {
  scene = await openDelegationScene({ more_protocols: [trial.protocol] })
})
after(() => scene.stop())

const policy = (reason: string) => ({ code: 'policy_denied', stage: 7, reason }) as const
const denied = { code: 'capability_denied', stage: 4, reason: 'no matching capability' } as const
const depth = (max_redelegation_depth: number, parent_token?: string) => ({
  max_redelegation_depth,
  ...(parent_token ? { parent_token } : {}),
})

async function newMembers(count: number): Promise<Member[]> {
  return Promise.all(Array.from({ length: count }, () => scene.newMember()))
}

test('Delegation chain: A to B to C works, C to D is too deep, widening is refused, and revoking B ends C at once', async () => {
  const a = await scene.newMember({ declares: ['svc.trial.*'] })
  const [b, c, d] = (await newMembers(3)) as [Member, Member, Member]
  assertRefusal(await ask(b, 'echo'), denied)
  const to_b = await delegateTo(a, { to: b, capabilities: ['svc.trial.*'], more: depth(1) })
  const { metadata } = assertSuccess(await ask(b, 'echo'))
  const [record] = await scene.service.records('dev', { correlation_ids: [metadata.correlation_id] })
  assert.deepEqual([record?.meta.grant, record?.meta.grant_source], ['svc.trial.*', 'delegation'])
  const to_c = await delegateTo(b, { to: c, capabilities: ['svc.trial.echo'], more: depth(0, to_b.token_id) })
  assertSuccess(await ask(c, 'echo'))
  assertRefusal(await ask(c, 'hold'), denied)
  const on_from_c = depth(0, to_c.token_id)
  const deeper = await askDelegation(c, { to: d, capabilities: ['svc.trial.echo'], more: on_from_c })
  assertRefusal(deeper, policy('redelegation depth exhausted'))
  const e = await scene.newMember()
  const widened = { to: e, capabilities: ['svc.other.*'], more: depth(0, to_b.token_id) }
  assertRefusal(await askDelegation(b, widened), policy('capability amplification: svc.other.*'))
  const entered = trial.entered()
  const in_flight = ask(b, 'hold')
  await entered
  const revoked = assertSuccess(await revokeDelegation(a, to_b.token_id))
  assert.deepEqual(revoked.output.revoked, [to_b.token_id, to_c.token_id])
  await eventually(async () => assertRefusal(await ask(c, 'echo'), denied))
  assertRefusal(await ask(b, 'echo'), denied)
  trial.release()
  assertSuccess(await in_flight)
})

test('a holder of one operation cannot redelegate the whole protocol', async () => {
  const a = await scene.newMember({ declares: ['svc.trial.*'] })
  const [b, c] = (await newMembers(2)) as [Member, Member]
  const { token_id } = await delegateTo(a, { to: b, capabilities: ['svc.trial.echo'], more: depth(3) })
  const wider = { to: c, capabilities: ['svc.trial.*'], more: depth(0, token_id) }
  assertRefusal(await askDelegation(b, wider), policy('capability amplification: svc.trial.*'))
})

test('Caveats: time and weekly budget of a delegation are checked on every call', async () => {
  const { clock } = scene
  const a = await scene.newMember({ declares: ['svc.trial.*'] })
  const b = await scene.newMember()
  clock.advance(Date.parse('2026-11-13T08:59:59.999Z') - clock.now_ms())
  const capabilities = [{ name: 'svc.trial.spend', caveats: ['time:09-17', 'weekly_budget:1'] }]
  await delegateTo(a, { to: b, capabilities })
  const unsatisfied = { ...denied, reason: 'caveat not satisfied' }
  assertRefusal(await ask(b, 'spend'), unsatisfied)
  clock.advance(1)
  assertSuccess(await ask(b, 'spend'))
  // It may cost 0.84 USD and has cost 0.30: a second one may not fit into the weekly dollar.
  assertRefusal(await ask(b, 'spend'), unsatisfied)
  clock.advance(Date.parse('2026-11-16T09:00:00Z') - clock.now_ms())
  assertSuccess(await ask(b, 'spend'))
  clock.advance(Date.parse('2026-11-16T17:00:00Z') - clock.now_ms())
  assertRefusal(await ask(b, 'spend'), unsatisfied)
})

test('the token is signed by its delegator and content-addressed, and a repeat gives the same token', async () => {
  const a = await scene.newMember({ declares: [{ name: 'svc.trial.*', caveats: ['jurisdiction:CH'] }] })
  const b = await scene.newMember()
  const answer = await askDelegation(a, { to: b, capabilities: ['svc.trial.echo'] })
  const { output, metadata } = assertSuccess(answer)
  const { token, token_id, attenuated, remaining_depth } = output as never as Record<string, never>
  assert.equal(tokenId(token as never), token_id)
  assert.ok(
    isSignedBy(
      a.key.public_key,
      tokenInput(token as never),
      (token as never as { signature: string }).signature,
    ),
  )
  assert.deepEqual([attenuated, remaining_depth], [true, 0], 'the caveat of the source was added')
  const again = assertSuccess(await askDelegation(a, { to: b, capabilities: ['svc.trial.echo'] }))
  assert.deepEqual(again.output, output)
  const records = await scene.service.records('dev', { correlation_ids: [metadata.correlation_id] })
  const grant = records.find(({ event_type }) => event_type === 'CapabilityGrant')
  assert.deepEqual(
    [grant?.meta.token_id, grant?.meta.from, grant?.meta.to, grant?.meta.capabilities, grant?.meta.method],
    [token_id, a.agent_did, b.agent_did, ['svc.trial.echo'], 'client'],
  )
})

test('a delegator in custody need not sign; one with its own key gets the text to sign', async () => {
  const member = await scene.newMember({ declares: ['svc.trial.*'], in_custody: true })
  const own = await scene.newMember({ declares: ['svc.trial.*'] })
  const b = await scene.newMember()
  const input = { to_did: b.agent_did, capabilities: ['svc.trial.echo'], expires_at: '2026-11-20T00:00:00Z' }
  const { output } = assertSuccess(await askAegis(member, 'delegate', input))
  const { token } = output as { token: Parameters<typeof tokenInput>[0] & { signature: string } }
  assert.ok(isSignedBy(member.key.public_key, tokenInput(token), token.signature))
  const unsigned = await askAegis(own, 'delegate', input)
  const error = assertRefusal(unsigned, { code: 'invalid_payload', stage: 7, reason: 'signature required' })
  assert.match(String(error.details.signing_input), /^svc-delegation-v1\n\{"capabilities":/)
  const forged = { ...input, signature: 'A'.repeat(86), public_key: own.key.public_key }
  const refused = await askAegis(own, 'delegate', forged)
  const { correlation_id } = assertRefusal(refused, policy('signature invalid'))
  const records = await scene.service.records('dev', { correlation_ids: [correlation_id] })
  assert.deepEqual(records.map(({ event_type }) => event_type).sort(), ['Error', 'SecurityViolation'])
  const stolen = { ...forged, public_key: b.key.public_key }
  assertRefusal(await askAegis(own, 'delegate', stolen), policy('public key does not match DID'))
})

test('delegations to oneself, across tenants, in a circle, beyond the source or without end are refused', async () => {
  const until = '2026-11-18T00:00:00Z'
  const a = await scene.newMember({ declares: [{ name: 'svc.trial.*', expires_at: until, caveats: [] }] })
  const b = await scene.newMember()
  const foreign = await scene.newMember({ tenant_id: 'globex' })
  const delegated = (to: Member, more = {}) => ({
    to,
    capabilities: ['svc.trial.echo'],
    more: { expires_at: until, ...more },
  })
  assertRefusal(await askDelegation(a, delegated(a)), policy('delegation to oneself'))
  assertRefusal(await askDelegation(a, delegated(foreign)), policy('delegation crosses tenants'))
  const later = delegated(b, { expires_at: '2026-11-18T00:00:01Z' })
  assertRefusal(await askDelegation(a, later), policy('delegation outlives its source'))
  const endless = delegated(b, { expires_at: '2027-11-18T00:00:01Z' })
  assertRefusal(await askDelegation(a, endless), { code: 'invalid_payload', stage: 7, reason: 'expires_at' })
  const global = { ...delegated(b), capabilities: ['svc.*.*'] }
  assertRefusal(await askDelegation(a, global), { code: 'invalid_payload', stage: 7, reason: 'schema' })
  const { token_id } = await delegateTo(a, delegated(b, { max_redelegation_depth: 2 }))
  assertRefusal(await askDelegation(b, delegated(a, { parent_token: token_id })), policy('delegation cycle'))
  // Another's token gets the same answer as an unknown one.
  const not_found = { code: 'invalid_payload', stage: 7, reason: 'not_found' } as const
  assertRefusal(await askDelegation(a, delegated(b, { parent_token: token_id })), not_found)
  assertRefusal(await askDelegation(a, delegated(b, { parent_token: `sha256:${'0'.repeat(64)}` })), not_found)
})

test('delegates lose what the delegator loses: declared, carried by a key, or by revocation', async () => {
  const { known, service } = scene
  const a = await scene.newMember({ declares: ['svc.trial.*'] })
  const [b, c] = (await newMembers(2)) as [Member, Member]
  const { token_id } = await delegateTo(a, { to: b, capabilities: ['svc.trial.*'], more: depth(1) })
  await delegateTo(b, { to: c, capabilities: ['svc.trial.echo'], more: depth(0, token_id) })
  assertSuccess(await ask(c, 'echo'))
  const before = known.get(a.agent_did)!
  const tell = async (capabilities: typeof before.capabilities, revoked: boolean) => {
    known.set(a.agent_did, { ...before, capabilities, revoked })
    await service.service.store.engine_pool.query(
      `SELECT pg_notify('svc_changed', 'identity:${a.agent_did}')`,
    )
  }
  await tell([], false)
  await eventually(async () => assertRefusal(await ask(c, 'echo'), denied))
  await tell(before.capabilities, false)
  await eventually(async () => assertSuccess(await ask(c, 'echo')))
  await tell(before.capabilities, true)
  await eventually(async () => assertRefusal(await ask(c, 'echo'), denied))
  await tell(before.capabilities, false)
  await eventually(async () => assertSuccess(await ask(c, 'echo')))
  known.set(b.agent_did, { ...known.get(b.agent_did)!, revoked: true })
  await tell(before.capabilities, false)
  await eventually(async () => assertRefusal(await ask(c, 'echo'), denied))
})
