import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { TreatyBody } from '@svc/contract/authority/treaty'
import { treatyGrantWeek } from '@svc/contract/money/budget-counter'
import { quanta_per_micro_usd } from '@svc/contract/money/money'
import type { Contract, Obligation } from '../../economic/contracts/contract-terms.ts'
import { type Evidence, findingsOf, stillOwed } from './finding.ts'
import { type StoredTreaty, treatyId } from './treaty.ts'

const did = (tenant: string) => `did:oas:${tenant}:agent:${'a'.repeat(64)}`
const at = (hour: number, minute = 0) => new Date(Date.UTC(2026, 10, 16, hour, minute))
const recall = 'svc.mind.recall_memory'

function version(more: Partial<TreatyBody>, stored: Partial<StoredTreaty> = {}): StoredTreaty {
  const body: TreatyBody = {
    v: 1,
    parent: null,
    parties: ['acme', 'globex'].map((tenant) => ({ tenant, did: did(tenant) })),
    grants: [{ to: 'globex', capability: 'svc.mind.*' }],
    rate_limits: {},
    settlement: { rail: 'internal', currency: 'usd', clearing_fee_bps: 5 },
    dispute_resolution: { via: 'MOOT', venue: 'operator' },
    effective_from: at(0).toISOString(),
    expires_at: at(24).toISOString(),
    nonce: 'x',
    ...more,
  }
  return {
    id: treatyId(body),
    body,
    root_id: 'root',
    proposer_tenant: 'acme',
    proposed_by: did('acme'),
    proposed_at: at(0),
    sign_by: at(24),
    state: 'ACTIVE',
    activated_at: at(0),
    in_force_at: at(0),
    suspended: null,
    open_cases: [],
    ended_at: null,
    signatures: [],
    ...stored,
  }
}

let seq = 0
function call(treaty: StoredTreaty, moment: Date, more: Record<string, unknown> = {}): AuditRecord {
  seq++
  const meta = { treaty_id: treaty.id, treaty_root: 'root', capability: recall, grant: 'svc.mind.*', ...more }
  return {
    id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
    seq,
    event_type: 'ProtocolInvocation',
    correlation_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
    timestamp: moment.toISOString(),
    tenant_id: 'acme',
    caller_did: did('globex'),
    outcome: 'success',
    latency_ms: 1,
    meta: { caller_tenant: 'globex', ...meta },
    previous_hash: '0'.repeat(64),
    record_hash: String(seq).padStart(64, '0'),
  }
}

function look(line: StoredTreaty[], more: Partial<Evidence> = {}) {
  const nothing = { calls: [], attempts: [], spent: new Map(), contracts: [] }
  return findingsOf({
    tenant_id: 'acme',
    other: 'globex',
    line,
    from: at(0),
    to: at(24),
    ...nothing,
    ...more,
  })
}
const gist = (findings: ReturnType<typeof look>) =>
  findings.map(({ kind, about, observed, allowed, records }) => [
    kind,
    about,
    observed,
    allowed,
    records.length,
  ])

test('each call counts against the limit it was made under', () => {
  const first = version({ rate_limits: { per_hour: 2 } })
  const second = version({ rate_limits: { per_hour: 1 }, parent: first.id })
  const calls = [at(1), at(1, 10), at(2)].map((moment) => call(first, moment))
  assert.deepEqual(look([first, second], { calls }), [])
  // The first two were allowed when made; the third exceeds the terms of its own time.
  const more = [...calls.slice(0, 2), call(second, at(1, 20))]
  const findings = look([first, second], { calls: more })
  assert.deepEqual(gist(findings), [['rate_exceeded', 'per_hour 2026-11-16T01', '3 calls', '1 calls', 1]])
  assert.deepEqual(
    look([first, second], { calls: more }),
    findings,
    'looking again finds the same, under the same id',
  )
})

test('limits per day and per hour of one grant count as well', () => {
  const grants = [{ to: 'globex', capability: 'svc.mind.*', limits: { max_per_hour: 1 } }]
  const treaty = version({ grants, rate_limits: { per_day: 2 } })
  const calls = [at(1), at(1, 1), at(5)].map((moment) => call(treaty, moment))
  assert.deepEqual(
    gist(look([treaty], { calls })).map(([, about]) => about),
    ['per_day 2026-11-16', 'max_per_hour svc.mind.* 2026-11-16T01'],
  )
})

test('a week that cost more than any of its terms allowed is a breach', () => {
  const budget = (usd: string) => [
    { to: 'globex', capability: 'svc.mind.*', limits: { weekly_budget_usd: usd } },
  ]
  const first = version({ grants: budget('2') }, { ended_at: at(3), state: 'SUPERSEDED' })
  const second = version({ grants: budget('1') }, { in_force_at: at(3) })
  const budget_counter = treatyGrantWeek('root', 'svc.mind.*', at(1).getTime())
  const spent = (micro: bigint) => new Map([[budget_counter, { quanta: micro * quanta_per_micro_usd }]])
  assert.deepEqual(look([first, second], { spent: spent(2_000_000n) }), [])
  const findings = look([first, second], { spent: spent(2_000_001n), calls: [call(first, at(1))] })
  assert.deepEqual(gist(findings), [
    ['budget_exceeded', 'weekly_budget_usd svc.mind.* 2026-11-16', '2.000001 USD', '2.000000 USD', 1],
  ])
  assert.deepEqual(
    look([version({})], { spent: spent(9_000_000n) }),
    [],
    'where none was set, none is exceeded',
  )
})

test('calls that succeeded without a grant at that time are found', () => {
  const treaty = version({}, { suspended: { from: at(5), until: at(6), by: 'acme' } })
  const wrong = [
    call(treaty, at(1), { capability: 'svc.mars.discovery' }),
    call(treaty, at(5, 30)),
    call(treaty, at(24, 1)),
    call(treaty, at(2), { treaty_id: 'another' }),
  ]
  const findings = look([treaty], {
    calls: [call(treaty, at(1)), call(treaty, at(24)), ...wrong],
    to: at(48),
  })
  assert.deepEqual(
    findings.map(({ kind, observed }) => [kind, observed]),
    [
      ['out_of_grant', '1 calls'],
      ['out_of_grant', '2 calls'],
      ['out_of_grant', '1 calls'],
    ],
  )
})

test('unpaid obligations at the end of the period are overdue, and after the grace period missing', () => {
  const owes = (
    id: string,
    from: 'proposer' | 'counterparty',
    more: Partial<Obligation> = {},
  ): Obligation => ({
    id,
    from,
    asset_id: 'usd',
    amount: 100n,
    due_at: at(1).toISOString(),
    condition: { kind: 'none' },
    credit_to: 'available',
    settled: 0n,
    ended: null,
    ended_at: null,
    exchange: null,
    ...more,
  })
  const contract = {
    contract_id: 'c',
    proposer: { tenant_id: 'acme', did: did('acme') },
    counterparty: { tenant_id: 'globex', did: did('globex') },
    activated_at: at(0),
    obligations: [
      owes('mine', 'proposer'),
      owes('late', 'counterparty', { settled: 30n }),
      owes('paid', 'counterparty', { ended: 'SETTLED', ended_at: at(2) }),
      owes('paid-late', 'counterparty', { ended: 'SETTLED', ended_at: at(30) }),
      owes('waits', 'counterparty', { condition: { kind: 'after_obligation', ref: 'mine' } }),
      owes('before', 'counterparty', { due_at: at(-2).toISOString() }),
    ],
  } as unknown as Contract
  const contracts = [contract]
  const evidence = { contracts, from: at(0, 30), line: [version({})] }
  const findings = look([version({})], evidence)
  assert.deepEqual(
    findings.map(({ kind, about, records }) => [kind, about, ...records]),
    [
      ['payment_overdue', 'c late', 'made://contract/c'],
      ['payment_overdue', 'c paid-late', 'made://contract/c'],
    ],
  )
  assert.deepEqual([...stillOwed({ contracts }, findings)], [['c', ['late']]])
  const [missing] = look([version({})], { ...evidence, to: at(100) })
  assert.deepEqual([missing?.kind, missing?.about], ['settlement_missing', 'c late'])
})

test('what the terms stopped is a finding, by capability and reason', () => {
  const treaty = version({})
  const stopped = {
    stage: 4,
    denying_policy: treaty.id,
    code: 'capability_denied',
    reason: 'capability not granted',
  }
  const attempts = [
    call(treaty, at(1), { ...stopped, capability: 'svc.made.list' }),
    call(treaty, at(2), { ...stopped, capability: 'svc.made.list', count: 4 }),
    call(treaty, at(3), { stage: 5, code: 'rate_limited', reason: 'limit reached: per_hour' }),
  ]
  assert.deepEqual(gist(look([treaty], { attempts })), [
    ['refused_attempt', 'svc.made.list: capability not granted', '5 calls refused', '0 calls', 2],
    ['refused_attempt', `${recall}: limit reached: per_hour`, '1 calls refused', '0 calls', 1],
  ])
})
