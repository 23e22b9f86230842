// A limiter that reserves in the same question changes no answer and no record, only the number of questions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLimiter } from '@svc/adapters/rate-limit/memory'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { manualClock } from '../checks/rehearsal/manual-clock.ts'
import {
  askedOf,
  credentialOf,
  no_capabilities,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../checks/rehearsal/test-ports.ts'
import type { Asked, Take } from './call.ts'
import { createEngine } from './dispatch.ts'
import type { Ports } from './ports.ts'

interface Scene {
  readonly facts?: Partial<OperationFacts>
  readonly request?: Partial<Asked['request']>
  readonly asked?: Partial<Asked>
  /** Refuses every reservation. */
  readonly without_budget?: boolean
  readonly other?: Partial<Ports>
  readonly is: string
  /** How often the budget is asked for by itself, with a limiter that reserves. */
  readonly own_questions: number
}

const async_grants: Partial<Ports> = {
  capabilities: {
    ...no_capabilities,
    effective: async (...of_call) => no_capabilities.effective(...of_call),
  },
}

const scenes: Record<string, Scene> = {
  success: { is: 'success', own_questions: 0 },
  'a bucket that is empty': { facts: { rate_cost: 501 }, is: 'rate_limited at 3', own_questions: 0 },
  'no capability': {
    asked: { credential: credentialOf() },
    is: 'capability_denied at 4',
    own_questions: 0,
  },
  'another tenant': {
    request: { tenant_id: 'globex' },
    is: 'capability_denied at 4',
    own_questions: 0,
  },
  'a level that is missing': { facts: { level: 'L1' }, is: 'policy_denied at 4', own_questions: 0 },
  'no budget': { without_budget: true, is: 'policy_denied at 5', own_questions: 0 },
  'grants that must be looked up': { other: async_grants, is: 'success', own_questions: 1 },
  'a dry run': { asked: { dry_run: true }, is: 'dry_run', own_questions: 1 },
  'an exempt operation': { facts: { exempt: true }, is: 'success', own_questions: 1 },
}

for (const [name, scene] of Object.entries(scenes))
  test(`${name}: ${scene.is}, whether judged ahead or in order`, async () => {
    const [in_order, ahead] = [await play(scene, false), await play(scene, true)]
    assert.equal(ahead.is, scene.is)
    assert.deepEqual(ahead, { ...in_order, reservations: ahead.reservations })
    assert.equal(ahead.reservations, scene.own_questions)
  })

async function play(scene: Scene, is_remote: boolean) {
  const { facts = {}, request, asked, without_budget = false, other = {} } = scene
  let reservations = 0
  const settled: bigint[] = []
  const judge = (takes: readonly Take[]) => (without_budget ? takes[0] : undefined)
  const budget_counters: Ports['budget_counters'] = {
    reserve(_tenant_id, takes) {
      reservations++
      return judge(takes)
    },
    settle: (_tenant_id, _takes, quanta) => void settled.push(quanta),
    state: () => ({ spent_micro_usd: without_budget ? 10n ** 12n : 0n, reserved_micro_usd: 0n }),
    calls: () => 0n,
  }
  const clock = manualClock('2026-11-18T10:00:00.000Z')
  let ids = 0
  const uuid = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`
  const fixed_ports = { clock: { ...clock, uuid }, budget_counters, ...other }
  const ports = testPorts([tryProtocol(() => ({}), facts)], fixed_ports)
  const local = memoryLimiter(ports.clock)
  const limiter: Ports['limiter'] = {
    health: () => 'ok',
    async take(bucket, size, cost, take, planned) {
      const takes = take && cost > 0 ? planned?.() : undefined
      const allowance = await local.take(bucket, size, cost, take)
      return takes && allowance.allowed ? { ...allowance, reservation: { lacking: judge(takes) } } : allowance
    },
  }
  const engine = createEngine(is_remote ? { ...ports, limiter } : ports)
  const outcome = await engine.dispatch(askedOf(request, asked))
  ports.sums.settle()
  // Each log has a salt of its own.
  const records = ports.audit_log.records(test_tenant).map(({ record_hash: _, ...record }) => {
    const { input_hash: _in, output_hash: _out, ...meta } = record.meta
    return { ...record, meta }
  })
  const is = outcome.kind === 'refused' ? `${outcome.refusal.code} at ${outcome.stage}` : outcome.kind
  const { reservation: _, ...allowance } = outcome.allowance
  return { is, allowance, records, settled, reservations }
}
