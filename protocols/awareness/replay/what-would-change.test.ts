import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCedar } from '@svc/adapters/policy/cedar'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { PolicySet } from '@svc/contract/authority/policy'
import type { RulesThen } from './gate-again.ts'
import { whatWouldChange } from './what-would-change.ts'

const cedar = openCedar()
const night = '2026-11-15T03:10:00.000Z'
const forbid = (when: string, notes = '') => `${notes}forbid(principal, action, resource) when { ${when} };`
const by_night = forbid('context.hour < 9', '@reason("closed")')
const of_runs = forbid('resource.operation == "run"')
const of_amounts = forbid('context.input.amount > 7')

function setOf(policies: Record<string, string>): PolicySet {
  return {
    set_digest: JSON.stringify(policies),
    policies: Object.entries(policies).map(([policy_id, body]) => ({ policy_id, version: '1.0.0', body })),
  }
}
function rulesWith(policies: Record<string, string>, more: Partial<RulesThen> = {}): RulesThen {
  return { tenant_id: 'acme', cedar, set: setOf(policies), facts: { level: 'L1', effect: 'write' }, ...more }
}
function refused(meta: Record<string, unknown>, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: '11111111-1111-4111-8111-111111111111',
    seq: 1,
    event_type: 'Error',
    correlation_id: '22222222-2222-4222-8222-222222222222',
    timestamp: night,
    tenant_id: 'acme',
    caller_did: `did:oas:acme:agent:${'a'.repeat(64)}`,
    protocol: 'TRY',
    operation: 'run',
    outcome: 'refused',
    latency_ms: 1,
    meta: { capability: 'svc.try.run', caller_kind: 'Agent', caller_level: 'L1', stage: 4, ...meta },
    previous_hash: '0'.repeat(64),
    record_hash: 'f'.repeat(64),
    ...more,
  }
}
const ungranted = { code: 'capability_denied', reason: 'no matching capability' }
const byPolicy = (name: string, reason = `policy ${name} forbids`) => ({
  code: 'policy_denied',
  reason,
  denying_policy: `maxim://${name}`,
  grant: 'svc.try.*',
  policy_sets: { acme: 'x' },
  scene: { state_changing: true },
})
const changesOf = (record: AuditRecord, rules: RulesThen) =>
  whatWouldChange(record, rules, undefined).map(({ change, outcome, next }) => [
    change,
    outcome,
    next?.reason,
  ])
const granted = 'svc.try.run were granted or delegated to the caller'
const without = (name: string) => `policy ${name}@1.0.0 had not been in force`

test('a grant alone is named where nothing else stands against the call', () => {
  assert.deepEqual(changesOf(refused(ungranted), rulesWith({})), [[granted, 'passes', undefined]])
  assert.deepEqual(changesOf(refused(ungranted), rulesWith({ hours: forbid('context.hour > 20') })), [
    [granted, 'passes', undefined],
  ])
})

test('where the grant alone is not enough, the next refusal is named, and the combination that is', () => {
  const level = rulesWith({}, { facts: { level: 'L2', effect: 'write' } })
  assert.deepEqual(changesOf(refused(ungranted), level), [
    [granted, 'refused_next', 'conformance L2 required'],
    [`${granted}, and the caller were at L2`, 'passes', undefined],
  ])
  const closed = rulesWith({ hours: by_night }, { facts: { level: 'L2', effect: 'write' } })
  assert.deepEqual(changesOf(refused(ungranted), closed), [
    [granted, 'refused_next', 'conformance L2 required'],
    [`${granted}, and the caller were at L2, and ${without('hours')}`, 'passes', undefined],
  ])
})

test('of two policies that forbid, neither alone is enough, and both are', () => {
  const rules = rulesWith({ hours: by_night, runs: of_runs })
  assert.deepEqual(changesOf(refused(byPolicy('hours@1.0.0')), rules), [
    [without('hours'), 'refused_next', 'policy runs@1.0.0 forbids'],
    [without('runs'), 'refused_next', 'policy hours@1.0.0 forbids: closed'],
    [`${without('hours')}, and ${without('runs')}`, 'passes', undefined],
  ])
})

test('another time and a higher level are named only where they are enough', () => {
  assert.deepEqual(changesOf(refused(byPolicy('hours@1.0.0')), rulesWith({ hours: by_night })), [
    [without('hours'), 'passes', undefined],
    ['the call came at 2026-11-15T09:00:00.000Z, under the same rules', 'passes', undefined],
  ])
  const low = rulesWith({ level: forbid('principal.level < 2') })
  assert.deepEqual(changesOf(refused(byPolicy('level@1.0.0')), low), [
    [without('level'), 'passes', undefined],
    ['the caller were at L2', 'passes', undefined],
  ])
  const often = rulesWith({ hours: `${by_night}//${'x'.repeat(60_000)}` })
  assert.deepEqual(changesOf(refused(byPolicy('hours@1.0.0')), often).at(-1), [
    'the call came at another time',
    'not_judged',
    undefined,
  ])
})

test('consent lifts what it may, and nothing else', () => {
  const asking = forbid('resource.operation == "run"', '@approval("charter")')
  const waiting = { ...byPolicy('big@1.0.0'), code: 'approval_required' }
  assert.deepEqual(changesOf(refused(waiting), rulesWith({ big: asking })), [
    ['the consent had been given', 'passes', undefined],
  ])
  assert.deepEqual(changesOf(refused(ungranted), rulesWith({ big: asking })), [
    [granted, 'refused_next', 'waits for the consent of charter'],
    [`${granted}, and the consent had been given`, 'passes', undefined],
  ])
})

test('consent is not named where the operation never waits for it', () => {
  const asking = forbid('resource.operation == "run"', '@approval("charter")')
  const free = rulesWith(
    { big: asking },
    { facts: { level: 'L1', effect: 'write', needs_no_approval: true } },
  )
  assert.deepEqual(changesOf(refused(ungranted), free), [[granted, 'passes', undefined]])
})

test('a grant alone does not open what only administrators may do', () => {
  const rules = rulesWith({}, { facts: { level: 'L1', effect: 'write', for_administrators: true } })
  const [change] = whatWouldChange(refused(ungranted), rules, undefined)
  assert.deepEqual([change?.change, change?.outcome], [granted, 'not_judged'])
  assert.match(change!.result, /administrator/)
  const low = refused({ code: 'policy_denied', reason: 'verified lineage required', caller_level: 'L0' })
  assert.deepEqual(changesOf(low, rules), [['the caller proved its lineage (L1)', 'passes', undefined]])
})

test('a policy that reads the treaty is not judged without it', () => {
  const abroad = refused({ code: 'capability_denied', reason: 'no active treaty', target_tenant: 'globex' })
  const rules = rulesWith({ treaty: forbid('!(context has treaty_id)') })
  const [change] = whatWouldChange(abroad, rules, undefined)
  assert.deepEqual(
    [change?.outcome, change?.result],
    ['not_judged', 'cannot be judged again: policies read treaty_id, which the record does not hold'],
  )
})

test('what the log does not hold is said, not guessed', () => {
  const by_input = refused(byPolicy('amounts@1.0.0'))
  assert.deepEqual(changesOf(by_input, rulesWith({ amounts: of_amounts })), [
    [without('amounts'), 'passes', undefined],
    ['the input had been another', 'not_judged', undefined],
  ])
  assert.deepEqual(changesOf(refused(ungranted), rulesWith({ amounts: of_amounts })), [
    [granted, 'not_judged', undefined],
  ])
  assert.deepEqual(changesOf(refused(ungranted), rulesWith({}, { set: undefined })), [
    [granted, 'not_judged', undefined],
  ])
  assert.deepEqual(changesOf(refused(ungranted), rulesWith({}, { facts: undefined })), [
    [granted, 'not_judged', undefined],
  ])
  const root = rulesWith({ root: forbid('principal has human_root && principal.human_root == "x"') })
  assert.match(whatWouldChange(refused(ungranted), root, undefined)[0]!.result, /human_root/)
  for (const [reason, change] of [
    ['identity suspended', 'the identity were resumed'],
    ['not in the key', 'another key were used, made with this capability'],
    ['not an administrator', 'an administrator made the call'],
  ])
    assert.deepEqual(changesOf(refused({ ...ungranted, reason }), rulesWith({})), [
      [change, 'not_judged', undefined],
    ])
  const shape = refused({ code: 'invalid_payload', reason: 'schema', stage: 7 })
  assert.deepEqual(changesOf(shape, rulesWith({})), [
    ['the input fitted the published schema', 'not_judged', undefined],
  ])
  assert.deepEqual(
    changesOf(refused({ code: 'policy_denied', reason: '__proto__', stage: 7 }), rulesWith({})),
    [],
  )
})

test("another organization's rules are not in the log, and what our own rules refuse is", () => {
  const abroad = refused({ code: 'capability_denied', reason: 'no active treaty', target_tenant: 'globex' })
  const treaty = 'an active treaty granted the capability'
  assert.deepEqual(changesOf(abroad, rulesWith({})), [[treaty, 'not_judged', undefined]])
  assert.deepEqual(changesOf(abroad, rulesWith({ runs: of_runs })), [
    [treaty, 'refused_next', 'policy runs@1.0.0 forbids'],
  ])
})

test('the next day is tried with the limit and the rules of that hour', () => {
  const full = { code: 'policy_denied', reason: 'envelope day limit reached', stage: 5, grant: 'svc.try.*' }
  const limits = { cost_usd: '2.000000', limit_usd: '5.000000' }
  const raised = "the envelope's day limit were higher by what the call may cost"
  const tomorrow = 'the call came in the next day, UTC'
  assert.deepEqual(changesOf(refused({ ...full, ...limits }), rulesWith({})), [
    [raised, 'not_judged', undefined],
    [tomorrow, 'passes', undefined],
  ])
  assert.deepEqual(changesOf(refused({ ...full, ...limits }), rulesWith({ hours: by_night })), [
    [raised, 'not_judged', undefined],
    [tomorrow, 'refused_next', 'policy hours@1.0.0 forbids: closed'],
  ])
  assert.deepEqual(changesOf(refused({ ...full, ...limits, limit_usd: '1.000000' }), rulesWith({})), [
    [raised, 'not_judged', undefined],
  ])
  assert.deepEqual(changesOf(refused(full), rulesWith({})).at(-1), [tomorrow, 'not_judged', undefined])
})

test('waiting is tried on the bucket that the calls before had emptied', () => {
  const limited = refused({ code: 'rate_limited', reason: 'bucket empty', stage: 3, retry_after_ms: 1_000 })
  const at_ms = Date.parse(night)
  const outcomeWith = (called_ms: number[]) =>
    whatWouldChange(limited, rulesWith({}), {
      bucket: { capacity: 1, refill_per_s: 1 },
      calls: [],
      called_ms,
    })
  assert.deepEqual(outcomeWith([at_ms]), [
    { change: 'the call came 1000 ms later', outcome: 'passes', result: 'stage 3 would have passed' },
  ])
  assert.deepEqual(
    outcomeWith([at_ms, at_ms, at_ms]).map(({ outcome }) => outcome),
    ['refused_next'],
  )
  const [unknown] = whatWouldChange(limited, rulesWith({}), undefined)
  assert.equal(unknown?.outcome, 'not_judged')
  for (const unexplained of [[], [at_ms - 1_000]])
    assert.deepEqual(
      outcomeWith(unexplained).map(({ outcome }) => outcome),
      ['not_judged'],
      'calls that did not empty the bucket do not show when it is full',
    )
})

test('no more than a handful is named, however many policies forbid', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`runs-${10 + i}`, of_runs]))
  const changes = whatWouldChange(refused(byPolicy('runs-10@1.0.0')), rulesWith(many), undefined)
  assert.equal(changes.length, 6)
  assert.ok(changes.every(({ outcome }) => outcome === 'refused_next'))
})

test('an allowed call would have been refused without its grant, unless everybody may make it', () => {
  const allowed = (grant_source: string) =>
    refused({ grant: 'svc.try.*', grant_source }, { outcome: 'success', event_type: 'ProtocolInvocation' })
  assert.deepEqual(changesOf(allowed('key'), rulesWith({})), [
    ['svc.try.run had not been granted', 'refused_next', 'no matching capability'],
  ])
  assert.deepEqual(changesOf(allowed('open'), rulesWith({})), [])
})
