import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentCapability } from '@svc/contract/authority/capability'
import type { DelegationLink } from '@svc/contract/authority/delegation-chain'
import type { DelegationRules } from '@svc/contract/authority/delegation-policy'
import type { UnsignedToken } from '@svc/contract/authority/delegation-token'
import { type DelegationSource, judge } from './delegation.ts'

const didOf = (digit: string, kind = 'agent', tenant = 'dev') =>
  `did:oas:${tenant}:${kind}:${digit.repeat(64)}`
const [a, b, c] = [didOf('a'), didOf('b'), didOf('c')]
const now = '2026-11-15T10:00:00.000Z'
const capabilityOf = (name: string, more: Partial<AgentCapability> = {}): AgentCapability => ({
  name,
  caveats: [],
  ...more,
})

function wanted(more: Partial<UnsignedToken> = {}): UnsignedToken {
  const expires_at = '2026-11-20T00:00:00Z'
  return {
    from_did: b,
    to_did: c,
    capabilities: [capabilityOf('svc.mind.a')],
    max_redelegation_depth: 0,
    expires_at,
    ...more,
  }
}

function delegation(more: Partial<DelegationSource> = {}): DelegationSource {
  return { now, sources: [capabilityOf('svc.mind.*')], above: [], policies: [], challenged: false, ...more }
}

function parent(max_redelegation_depth: number): DelegationLink {
  const token = { ...wanted({ from_did: a, to_did: b, max_redelegation_depth }), signature: 'A'.repeat(86) }
  const id = `sha256:${'0'.repeat(64)}`
  return {
    token_id: id,
    token,
    public_key: 'A'.repeat(43),
    state: 'ACTIVE',
    issued_at: now,
    challenged: false,
  }
}

const ruled = (did: string, rules: DelegationRules) => ({ policies: [{ did, rules, version: 1 }] })

test('each refusing rule is named', () => {
  const soon = '2026-11-18T00:00:00Z'
  const cases: [Partial<UnsignedToken>, Partial<DelegationSource>, string[]][] = [
    [{}, {}, []],
    [{ to_did: b }, {}, ['delegation to oneself']],
    [{ to_did: didOf('c', 'agent', 'globex') }, {}, ['delegation crosses tenants']],
    [{}, { sources: [] }, ['capability amplification: svc.mind.a']],
    [
      {},
      { sources: [capabilityOf('svc.mind.a', { expires_at: now })] },
      ['capability amplification: svc.mind.a'],
    ],
    [{}, { sources: [capabilityOf('svc.mind.a', { expires_at: soon })] }, ['delegation outlives its source']],
    [
      { capabilities: [capabilityOf('svc.*.*')] },
      { sources: [capabilityOf('svc.*.*')] },
      ['capability amplification: svc.*.*'],
    ],
    [{}, { above: [parent(1)] }, []],
    [{}, { above: [parent(0)] }, ['redelegation depth exhausted']],
    [{ max_redelegation_depth: 1 }, { above: [parent(1)] }, ['redelegation depth exhausted']],
    [{ to_did: a }, { above: [parent(1)] }, ['delegation cycle']],
    [{}, ruled(b, { never: ['svc.mind.*'] }), ['delegation policy forbids svc.mind.a']],
    [{}, ruled(b, { never: ['svc.max.*'] }), []],
    [{}, ruled(b, { max_ttl_seconds: 3600 }), ['delegation policy forbids more than 3600 seconds']],
    [{ max_redelegation_depth: 2 }, ruled(b, { max_depth: 1 }), ['redelegation depth exhausted']],
    [
      { to_did: didOf('c', 'tool') },
      ruled(b, { allow_kinds: ['Agent'] }),
      ['delegation policy forbids Tool'],
    ],
    [{}, ruled(b, { require_challenge: ['svc.mind.a'] }), ['step-up challenge required']],
    [{}, { ...ruled(b, { require_challenge: ['svc.mind.a'] }), challenged: true }, []],
    // The rules of ancestors bind everything they delegated.
    [{}, { above: [parent(1)], ...ruled(a, { max_depth: 0 }) }, ['redelegation depth exhausted']],
    [
      { to_did: didOf('c', 'tool') },
      { above: [parent(1)], ...ruled(a, { allow_kinds: ['Agent'] }) },
      ['delegation policy forbids Tool'],
    ],
    [{}, { above: [parent(1)], ...ruled(a, { require_challenge: ['svc.mind.a'] }) }, []],
  ]
  for (const [token, more, reasons] of cases)
    assert.deepEqual(judge(wanted(token), delegation(more)).reasons, reasons, JSON.stringify([token, more]))
})

test('a draft has the bounds of its source, and its own end only if requested', () => {
  const source = capabilityOf('svc.mind.*', {
    limits: { max_per_hour: 5 },
    caveats: ['time:09-17'],
    expires_at: '2026-12-01T00:00:00Z',
  })
  const { token, attenuated } = judge(wanted(), delegation({ sources: [source] }))
  assert.deepEqual(token.capabilities, [
    capabilityOf('svc.mind.a', { limits: { max_per_hour: 5 }, caveats: ['time:09-17'] }),
  ])
  assert.equal(attenuated, true)
  const own_end = { capabilities: [capabilityOf('svc.mind.a', { expires_at: '2026-11-16T00:00:00Z' })] }
  const free = judge(wanted(own_end), delegation())
  assert.deepEqual([free.token.capabilities, free.attenuated], [own_end.capabilities, false])
  const caveats = Array.from({ length: 16 }, (_, i) => `jurisdiction:${i}`)
  const full = judge(
    wanted({ capabilities: [capabilityOf('svc.mind.a', { caveats })] }),
    delegation({ sources: [source] }),
  )
  assert.deepEqual(full.reasons, ['too many caveats: svc.mind.a'])
})
