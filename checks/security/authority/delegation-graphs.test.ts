// T3, amplification: random delegation graphs, built by the code under test and measured by an independent
// rule.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentCapability } from '@svc/contract/authority/capability'
import {
  type ChainedCapability,
  chainTo,
  type DelegationLink,
  type DelegationPolicy,
  faultIn,
  worthOf,
} from '@svc/contract/authority/delegation-chain'
import { tokenId } from '@svc/contract/authority/delegation-token'
import { judge } from '@svc/protocols/identity/aegis/delegation'
import { announce, type Chance, is_long, openChance, report } from '../../faults/scene/chance.ts'

const graphs = is_long ? 100_000 : 1_000
const members_max = 12
const attempts = 24
const now = '2026-11-15T10:00:00.000Z'
const names = [
  'svc.mind.*',
  'svc.mind.a',
  'svc.mind.b',
  'svc.max.a',
  'svc.max.*',
  'svc.*.*',
  'svc.*',
  'svc.*.a',
]
const caveats = ['time:09-17', 'jurisdiction:CH', 'weekly_budget:1']

interface Graph {
  readonly chance: Chance
  readonly dids: readonly string[]
  readonly own: Map<string, AgentCapability[]>
  readonly policies: DelegationPolicy[]
  readonly links: Map<string, DelegationLink>
}

/** Noon of one of the coming days. */
const day = (chance: Chance) => `2026-11-${16 + chance.below(8)}T12:00:00.000Z`
const maybe = <Value>(chance: Chance, value: () => Value) => (chance.below(2) ? value() : undefined)

function drawCapability(chance: Chance): AgentCapability {
  const limits = maybe(chance, () => ({ max_per_hour: chance.below(4), max_tokens: chance.below(4) }))
  const drawn = {
    name: chance.pick(names),
    expires_at: maybe(chance, () => day(chance)),
    limits: limits && (chance.below(2) ? limits : { max_per_hour: limits.max_per_hour }),
    caveats: caveats.filter(() => chance.below(4) === 0),
  }
  // As JSON carries it: absent values have no key.
  return JSON.parse(JSON.stringify(drawn))
}

function newGraph(chance: Chance): Graph {
  const size = 4 + chance.below(members_max - 3)
  const kinds = ['agent', 'tool']
  const dids = Array.from(
    { length: size },
    (_, i) => `did:oas:dev:${chance.pick(kinds)}:${String(i).padStart(64, '0')}`,
  )
  const own = new Map(dids.map((did, i) => [did, i < 3 ? [0, 1, 2].map(() => drawCapability(chance)) : []]))
  const policies = dids.filter(() => chance.below(5) === 0).map((did) => drawPolicy(chance, did))
  return { chance, dids, own, policies, links: new Map() }
}

function drawPolicy(chance: Chance, did: string): DelegationPolicy {
  const rules = {
    max_depth: maybe(chance, () => chance.below(4)),
    max_ttl_seconds: maybe(chance, () => 86_400 * (1 + chance.below(5))),
    never: maybe(chance, () => [chance.pick(names.slice(0, 5))]),
    allow_kinds: maybe(chance, () => ['Agent']),
  }
  return JSON.parse(JSON.stringify({ did, rules, version: 1, in_force_from: now }))
}

const standingOf = ({ own, policies }: Graph, links: readonly DelegationLink[]) => ({
  now,
  own: own.get(links[0]!.token.from_did) ?? [],
  policies,
  isRevoked: () => false,
})
const worth = (graph: Graph, token_id: string) => {
  const chain = chainTo(token_id, graph.links)!
  return worthOf(chain, standingOf(graph, chain)).held
}

/** Tries to delegate; mostly more than is allowed. */
function tryDelegation(graph: Graph): 'delegated' | 'refused' {
  const { chance, dids, links } = graph
  // Mostly from the newest that can be redelegated, or chains would stay short.
  const lendable = [...links.values()].filter(({ token }) => token.max_redelegation_depth > 0)
  const parent = chance.below(4) ? lendable.at(-1) : chance.pick([...links.values(), undefined])
  const above = parent ? chainTo(parent.token_id, links)! : []
  const from_did = parent ? parent.token.to_did : chance.pick(dids)
  const sources = parent ? worth(graph, parent.token_id) : graph.own.get(from_did)!
  // Half of the request is taken from what exists, or hardly anything would be delegated.
  const fitting = sources.filter(() => chance.below(2) === 0).map(({ name }) => ({ name, caveats: [] }))
  const request = {
    from_did,
    to_did: chance.pick(dids),
    capabilities: fitting.length ? fitting : [drawCapability(chance)],
    max_redelegation_depth:
      parent && chance.below(3)
        ? Math.max(0, parent.token.max_redelegation_depth - 1)
        : chance.pick([0, 1, 2, 5, 8]),
    expires_at: parent && chance.below(6) ? parent.token.expires_at : day(chance),
  }
  const delegation = { now, sources, above, policies: graph.policies, challenged: false }
  const { reasons, token } = judge(request, delegation)
  if (reasons.length > 0) return 'refused'
  const signed = { ...token, signature: 'A'.repeat(86) }
  const token_id = tokenId(signed)
  if (links.has(token_id)) return 'refused'
  const parent_token = parent ? { parent_token: parent.token_id } : {}
  links.set(token_id, {
    token_id,
    token: signed,
    public_key: 'A'.repeat(43),
    ...parent_token,
    state: 'ACTIVE',
    issued_at: now,
    challenged: false,
  })
  return 'delegated'
}

/** Whether the holder of one can do nothing that the holder of the other cannot: straight from the spec. */
function allowsNoMore(one: AgentCapability, other: AgentCapability): boolean {
  const ends = (one: AgentCapability) => one.expires_at ?? '9999'
  const limit = (one: AgentCapability, kind: 'max_per_hour' | 'max_tokens' | 'max_per_call_bps') =>
    one.limits?.[kind] ?? Number.POSITIVE_INFINITY
  const [, protocol, operation] = one.name.split('.')
  const is_name = protocol !== '*' && operation !== undefined
  const by_name = is_name && [one.name, `svc.${protocol}.*`, 'svc.*.*'].includes(other.name)
  return (
    by_name &&
    ends(one) <= ends(other) &&
    (['max_per_hour', 'max_tokens', 'max_per_call_bps'] as const).every(
      (kind) => limit(one, kind) <= limit(other, kind),
    ) &&
    other.caveats.every((caveat) => one.caveats.includes(caveat))
  )
}

function assertNoneAmplified(graph: Graph): number {
  let held_count = 0
  for (const link of graph.links.values()) {
    const { parent_token, token } = link
    const parent = parent_token ? graph.links.get(parent_token)! : undefined
    const sources = parent ? worth(graph, parent.token_id) : graph.own.get(token.from_did)!
    for (const delegated of worth(graph, link.token_id)) {
      held_count++
      assert.ok(
        sources.some((source) => allowsNoMore(delegated, source)),
        `${JSON.stringify(delegated)} of ${JSON.stringify(sources)}`,
      )
      assertChained(graph, link, delegated)
    }
    if (parent) assert.ok(token.max_redelegation_depth < parent.token.max_redelegation_depth)
    assert.equal(faultIn(chainTo(link.token_id, graph.links)!), undefined)
  }
  return held_count
}

/** It comes through every token above it, from one capability of the first delegator, and exceeds none of them. */
function assertChained(graph: Graph, { token_id }: DelegationLink, delegated: ChainedCapability): void {
  const links = chainTo(token_id, graph.links)!
  const first = links[0]!.token.from_did
  const holders = [first, ...links.map((link) => link.token_id)].reverse()
  assert.deepEqual(
    delegated.chain.map(({ holder }) => holder),
    holders,
  )
  assert.ok(graph.own.get(first)!.includes(delegated.chain.at(-1)!.capability))
  for (const { capability } of delegated.chain) assert.ok(allowsNoMore(delegated, capability))
}

function assertRevocationReaches(graph: Graph): void {
  const { chance, links } = graph
  const revoked = chance.pick([...links.values()])
  const after = new Map(links).set(revoked.token_id, { ...revoked, state: 'REVOKED' })
  for (const { token_id } of links.values()) {
    const chain = chainTo(token_id, after)!
    const reached = chain.some((link) => link.token_id === revoked.token_id)
    const { held } = worthOf(chain, standingOf(graph, chain))
    assert.deepEqual(held, reached ? [] : worth(graph, token_id))
  }
}

/** Root delegators lose or narrow their capabilities and set rules: nothing beyond that may remain. */
function assertShrinksWithSource(graph: Graph): void {
  const { chance } = graph
  for (const [did, capabilities] of graph.own) {
    const left = capabilities.filter(() => chance.below(2)).map((capability) => ({ ...capability, caveats }))
    graph.own.set(did, left)
    if (chance.below(2)) graph.policies.unshift(drawPolicy(chance, did))
  }
  assertNoneAmplified(graph)
}

test('no delegation graph gives anybody more than its delegators have', (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, graphs, chance)
  const counts = { delegated: 0, refused: 0, held: 0, deepest: 0 }
  for (let made = 0; made < graphs; made++) {
    const graph = newGraph(chance)
    for (let attempt = 0; attempt < attempts; attempt++) counts[tryDelegation(graph)]++
    if (graph.links.size === 0) continue
    counts.held += assertNoneAmplified(graph)
    for (const id of graph.links.keys())
      counts.deepest = Math.max(counts.deepest, chainTo(id, graph.links)!.length)
    assertRevocationReaches(graph)
    assertShrinksWithSource(graph)
  }
  report(t, counts)
  assert.ok(
    counts.delegated > graphs && counts.held > graphs && counts.deepest >= 5,
    'the graphs show too little',
  )
})
