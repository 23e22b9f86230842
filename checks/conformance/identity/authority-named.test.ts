// The authority of a call in the audit log: the record, MAGI, the explanation and the report agree.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dispatch } from '../../engines/running-engine.ts'
import {
  type DelegationScene,
  delegateTo,
  type Member,
  openDelegationScene,
  revokeDelegation,
} from '../../scenes/delegation-scene.ts'
import { eventually } from '../../suite/eventually.ts'
import { ask, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let scene: DelegationScene
let owner: Member
let auditor: Member

before(async () => {
  scene = await openDelegationScene({ more_protocols: [trialProtocol().protocol] })
  owner = await scene.newMember({ declares: ['svc.trial.*'] })
  auditor = await scene.newMember({ declares: ['svc.magi.*', 'svc.max.*'] })
})
after(() => scene.stop())

const done = async (protocol: string, operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await dispatch(auditor, { protocol, operation, input })).output

async function recordOf(correlation_id: string) {
  const records = await scene.service.records('dev', { correlation_ids: [correlation_id] })
  return records.find(({ event_type }) => event_type === 'ProtocolInvocation')!
}

async function grantRecord(token_id: string) {
  const granted = await scene.service.records('dev', { event_types: ['CapabilityGrant'] })
  return granted.find(({ meta }) => meta.token_id === token_id)!
}

test('after the first of two delegations is revoked, every record and report names the second', async () => {
  const borrower = await scene.newMember()
  const delegation = { to: borrower, capabilities: ['svc.trial.*'] }
  const first = await delegateTo(owner, delegation)
  const before_revoking = assertSuccess(await ask(borrower, 'echo')).metadata
  assert.equal((await recordOf(before_revoking.correlation_id)).meta.grant_ref, first.token_id)
  assertSuccess(await revokeDelegation(owner, first.token_id))
  await eventually(async () => assert.equal((await ask(borrower, 'echo')).status, 403))
  const second = await delegateTo(owner, { ...delegation, more: { expires_at: '2026-11-19T00:00:00Z' } })
  assert.notEqual(second.token_id, first.token_id)
  await eventually(async () => assert.equal((await ask(borrower, 'echo')).status, 200))
  const { correlation_id } = assertSuccess(await ask(borrower, 'echo')).metadata

  const { meta } = await recordOf(correlation_id)
  assert.deepEqual(
    [meta.grant_source, meta.grant_ref, meta.credential],
    ['delegation', second.token_id, borrower.key_id],
  )

  const removed = [await grantRecord(first.token_id), await grantRecord(second.token_id)]
  const counterfactual = removed.map(({ record_hash }) => record_hash)
  const traced = await done('MAGI', 'trace', { root: correlation_id, counterfactual })
  const ids = traced.nodes.map(({ id }: Fields) => id)
  assert.ok(ids.includes(`grant:${second.token_id}`), `the trace names the delegation: ${ids}`)
  assert.ok(ids.includes(`record:${counterfactual[1]}`), 'and the record that granted it')
  assert.ok(!JSON.stringify(traced.nodes).includes(first.token_id), 'not the revoked one')
  const without = new Map<string, boolean>(
    traced.counterfactuals.flatMap(({ removed: gone, changed }: Fields) =>
      [gone].flat().length === 1 ? [[String([gone].flat()[0]), changed]] : [],
    ),
  )
  assert.deepEqual(
    counterfactual.map((hash) => [...without].find(([gone]) => gone.includes(hash))?.[1]),
    [false, true],
    'without the second grant it would not have happened; the first changes nothing',
  )

  const answer = await done('MAX', 'explainability_request', { correlation_id, audience: 'auditor' })
  assert.deepEqual(
    [answer.capability.source, answer.capability.ref, answer.capability.credential],
    ['delegation', second.token_id, borrower.key_id],
  )

  const period = { from: '2026-11-12T00:00:00Z', to: '2026-11-13T00:00:00Z' }
  const report = await done('MAX', 'compliance_report', { period })
  const used = report.authorities.filter(({ ref }: Fields) => [first.token_id, second.token_id].includes(ref))
  const calls = new Map<string, number>(used.map(({ ref, calls: count }: Fields) => [ref, count]))
  assert.equal(calls.get(first.token_id), 1)
  assert.ok(calls.get(second.token_id)! >= 1)
  assert.equal(report.authorities_truncated, false)
  const control = report.controls.find(({ id }: Fields) => id === 'authority-is-named')
  assert.deepEqual([control.status, control.evidence[0].exceptions], ['evidence', 0])
})

test('a redelegation leads back to the delegation it came from', async () => {
  const [middle, last] = [await scene.newMember(), await scene.newMember()]
  const more = { max_redelegation_depth: 1 }
  const to_middle = await delegateTo(owner, { to: middle, capabilities: ['svc.trial.*'], more })
  const to_last = await delegateTo(middle, {
    to: last,
    capabilities: ['svc.trial.echo'],
    more: { max_redelegation_depth: 0, parent_token: to_middle.token_id },
  })
  const { correlation_id } = assertSuccess(await ask(last, 'echo')).metadata
  assert.equal((await recordOf(correlation_id)).meta.grant_ref, to_last.token_id)
  const { nodes, ...trace } = await done('MAGI', 'trace', { root: correlation_id })
  const ids = nodes.map(({ id }: Fields) => id)
  for (const { token_id } of [to_last, to_middle])
    assert.ok(ids.includes(`grant:${token_id}`), `${token_id}: ${JSON.stringify([ids, trace])}`)
})
