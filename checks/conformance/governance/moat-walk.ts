// Random actions of two organizations over time; the invariants of treaties are checked after each step.

import assert from 'node:assert/strict'
import { asOwner } from '@svc/audit/test-audit-log'
import type { TreatyBody } from '@svc/contract/authority/treaty'
import { isIntact } from '@svc/protocols/governance/moat/treaty'
import { isWordFor } from '@svc/protocols/governance/moat/treaty-signature'
import { transitions } from '@svc/protocols/governance/moat/treaty-states'
import { findTreaty } from '@svc/protocols/governance/moat/treaty-store'
import { sweepTreaties } from '@svc/protocols/governance/moat/treaty-sweep'
import fc from 'fast-check'
import { testTick } from '../../rehearsal/test-context.ts'
import { eventually } from '../../suite/eventually.ts'
import type { Party } from '../identity/made-scene.ts'
import { cross, echo, type MoatScene, mayCross, moat } from './moat-scene.ts'

const hour_ms = 3_600_000

/** A random step: kind, caller and parameters. */
const action = fc.record({
  kind: fc.constantFrom(
    'propose',
    'sign',
    'sign',
    'sign',
    'amend',
    'terminate',
    'wait',
    'sweep',
    'cross',
    'cross',
  ),
  by: fc.constantFrom('ann', 'bob'),
  which: fc.nat(),
  hours: fc.constantFrom(1, 5, 24, 24 * 20),
  limit: fc.integer({ min: 1, max: 3 }),
  caveats: fc.constantFrom([], ['time:08-14'], ['weekly_budget:0.000001'], ['jurisdiction:DE']),
  operation: fc.constantFrom('echo', 'report'),
})
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never
export const actions = fc.array(action, { minLength: 8, maxLength: 24 })

interface Walk {
  readonly scene: MoatScene
  /** Proposals and amendments of this walk, by id. */
  readonly known: { readonly id: string; readonly is_root: boolean }[]
  /** As last seen. */
  readonly states: Map<string, string>
}

export async function walk(scene: MoatScene, steps: readonly Action[]): Promise<void> {
  const state: Walk = { scene, known: [], states: new Map() }
  for (const step of steps) {
    await take(state, step)
    await assertSoundStates(state)
  }
  for (const { id } of state.known)
    await moat(scene.ann, 'terminate', { treaty_id: id, reason: 'the walk is over' })
}

async function take({ scene, known }: Walk, step: Action): Promise<void> {
  const who = scene[step.by]
  const other = step.by === 'ann' ? scene.bob : scene.ann
  const chosen = known.length > 0 ? known[step.which % known.length]! : undefined
  const capability = step.which % 3 === 0 ? 'svc.trial.*' : echo
  const capability_schedule = [{ capability, caveats: step.caveats, granted_to: 'both' }]
  const rate_limits = { per_hour: step.limit }
  if (step.kind === 'wait') scene.clock.advance(step.hours * hour_ms)
  if (step.kind === 'sweep') await sweep(scene)
  if (step.kind === 'cross') await assertSameAnswer(who, other, step.operation)
  if (step.kind === 'propose') {
    const expires_at = scene.later(step.hours * 3 * hour_ms)
    const terms = { counterparty_did: other.agent_did, capability_schedule, rate_limits, expires_at }
    const { body } = await moat(who, 'propose', terms)
    known.push({ id: body.output.treaty_id, is_root: true })
  }
  if (!chosen) return
  if (step.kind === 'terminate') await moat(who, 'terminate', { treaty_id: chosen.id, reason: 'enough' })
  if (step.kind === 'sign')
    await (chosen.is_root
      ? moat(who, 'sign', { treaty_id: chosen.id })
      : moat(who, 'sign_amendment', { amendment_id: chosen.id }))
  if (step.kind === 'amend') {
    const changes = { rate_limits, capability_schedule, expires_at: scene.later(step.hours * 4 * hour_ms) }
    const { body } = await moat(who, 'propose_amendment', { treaty_id: chosen.id, changes, reason: 'more' })
    if (body.output) known.push({ id: body.output.amendment_id, is_root: false })
  }
}

async function sweep({ service, clock }: MoatScene): Promise<void> {
  await sweepTreaties(service.service.store.engine, testTick(clock.now_ms()))
}

/** MOAT answers as stage 4 and the limits do, at the same time. */
async function assertSameAnswer(from: Party, to: Party, operation: string): Promise<void> {
  const capability = `svc.trial.${operation}`
  // A change is known a little later, so both are asked until they agree.
  await eventually(async () => {
    const verdict = await mayCross(from, from, to, { capability })
    const { status, body } = await cross(from, to, operation)
    const done = { active: status === 200, reason: body.error?.reason }
    assert.deepEqual({ active: verdict.active, reason: verdict.reason }, done)
  })
}

/** States only advance, each line has one version in force, and that has two valid signatures. */
async function assertSoundStates({ scene, known, states }: Walk): Promise<void> {
  if (known.length === 0) return
  const { db_url, service } = scene.service
  const text = `SELECT id, root_id, state, body FROM treaties WHERE id = ANY($1)`
  const { rows } = await asOwner(db_url, (client) => client.query(text, [known.map(({ id }) => id)]))
  const heads = new Set<string>()
  for (const { id, root_id, state } of rows as {
    id: string
    root_id: string
    state: string
    body: TreatyBody
  }[]) {
    assert.ok(isReachable(states.get(id) ?? 'PROPOSED', state), `${states.get(id)} > ${state}`)
    states.set(id, state)
    if (state !== 'ACTIVE' && state !== 'SUSPENDED') continue
    assert.ok(!heads.has(root_id), 'one head to a line')
    heads.add(root_id)
    const treaty = (await findTreaty(service.store.engine, id))!
    assert.ok(isIntact(treaty))
    assert.equal(new Set(treaty.signatures.map(({ tenant }) => tenant)).size, 2)
    assert.ok(treaty.signatures.every((signature) => isWordFor(signature, id)))
  }
}

/** Several transitions may have happened at once. */
function isReachable(from: string, to: string): boolean {
  if (from === to) return true
  return transitions[from as keyof typeof transitions].some(
    (next) => next === to || (next !== 'SUSPENDED' && isReachable(next, to)),
  )
}
