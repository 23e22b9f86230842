// Courts for the tests of treaties.

import assert from 'node:assert/strict'
import { sweepTreaties } from '@svc/protocols/governance/moat/treaty-sweep'
import { sweepCases } from '@svc/protocols/governance/moot/case-sweep'
import { courtOf } from '@svc/service/background/governance'
import { dispatch } from '../../engines/running-engine.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import type { Party } from '../identity/made-scene.ts'
import { day_ms, type MoatScene, mayCross } from './moat-scene.ts'

/** An arbiter of the operator. */
export async function newArbiter(scene: MoatScene): Promise<Party> {
  const arbiter = await scene.newParty('operator')
  const input = {
    name: 'Arbiter',
    entity_kind: 'Agent',
    capabilities: ['svc.moot.rule'],
    service_endpoints: [],
    ttl_seconds: 2_592_000,
    visibility: 'public',
  }
  assertSuccess(await dispatch(arbiter, { protocol: 'MARS', operation: 'register_agent', input }))
  return arbiter
}

/** A suspension does not expire after thirty days while a case is open, but does once it is closed. */
export async function assertHeldByCourt(scene: MoatScene, case_id: unknown): Promise<void> {
  const { ann, bob, clock, service } = scene
  const plead = async (who: Party, plea: string) => {
    const input = { case_id, plea, argument: 'It was paid.' }
    assertSuccess(await dispatch(who, { protocol: 'MOOT', operation: 'plead', input }))
  }
  const sweep = async () => {
    const [db, tick] = [service.service.store.engine, testTick(clock.now_ms())]
    await sweepCases(db, tick, courtOf(service.service.root_keys))
    await sweepTreaties(db, tick)
  }
  await plead(bob, 'deny')
  clock.advance(31 * day_ms)
  await sweep()
  assert.equal((await mayCross(ann, ann, bob)).reason, 'treaty suspended')
  await plead(ann, 'withdraw')
  await sweep()
}
