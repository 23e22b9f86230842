import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCedar } from '@svc/adapters/policy/cedar'
import type { Cedar, PolicySet } from '@svc/contract/authority/policy'
import { findLockout, type Member } from './policy-lockout.ts'

const cedar = openCedar()
let decisions = 0
const counting: Cedar = {
  ...cedar,
  decide(set, scene) {
    decisions++
    return cedar.decide(set, scene)
  },
}

function memberOf(did: string): Member {
  const principal = { did, tenant: 'acme', kind: 'Agent', level: 2, lineage_verified: true } as const
  return { principal, jurisdiction: undefined }
}

function lockoutOf(condition: string, members: readonly Member[] = [memberOf('ann'), memberOf('bob')]) {
  const body = `forbid(principal, action, resource) when { ${condition} };`
  const set: PolicySet = { set_digest: condition, policies: [{ policy_id: 'p', version: '1.0.0', body }] }
  decisions = 0
  const trying = findLockout(counting, set, members)
  for (;;) {
    const { done, value } = trying.next()
    if (done) return value
  }
}

test('a locked-out member is found, with the operation', () => {
  assert.deepEqual(lockoutOf('true'), { did: 'ann', operation: 'MACE.convene' })
  assert.equal(decisions, 1, 'where no rule looks at the clock, one hour is as good as all')
  assert.deepEqual(lockoutOf('principal.did == "bob" && resource.operation == "tally"'), {
    did: 'bob',
    operation: 'MACE.tally',
  })
  assert.deepEqual(lockoutOf('resource.protocol == "MAX" && !resource.state_changing'), {
    did: 'ann',
    operation: 'MAX.audit_query',
  })
})

test('one hour of the week is enough, wherever it is', () => {
  for (const open of [
    'context.weekday == 7 && context.hour == 23',
    'context.weekday == 1 && context.hour == 0',
  ])
    assert.equal(lockoutOf(`!(${open})`), undefined)
  assert.ok(decisions < 200)
  assert.equal(lockoutOf('context.hour != 5'), undefined)
  assert.ok(decisions < 40)
  assert.equal(lockoutOf('context.weekday != 6'), undefined)
  assert.ok(decisions < 20)
  assert.notEqual(lockoutOf('!(context.weekday == 8)'), undefined)
})

test('the search is bounded if each member may act at another hour', () => {
  const never: Cedar = { ...cedar, decide: () => ({ decision: 'allow', determining: [], errors: [] }) }
  const none = { set_digest: 'x', policies: [] }
  assert.equal(findLockout(never, none, [memberOf('ann')]).next().done, false)
  let calls = 0
  // Each member is denied at the hour that suited the one before.
  const shy: Cedar = {
    check: cedar.check,
    checking: cedar.checking,
    unknownsOf: () => ['hour', 'weekday'],
    decide: () => {
      const denied = ++calls % 168 !== 0
      const determining = denied
        ? [{ policy_id: 'p', version: '1.0.0', effect: 'forbid' as const, text: '' }]
        : []
      return { decision: denied ? 'deny' : 'allow', determining, errors: [] }
    },
  }
  const trying = findLockout(
    shy,
    none,
    Array.from({ length: 100 }, (_, place) => memberOf(`m${place}`)),
  )
  let step = trying.next()
  while (!step.done) step = trying.next()
  assert.equal(step.value, 'too many probes')
})
