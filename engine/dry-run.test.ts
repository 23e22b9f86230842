import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationFacts } from '@svc/contract/operation-facts'
import fc from 'fast-check'
import {
  askedOf,
  counted_input,
  credentialOf,
  type TestPorts,
  test_did,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../checks/rehearsal/test-ports.ts'
import type { Asked } from './call.ts'
import { createEngine, type Outcome } from './dispatch.ts'
import type { DryRun } from './dry-run.ts'

function open(facts: Partial<OperationFacts> = {}): TestPorts {
  return testPorts([tryProtocol(() => assert.fail('a dry run invoked the module'), facts)])
}
async function dryRun(ports: TestPorts, request: Partial<Asked['request']> = {}, more: Partial<Asked> = {}) {
  const outcome = await createEngine(ports).dispatch(askedOf(request, { ...more, dry_run: true }))
  return outcome.kind === 'dry_run' ? outcome.dry_run : assert.fail(outcome.kind)
}
const verdicts = ({ stages }: DryRun) => stages.map(({ verdict }) => verdict[0]).join('')

test('every stage is listed with what it knew', async () => {
  const ports = open()
  const dry_run = await dryRun(ports)
  assert.deepEqual([dry_run.verdict, dry_run.refusal, verdicts(dry_run)], ['allowed', undefined, 'pppppppp'])
  assert.deepEqual(
    dry_run.stages.map(({ stage, name }) => `${stage} ${name}`),
    [
      '0 Identity',
      '1 Version',
      '2 Context',
      '3 Rate limit',
      '4 Capability',
      '5 Circuit breaker and budget',
      '6 Endpoint',
      '7 Invocation',
    ],
  )
  const knew = dry_run.stages.map((stage) => stage.knew)
  assert.deepEqual(knew[1], { protocol: 'TRY', version: 'v1.0.0', operation: 'run' })
  assert.deepEqual(knew[3], { limit: 500, remaining: 499 })
  assert.deepEqual(knew[4], { requested: 'svc.try.run', grant: 'svc.try.*', source: 'key', ref: undefined })
  assert.deepEqual(knew[6], { endpoint: 'native' })
})

test('a refusal is reported at its own stage, and later ones were not reached', async () => {
  const broken = open()
  for (let i = 0; i < 5; i++) broken.breaker.failed('TRY', 'native', 'timeout')
  const full = open()
  full.audit_log.setState('overflow')
  const table: [
    ports: TestPorts,
    request: Partial<Asked['request']>,
    more: Partial<Asked>,
    stage: number,
    code: string,
  ][] = [
    [open(), { protocol: 'NONE' }, {}, 1, 'unknown_protocol'],
    [full, {}, {}, 3, 'rate_limited'],
    [open(), {}, { credential: credentialOf() }, 4, 'capability_denied'],
    [open({ level: 'L2' }), {}, {}, 4, 'policy_denied'],
    [broken, {}, {}, 5, 'circuit_open'],
    [open({ input: counted_input }), {}, {}, 7, 'invalid_payload'],
    [open({ input_bytes_max: 10 }), {}, { body_bytes: 11 }, 7, 'payload_too_large'],
  ]
  for (const [ports, request, more, stage, code] of table) {
    const dry_run = await dryRun(ports, request, more)
    const expected = 'p'.repeat(stage) + 'r' + 'n'.repeat(7 - stage)
    assert.deepEqual([dry_run.verdict, verdicts(dry_run), dry_run.stage], ['refused', expected, stage], code)
    assert.equal(dry_run.refusal?.code, code)
    const [record] = ports.audit_log.records(test_tenant)
    assert.deepEqual([record?.meta.code, record?.meta.stage, record?.outcome], [code, stage, 'refused'])
    for (const later of dry_run.stages.slice(stage + 1)) assert.deepEqual(later.knew, {})
  }
})

const someRequest = fc.record({
  protocol: fc.constantFrom('TRY', 'TRY', 'TRY', 'try', 'NONE'),
  version: fc.constantFrom('v1', 'v1.0.0', 'latest', 'v2', 'x'),
  operation: fc.constantFrom('run', 'run', 'run', 'ran'),
  input: fc.constantFrom<unknown>({ count: 1 }, { count: 1 }, { count: 0 }, {}, null, { count: 1, more: 1 }),
  tenant_id: fc.constantFrom(test_tenant, test_tenant, test_tenant, 'globex'),
})
const someAsked = fc.record({
  credential: fc.constantFrom(credentialOf('svc.try.*'), credentialOf('svc.*.*'), credentialOf()),
  body_bytes: fc.constantFrom(10, 10, 2_000_000),
  advance_ms: fc.nat(800),
})

/** The caller's view of an outcome, dry run or not. */
function verdictOf(outcome: Outcome): string {
  if (outcome.kind === 'success') return 'allowed'
  const { refusal, stage } = outcome.kind === 'refused' ? outcome : outcome.dry_run
  return refusal ? `${refusal.code} at ${stage}: ${refusal.message}` : 'allowed'
}

test('a dry run gives the verdict of the real call that follows it, and takes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(someRequest, someAsked), { maxLength: 15 }), async (calls) => {
      const settings = {
        engine_did: test_did,
        operator_tenant_id: 'operator',
        watts_per_core: 5,
        check_outputs: true,
        limits: {
          infrastructure: { capacity: 3, refill_per_s: 1 },
          standard: { capacity: 3, refill_per_s: 1 },
          heavy: { capacity: 3, refill_per_s: 1 },
        },
      }
      const ports = testPorts([tryProtocol(() => ({}), { input: counted_input })], { settings })
      const engine = createEngine(ports)
      for (const [request, { advance_ms, ...more }] of calls) {
        ports.clock.advance(advance_ms)
        const incoming: Asked = askedOf(request, more)
        const first = await engine.dispatch({ ...incoming, dry_run: true })
        const again = await engine.dispatch({ ...incoming, dry_run: true })
        const real = await engine.dispatch(incoming)
        assert.equal(verdictOf(first), verdictOf(real))
        assert.equal(verdictOf(again), verdictOf(real))
        assert.deepEqual(again.allowance, first.allowance)
        assert.deepEqual(real.allowance, first.allowance)
      }
      ports.sums.close()
      const records = ports.audit_log.records(test_tenant)
      const recorded = records.reduce((sum, { meta }) => sum + Number(meta.count ?? 1), 0)
      assert.equal(recorded, calls.length * 3)
    }),
    { numRuns: 150 },
  )
})
