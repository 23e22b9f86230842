import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentCapability } from '@svc/contract/authority/capability'
import type {
  DelegationLink,
  DelegationPolicy,
  StoredHoldings,
} from '@svc/contract/authority/delegation-chain'
import { tokenId, type UnsignedToken } from '@svc/contract/authority/delegation-token'
import { unresolved } from '@svc/contract/identity/identity'
import type { SigningKey } from '@svc/contract/signing/signature'
import type { Resolution } from '@svc/engine/known'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { asCapability, newKey, signDelegation } from '../../checks/scenes/delegation-scene.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { delegationSource } from './delegations.ts'
import type { Grants } from './effective.ts'

const [a, b, c] = [newKey('dev'), newKey('dev'), newKey('dev')]
const nothing = { held: [], excluded: [] }
const cannot_ask = { ...nothing, unknown: 'delegations' }

function linkOf(
  from: SigningKey,
  to: SigningKey,
  more: Partial<UnsignedToken> = {},
  parent?: DelegationLink,
): DelegationLink {
  const capabilities = [asCapability('svc.mind.a')]
  const expires_at = '2026-11-20T00:00:00Z'
  const depth = { max_redelegation_depth: parent ? 0 : 1 }
  const token = signDelegation(
    { from_did: from.did, to_did: to.did, capabilities, expires_at, ...depth, ...more },
    from,
  )
  return {
    token_id: tokenId(token),
    token,
    public_key: from.public_key,
    ...(parent ? { parent_token: parent.token_id } : {}),
    state: 'ACTIVE',
    issued_at: '2026-11-15T10:00:00.000Z',
    challenged: false,
  }
}

interface Node {
  /** The node's delegations by recipient. */
  readonly kept: Map<string, DelegationLink[]>
  readonly policies: DelegationPolicy[]
  /** Makes it fail, answer otherwise, or wait. */
  answer?: () => Promise<unknown>
  asked: number
}

function open(declared: Record<string, readonly (string | AgentCapability)[]> = { [a.did]: ['svc.mind.*'] }) {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const node: Node = { kept: new Map(), policies: [], asked: 0 }
  const revoked = new Set<string>()
  const unknown = new Set<string>()
  const messages: string[] = []
  const say = (_fields: object, message: string) => void messages.push(message)
  const source = delegationSource({
    client: {
      url: 'http://aegis.test',
      isHealthy: async () => true,
      async invoke(operation, payload) {
        if (operation !== 'held') return {}
        node.asked++
        if (node.answer) return node.answer()
        const links = node.kept.get((payload as { did: string }).did) ?? []
        const answer: StoredHoldings = {
          tokens: links.slice(-1).map(({ token_id }) => token_id),
          links,
          policies: node.policies,
        }
        return JSON.parse(JSON.stringify(answer))
      },
    },
    clock,
    log: { debug() {}, info() {}, warn: say, error: say },
    identity: {
      resolve(did): Resolution {
        if (unknown.has(did)) return { outcome: 'Unavailable', reason: 'away', unknown: 'document' }
        const capabilities = (declared[did] ?? []).map(asCapability)
        return {
          outcome: 'Resolved',
          identity: { ...unresolved(did), capabilities, revoked: revoked.has(did) },
        }
      },
    },
    keysOf: async (did) => (did === b.did ? [asCapability('svc.max.*')] : []),
  })
  const grantsTo = async (to: SigningKey) => source.grantsTo(unresolved(to.did), 'dev')
  return { clock, node, revoked, unknown, said: messages, source, declared, grantsTo }
}

const namesOf = ({ held }: Grants) => held.map(({ name }) => name)

test('a delegation counts with its source and its real end; a redelegation as far as both allow', async () => {
  const { node, grantsTo } = open()
  const first = linkOf(a, b, { capabilities: [{ name: 'svc.mind.*', caveats: ['time:09-17'] }] })
  const capabilities = [{ name: 'svc.mind.a', caveats: ['time:09-17'] }]
  const second = linkOf(b, c, { capabilities, expires_at: '2026-11-19T00:00:00Z' }, first)
  node.kept.set(b.did, [first]).set(c.did, [first, second])
  assert.deepEqual((await grantsTo(c)).held, [
    {
      name: 'svc.mind.a',
      expires_at: '2026-11-19T00:00:00Z',
      caveats: ['time:09-17'],
      source: 'delegation',
      source_ref: second.token_id,
      chain: [
        {
          holder: second.token_id,
          delegator: b.did,
          capability: { ...capabilities[0]!, expires_at: '2026-11-19T00:00:00Z' },
        },
        {
          holder: first.token_id,
          delegator: a.did,
          capability: { ...first.token.capabilities[0]!, expires_at: first.token.expires_at },
        },
        { holder: a.did, capability: asCapability('svc.mind.*') },
      ],
    },
  ])
  assert.deepEqual(namesOf(await grantsTo(b)), ['svc.mind.*'])
})

test('capabilities of the keys of a delegator can be delegated; received ones cannot be delegated as its own', async () => {
  const { node, grantsTo } = open()
  node.kept.set(c.did, [
    linkOf(b, c, { capabilities: [asCapability('svc.max.a'), asCapability('svc.mind.a')] }),
  ])
  const grants = await grantsTo(c)
  assert.deepEqual(namesOf(grants), ['svc.max.a'])
  assert.deepEqual(grants.excluded, [{ name: 'svc.mind.a', why: 'revoked' }])
})

test('nothing that a node makes up is believed', async () => {
  const first = linkOf(a, b)
  const honest = linkOf(b, c, {}, first)
  const wide = { capabilities: [asCapability('svc.mind.*')] }
  const forged: Record<string, DelegationLink[]> = {
    'another text under the signature': [{ ...first, token: { ...first.token, ...wide } }],
    'another id': [{ ...first, token_id: honest.token_id }],
    'another key': [{ ...first, public_key: c.public_key }],
    'wider than its parent': [first, linkOf(b, c, wide, first)],
    'deeper than its parent': [first, linkOf(b, c, { max_redelegation_depth: 1 }, first)],
    'longer than its parent': [first, linkOf(b, c, { expires_at: '2026-11-21T00:00:00Z' }, first)],
    'a missing link': [honest],
    'delegated to somebody else': [linkOf(a, b)],
    'everything, by one who has it': [linkOf(a, c, { capabilities: [asCapability('svc.*.*')] })],
    'a circle': [
      linkOf(c, b, { max_redelegation_depth: 1 }),
      linkOf(b, c, {}, linkOf(c, b, { max_redelegation_depth: 1 })),
    ],
    'of another tenant': [linkOf(newKey('globex'), c)],
  }
  for (const [what, links] of Object.entries(forged)) {
    const { node, grantsTo } = open({ [a.did]: ['svc.*.*'], [c.did]: ['svc.*.*'] })
    node.kept.set(c.did, links)
    assert.deepEqual(namesOf(await grantsTo(c)), [], what)
  }
  const { node, grantsTo } = open()
  node.kept.set(c.did, [first, honest])
  assert.deepEqual(namesOf(await grantsTo(c)), ['svc.mind.a'], 'the honest chain counts')
})

test('ended delegations are listed with the reason', async () => {
  const first = linkOf(a, b)
  const second = linkOf(b, c, {}, first)
  const policy = (rules: object): DelegationPolicy => ({ did: a.did, rules, version: 1 })
  const cases: [links: DelegationLink[], policies: DelegationPolicy[], why: string][] = [
    [
      [
        { ...first, state: 'REVOKED' },
        { ...second, state: 'PARENT_REVOKED' },
      ],
      [],
      'revoked',
    ],
    [[{ ...first, state: 'EXPIRED' }, second], [], 'expired'],
    [[first, second], [policy({ max_depth: 0 })], 'over_depth'],
    [[first, second], [policy({ max_ttl_seconds: 1 })], 'expired'],
    [[first, second], [policy({ never: ['svc.mind.*'] })], 'revoked'],
    [[first, second], [policy({ require_challenge: ['svc.mind.a'] })], 'revoked'],
    [[first, second], [policy({ allow_kinds: ['Tool'] })], 'revoked'],
  ]
  for (const [links, policies, why] of cases) {
    const { node, clock, grantsTo } = open()
    clock.advance(1_000)
    node.kept.set(c.did, links)
    node.policies.push(...policies)
    const expected = { held: [], excluded: [{ name: 'svc.mind.a', why }] }
    assert.deepEqual(await grantsTo(c), expected, JSON.stringify(policies))
  }
  const { node, revoked, grantsTo } = open()
  node.kept.set(c.did, [first, second])
  revoked.add(b.did)
  assert.deepEqual((await grantsTo(c)).excluded, [{ name: 'svc.mind.a', why: 'revoked' }])
})

test('the node is queried once a minute, also for identities without delegations; a hit is a plain value', async () => {
  const { node, clock, source } = open()
  node.kept.set(b.did, [linkOf(a, b)])
  for (const holder of [b, c]) {
    const asking = [
      source.grantsTo(unresolved(holder.did), 'dev'),
      source.grantsTo(unresolved(holder.did), 'dev'),
    ]
    assert.ok(
      asking[0] instanceof Promise && asking[0] === asking[1],
      'concurrent requests share one question',
    )
    await asking[0]
    assert.ok(!(source.grantsTo(unresolved(holder.did), 'dev') instanceof Promise))
  }
  assert.equal(node.asked, 2)
  clock.advance(59_999)
  source.grantsTo(unresolved(b.did), 'dev')
  assert.equal(node.asked, 2)
  clock.advance(1)
  await source.grantsTo(unresolved(b.did), 'dev')
  assert.equal(node.asked, 3)
  assert.deepEqual(
    source.grantsTo(unresolved(b.did), 'globex'),
    nothing,
    'a delegation counts only in its own tenant',
  )
  assert.deepEqual(source.grantsTo(unresolved(newKey('globex').did), 'dev'), nothing)
  assert.equal(node.asked, 3)
})

test('a read that began before a change is not cached, nor used for later requests', async () => {
  const { node, source, grantsTo } = open()
  node.kept.set(b.did, [linkOf(a, b)])
  const gate = Promise.withResolvers<unknown>()
  const stale = JSON.parse(
    JSON.stringify({ tokens: [linkOf(a, b).token_id], links: [linkOf(a, b)], policies: [] }),
  )
  node.answer = () => gate.promise
  const before = grantsTo(b)
  source.forgetAll()
  node.answer = undefined
  node.kept.delete(b.did)
  assert.deepEqual(await grantsTo(b), nothing)
  gate.resolve(stale)
  assert.deepEqual(namesOf(await before), ['svc.mind.a'], 'earlier requests get what was true then')
  assert.deepEqual(await grantsTo(b), nothing)
})

test('while the node is away, cached delegations count for their minute, then are unknown; that is logged once', async () => {
  for (const broken of [() => Promise.reject(new Error('gone')), async () => ({ tokens: 'many' })]) {
    const { node, clock, said, grantsTo } = open()
    node.kept.set(b.did, [linkOf(a, b)])
    await grantsTo(b)
    node.answer = broken
    clock.advance(59_000)
    assert.deepEqual(namesOf(await grantsTo(b)), ['svc.mind.a'])
    clock.advance(1_000)
    const asked_before = node.asked
    assert.deepEqual(await grantsTo(b), cannot_ask)
    assert.deepEqual(await Promise.all([grantsTo(b), grantsTo(c)]), [cannot_ask, cannot_ask])
    assert.equal(node.asked, asked_before + 2, 'one request at a time finds out whether it is back')
    assert.equal(said.length, 1, said.join())
    node.answer = undefined
    assert.deepEqual(namesOf(await grantsTo(b)), ['svc.mind.a'], 'it is back')
  }
})

test('a node that hangs delays nobody for more than a second, and a late answer is used', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { node, source, grantsTo } = open()
  node.kept.set(b.did, [linkOf(a, b)])
  const gate = Promise.withResolvers<unknown>()
  node.answer = () => gate.promise
  const waiting = grantsTo(b)
  await Promise.resolve()
  t.mock.timers.tick(1_000)
  assert.deepEqual(await waiting, cannot_ask)
  assert.deepEqual(await grantsTo(c), cannot_ask, 'and nobody is delayed a second time')
  assert.equal(node.asked, 1)
  gate.resolve(
    JSON.parse(JSON.stringify({ tokens: [linkOf(a, b).token_id], links: [linkOf(a, b)], policies: [] })),
  )
  await eventually(() =>
    assert.deepEqual(namesOf(source.grantsTo(unresolved(b.did), 'dev') as Grants), ['svc.mind.a']),
  )
})

test('a delegation is unknown, not void, if its delegator cannot be determined; the next call resolves it', async () => {
  const { node, source, grantsTo, unknown } = open()
  const first = linkOf(a, b)
  node.kept.set(c.did, [first, linkOf(b, c, {}, first)])
  unknown.add(b.did)
  assert.deepEqual(await grantsTo(c), { ...nothing, unknown: 'identity' })
  unknown.delete(b.did)
  assert.deepEqual(namesOf(await source.grantsTo(unresolved(c.did), 'dev')), ['svc.mind.a'])
})

test('without a node nothing is delegated, and changes through this engine count at once', async () => {
  const identity = { resolve: () => ({ outcome: 'Failed', reason: 'none' }) as const }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const none = delegationSource({ client: undefined, clock, log, identity, keysOf: async () => [] })
  assert.deepEqual(none.grantsTo(unresolved(b.did), 'dev'), nothing)
  const { node, source, grantsTo } = open()
  assert.deepEqual(await grantsTo(b), nothing)
  node.kept.set(b.did, [linkOf(a, b)])
  await source.client!.invoke('chain', {}, {} as never)
  assert.deepEqual(await grantsTo(b), nothing)
  await source.client!.invoke('delegate', {}, {} as never)
  assert.deepEqual(namesOf(await grantsTo(b)), ['svc.mind.a'])
})
