import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentCapability } from '@svc/contract/authority/capability'
import { type Books, type Envelope, empty_books } from '@svc/contract/money/books'
import { base_rate } from '@svc/contract/money/charge'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { Refusal } from '@svc/contract/refusal'
import {
  askedOf,
  credentialOf,
  gist,
  type TestPorts,
  test_did,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import type { Asked, Take } from '../call.ts'
import { createEngine } from '../dispatch.ts'

// 2026-11-15, a Sunday, 10:00 UTC; a second of TRY run costs 18,000 µUSD.
const second_micro_usd = 18_000n

const research: Envelope = {
  envelope_id: 'e-1',
  department: 'research',
  created_ms: 0,
  day_limit_micro_usd: 1_000_000n,
  month_limit_micro_usd: 5_000_000n,
  members: new Set([test_did]),
  granted: [],
  throttles: [],
}

interface Scene {
  readonly books?: Partial<Books>
  readonly facts?: Partial<OperationFacts>
  readonly grant?: Partial<AgentCapability>
  /** The budget counter that is full. */
  readonly full?: string
}

interface Opened {
  readonly ports: TestPorts
  readonly reserved: { takes: readonly Take[]; take: boolean }[]
  readonly settled: { takes: readonly Take[]; quanta: bigint }[]
  run(more?: Partial<Asked>, request?: Partial<Asked['request']>): Promise<unknown>
}

function open({ books = {}, facts = {}, grant = {}, full }: Scene = {}): Opened {
  const [reserved, settled] = [[] as Opened['reserved'], [] as Opened['settled']]
  const ports = testPorts([tryProtocol(() => ({}), facts)], {
    treasury: { of: () => ({ ...empty_books, ...books }) },
    budget_counters: {
      reserve(_tenant_id, takes, take) {
        reserved.push({ takes, take })
        return takes.find(({ budget_counter }) => budget_counter === full)
      },
      settle: (_tenant_id, takes, quanta) => void settled.push({ takes, quanta }),
      // Used up only once it was asked for: the gate, which looks first, must not see it.
      state: () => ({
        spent_micro_usd: full && reserved.length > 0 ? 10n ** 12n : 0n,
        reserved_micro_usd: 0n,
      }),
      calls: () => 0n,
    },
  })
  const engine = createEngine(ports)
  const credential = {
    ...credentialOf(),
    capabilities: [{ name: 'svc.try.*', caveats: [], ...grant } as AgentCapability],
  }
  const run: Opened['run'] = async (more = {}, request = {}) => {
    const outcome = await engine.dispatch(askedOf(request, { credential, ...more }))
    return outcome.kind === 'refused' ? outcome.refusal : outcome
  }
  return { ports, reserved, settled, run }
}

async function refusalOf(scene: Scene, more: Partial<Asked> = {}) {
  const opened = open(scene)
  const refusal = await opened.run(more)
  assert.ok(refusal instanceof Refusal, 'it was let through')
  assert.deepEqual(opened.settled, [], 'nothing was reserved, so nothing is given back')
  const [record] = opened.ports.audit_log.records(test_tenant)
  assert.equal(record?.meta.gate, 'MANA')
  assert.equal(gist(record), `AuthorizationCheck refused ${refusal.code} stage 5`)
  return refusal
}

test('the worst case is reserved from balance and credit line, and replaced by the charge', async () => {
  const { run, reserved, settled } = open({ books: { paid_in_micro_usd: 7n, credit_line_micro_usd: 5n } })
  await run()
  assert.deepEqual(reserved, [
    {
      takes: [{ budget_counter: 'runway', limit: 12n, amount: second_micro_usd, counts: 'usd' }],
      take: true,
    },
  ])
  assert.deepEqual(settled, [{ takes: reserved[0]!.takes, quanta: 18n * 10n ** 13n }])
})

test("without its own credit line a tenant has its tier's", async () => {
  const { run, reserved } = open()
  await run()
  assert.equal(reserved[0]!.takes[0]!.limit, 1_000_000_000n)
})

test('a shorter deadline is a smaller worst case; a longer one costs no more than a second', async () => {
  for (const [deadline_ms, amount] of [
    [100, 1_800n],
    [60_000, second_micro_usd],
  ] as const) {
    const { run, reserved } = open({ facts: { deadline_ms } })
    await run()
    assert.equal(reserved[0]!.takes[0]!.amount, amount)
  }
})

test('token use is limited by budget, grant, and a default', async () => {
  const facts = { meters: ['tokens'] } as const
  const amountOf = async (input: unknown, max_tokens?: number) => {
    const { run, reserved } = open({
      facts,
      grant: max_tokens === undefined ? {} : { limits: { max_tokens } },
    })
    await run({}, { input })
    return reserved[0]!.takes[0]!.amount
  }
  assert.equal(await amountOf({}), 300_000n)
  assert.equal(await amountOf({ budget: { tokens: 1_000 } }), 3_000n)
  assert.equal(await amountOf({ budget: { tokens: 1_000_000 } }), 300_000n)
  assert.equal(await amountOf({ budget: { tokens: 1_000_000 } }, 500_000), 1_500_000n)
  for (const budget of ['all of it', { tokens: 0.5 }, { tokens: -1 }, { tokens: '9' }, null, []])
    assert.equal(await amountOf({ budget }), 300_000n, 'what is no number of tokens is stage 7 to refuse')
})

test('a zero deadline is still charged, and so reserved, as a millisecond', async () => {
  const { run, reserved } = open({ facts: { meters: ['tokens', 'seconds'] } })
  await run({}, { input: { budget: { tokens: 0, deadline_ms: 0 } } })
  assert.equal(reserved[0]!.takes[0]!.amount, 18n)
  const halves = open({ facts: { meters: ['tokens', 'seconds'] } })
  await halves.run({}, { input: { budget: { tokens: 0, deadline_ms: 0.5 } } })
  assert.equal(halves.reserved[0]!.takes[0]!.amount, 540_000n)
})

test('prices are those in force', async () => {
  const dear = { ...base_rate, version: 3, from_ms: 1, seconds: base_rate.seconds * 2n }
  const { run, reserved, settled, ports } = open({ books: { rates: [dear] } })
  await run()
  assert.equal(reserved[0]!.takes[0]!.amount, 2n * second_micro_usd)
  assert.equal(settled[0]!.quanta, 36n * 10n ** 13n)
  assert.equal((ports.audit_log.records(test_tenant)[0]!.meta.usage as { rate: number }).rate, 3)
})

test('a member of an envelope spends from its day, its month and the runway; the record names it', async () => {
  const { run, reserved, ports } = open({ books: { envelopes: [research] } })
  await run()
  assert.deepEqual(
    reserved[0]!.takes.map(({ budget_counter, limit }) => [budget_counter, limit]),
    [
      ['envelope/e-1/2026-11-15', 1_000_000n],
      ['envelope/e-1/2026-11', 5_000_000n],
      ['runway', 1_000_000_000n],
    ],
  )
  assert.equal(ports.audit_log.records(test_tenant)[0]!.meta.envelope, 'e-1')
})

test('of several envelopes the oldest pays, unless the call names another of its own', async () => {
  const sales = { ...research, envelope_id: 'e-2', department: 'sales' }
  const foreign = { ...research, envelope_id: 'e-3', members: new Set<string>() }
  const payer = async (envelope_id?: string) => {
    const { run, reserved } = open({ books: { envelopes: [research, sales, foreign] } })
    await run({}, { invoke_context: { metadata: { envelope_id } } } as never)
    return reserved[0]!.takes[0]!.budget_counter.split('/')[1]
  }
  assert.deepEqual([await payer(), await payer('e-2'), await payer('e-3')], ['e-1', 'e-2', 'e-1'])
})

test('each full budget counter says which rule, and what to do', async () => {
  const books = { envelopes: [research] }
  const grant = { caveats: ['weekly_budget:2', 'weekly_budget:3'], limits: { max_per_hour: 4 } }
  const refusedBy = async (full: string) => {
    const { code, details } = await refusalOf({ books, grant, full })
    return [code, details.reason, details.retry_after_ms]
  }
  assert.deepEqual(await refusedBy('runway'), ['policy_denied', 'tenant runway exhausted', undefined])
  assert.deepEqual(await refusedBy('envelope/e-1/2026-11-15'), [
    'policy_denied',
    'envelope day limit reached',
    undefined,
  ])
  assert.deepEqual(await refusedBy('envelope/e-1/2026-11'), [
    'policy_denied',
    'envelope month limit reached',
    undefined,
  ])
  assert.deepEqual(await refusedBy(`week/2026-11-09/${test_did}/svc.try.*`), [
    'capability_denied',
    'caveat not satisfied',
    undefined,
  ])
  assert.deepEqual(await refusedBy(`hour/2026-11-15T10/${test_did}/svc.try.*`), [
    'rate_limited',
    'capability max_per_hour reached',
    3_600_000,
  ])
})

test('the narrowest weekly budget counts, and a call is counted once an hour whatever it costs', async () => {
  const grant = { caveats: ['weekly_budget:3', 'weekly_budget:2'], limits: { max_per_hour: 4 } }
  const { run, reserved } = open({ grant })
  await run()
  const [hour, week] = reserved[0]!.takes
  assert.deepEqual([hour!.limit, hour!.amount, hour!.counts], [4n, 1n, 'calls'])
  assert.deepEqual([week!.limit, week!.amount], [2_000_000n, second_micro_usd])
})

test('a grant may limit each call to a share of the budget', async () => {
  const books = { paid_in_micro_usd: 1_800_000n, credit_line_micro_usd: 0n }
  const share = (max_per_call_bps: number) => ({ grant: { limits: { max_per_call_bps } }, books })
  assert.equal((await refusalOf(share(99))).details.reason, 'capability max_per_call_bps exceeded')
  assert.ok(!((await open(share(100)).run()) instanceof Refusal))
})

test('a hold binds its scope until it ends, and says who may lift it', async () => {
  const now_ms = Date.parse('2026-11-15T10:00:00Z')
  const hold = (scope: string, until_ms = now_ms + 1) => ({
    books: { envelopes: [research], holds: [{ hold_id: 'h-1', scope, reason: 'audit', until_ms }] },
  })
  for (const scope of ['tenant', 'envelope:e-1', `agent:${test_did}`, 'protocol:TRY', 'protocol:try']) {
    const { code, details } = await refusalOf(hold(scope))
    assert.deepEqual(
      [code, details.reason, details.hold_id, details.appeal_path],
      ['policy_denied', 'held: audit', 'h-1', 'MOOT file'],
    )
  }
  for (const scene of [hold('tenant', now_ms), hold('protocol:MAX'), hold('envelope:e-2'), hold('agent:x')])
    assert.ok(!((await open(scene).run()) instanceof Refusal))
})

test('an essential operation runs under a hold and is counted without limit', async () => {
  const holds = [{ hold_id: 'h-1', scope: 'tenant', reason: 'audit', until_ms: Number.MAX_SAFE_INTEGER }]
  for (const facts of [{ essential: true }, { exempt: true }]) {
    const { run, reserved, settled } = open({ books: { holds }, facts })
    assert.ok(!((await run()) instanceof Refusal))
    assert.deepEqual(
      reserved[0]!.takes.map(({ amount }) => amount),
      [0n],
    )
    assert.equal(settled[0]!.quanta, 18n * 10n ** 13n)
  }
})

test('a dry run reserves nothing; a call that fails later releases its reservation', async () => {
  const dry = open()
  await dry.run({ dry_run: true })
  assert.deepEqual([dry.reserved[0]!.take, dry.settled], [false, []])
  const facts = { input: { type: 'object', required: ['count'] } } as never
  const failing = open({ facts })
  assert.ok((await failing.run()) instanceof Refusal)
  assert.deepEqual(failing.settled, [{ takes: failing.reserved[0]!.takes, quanta: 0n }])
})
