// Rules of actions and stops that are checked before anything runs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { newIdentity } from '@svc/adapters/access/tenants'
import { asOwner } from '@svc/audit/test-audit-log'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_did, test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { mare } from '../../truth/mare/mare.ts'
import { maker } from './maker.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let stage: Rehearsal
/** Of the same organization, but not in its charter. */
const second = { did: newIdentity(test_tenant, 'agent').did }
/** Enough if the caller is the only member of the charter. */
const authority = 'mace://sole-member'

before(async () => {
  stage = await rehearse(maker, { others: [mare], tenants: [test_tenant, 'plant'] })
  await addMember(stage.store.engine, test_tenant, test_did, new Date(stage.ports.clock.now_ms()))
})
after(() => stage?.close())

const act = (more: Fields = {}): Fields => ({
  action_kind: 'test.act',
  target: 'nothing',
  executor: { builtin: 'noop' },
  max_duration_ms: 60_000,
  irreversible: false,
  ...more,
})

test('an irreversible action needs a scored risk within appetite, or the authority of the charter', async () => {
  const irreversible = act({ irreversible: true, action_kind: 'demolish', target: 'the old hall' })
  await assertRefused(stage.run('execute_action', irreversible), 'invalid_payload', 'risk_ref')
  const risk = await stage.run('MARE.score', {
    subject: 'The old hall comes down',
    factors: [{ id: 'collapse', frequency: 50, loss_usd: { p5: 1_000_000, p95: 900_000_000 } }],
    appetite: { expected_loss_usd: 100, var95_usd: 1_000 },
  })
  assert.equal(risk.band, 'critical')
  const scored = { ...irreversible, risk_ref: risk.risk_ref }
  await assertRefused(stage.run('execute_action', scored, second), 'policy_denied', 'risk above appetite')
  assert.equal((await stage.run('execute_action', { ...scored, authority })).state, 'authorised')
})

test('an action with unmet preconditions is not started', async () => {
  const input = act({ preconditions: ['input.parameters.level < 5'], parameters: { level: 9 } })
  await assertRefused(stage.run('execute_action', input), 'policy_denied', 'precondition')
})

test('a stop stays latched until someone with authority clears it; an unknown action cannot be stopped', async () => {
  const stop = { scope: 'tenant', reason: 'Something is wrong.', mode: 'immediate' }
  const elsewhere = stage.run('emergency_stop', { ...stop, scope_id: 'elsewhere' })
  await assertRefused(elsewhere, 'invalid_payload', 'scope_id')
  assert.equal((await stage.run('emergency_stop', stop)).latched.is_set, true)
  await assertRefused(stage.run('execute_action', act()), 'policy_denied', 'emergency stop active')
  await assertRefused(stage.run('emergency_stop', { ...stop, clear: {} }, second), 'policy_denied')
  const cleared = await stage.run('emergency_stop', { ...stop, clear: { authority } })
  assert.equal(cleared.latched.is_set, false)
  assert.equal((await stage.run('execute_action', act())).state, 'authorised')
  const unknown = { action_id: 'nobody', reason: 'x' }
  await assertRefused(stage.run('emergency_stop', unknown), 'invalid_payload')
})

test('a stop reaches every device of the organization, or one device anywhere in the list', async () => {
  const plant = { tenant_id: 'plant', did: newIdentity('plant', 'agent').did }
  const did = (n: number) => `did:oas:plant:device:${n.toString(16).padStart(64, '0')}`
  const valve = { id: 'valve', fields: { open: { kind: 'boolean' } }, safe_state: { open: false } }
  const descriptors = Array.from({ length: 1_002 }, (_, n) => ({
    device_did: did(n),
    sensors: [],
    actuators: [valve],
  }))
  await asOwner(stage.database.url, (owner) =>
    owner.query(
      `INSERT INTO mote_devices SELECT 'plant', d->>'device_did', 1, d, now(), now()
       FROM jsonb_array_elements($1::jsonb) d`,
      [JSON.stringify(descriptors)],
    ),
  )
  const stop = (input: object): Promise<Fields> =>
    stage.run('emergency_stop', { ...input, reason: 'Smoke in the hall.', mode: 'immediate' }, plant)
  const [one] = (await stop({ scope: 'device', scope_id: did(1_001) })).devices
  assert.deepEqual([one.actuator_id.startsWith(did(1_001)), one.safe], [true, false])
  const all = await stop({ scope: 'tenant' })
  assert.deepEqual([all.devices.length, all.devices_not_listed], [1_000, 2])
})
