// What treaties need of others: councils that decide for an organization, and courts.

import assert from 'node:assert/strict'
import { asOwner } from '@svc/audit/test-audit-log'
import { sweepTreaties } from '@svc/protocols/governance/moat/treaty-sweep'
import { sweepCases } from '@svc/protocols/governance/moot/case-sweep'
import { dispatch } from '../../engines/running-engine.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import type { Party } from '../identity/made-scene.ts'
import { day_ms, type MoatScene, mayCross } from './moat-scene.ts'

/** A verdict of all members that these treaties be signed. */
export async function decide(members: readonly Party[], ...treaty_ids: unknown[]): Promise<string> {
  const mace = async (who: Party, operation: string, input: object) =>
    assertSuccess(await dispatch(who, { protocol: 'MACE', operation, input })).output
  const binds = treaty_ids.map((subject) => ({ protocol: 'MOAT', operation: 'sign', subject }))
  const [first] = members as [Party]
  const { motion_id } = await mace(first, 'convene', {
    motion: { title: 'A treaty', text: 'Let us sign it.', binds },
    quorum: 'majority',
    deadline_ms: day_ms,
    composition_rules: {},
  })
  for (const member of members)
    await mace(member, 'deliberate', { motion_id, position: 'for', reasoning: 'It is good for us.' })
  return (await mace(first, 'tally', { motion_id })).ref as string
}

/** Somebody of the operator's who may judge. */
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

/** While the court has it, thirty days end no suspension; when there is no case any more, they do. */
export async function assertHeldByCourt(scene: MoatScene, case_id: unknown): Promise<void> {
  const { ann, bob, clock, service } = scene
  const plead = async (who: Party, plea: string) => {
    const input = { case_id, plea, argument: 'It was paid.' }
    assertSuccess(await dispatch(who, { protocol: 'MOOT', operation: 'plead', input }))
  }
  const sweep = async () => {
    const [db, tick] = [service.service.store.engine, testTick(clock.now_ms())]
    await sweepCases(db, tick)
    await sweepTreaties(db, tick)
  }
  await plead(bob, 'deny')
  clock.advance(31 * day_ms)
  await sweep()
  assert.equal((await mayCross(ann, ann, bob)).reason, 'treaty suspended')
  await plead(ann, 'withdraw')
  await sweep()
}

/** Somebody of an organization that is no more. */
export async function sealedDid({ newParty, service }: MoatScene): Promise<string> {
  const { agent_did } = await newParty('gone')
  for (const standing of ['dissolving', 'sealed'])
    await asOwner(service.db_url, (client) =>
      client.query("UPDATE tenants SET standing = $1 WHERE tenant_id = 'gone'", [standing]),
    )
  return agent_did
}
