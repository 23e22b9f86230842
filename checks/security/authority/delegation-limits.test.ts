// What is used under a delegation is used of everyone above it: random graphs, two engines on one Redis, and one with its own memory.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { memoryCounters } from '@svc/adapters/budget-counters/memory'
import { redisCounters } from '@svc/adapters/budget-counters/redis'
import { openRedisLink, type RedisLink } from '@svc/adapters/redis/link'
import { redis_clock, redisScript } from '@svc/adapters/redis/script'
import type { AgentCapability, Grant } from '@svc/contract/authority/capability'
import { type DelegationLink, worthOf } from '@svc/contract/authority/delegation-chain'
import { redelegation_depth_max } from '@svc/contract/authority/delegation-depth'
import { tokenId } from '@svc/contract/authority/delegation-token'
import { empty_books } from '@svc/contract/money/books'
import { microUsd, quanta_per_micro_usd } from '@svc/contract/money/money'
import type { Authorised, Take } from '@svc/engine/call'
import { takesOf } from '@svc/engine/limits/budget'
import type { BudgetCounters } from '@svc/engine/limits/budget-counters'
import { judge } from '@svc/protocols/identity/aegis/delegation'
import { announce, type Chance, is_long, openChance, report } from '../../faults/scene/chance.ts'
import { startRedis, type TestRedis } from '../../neighbours/test-redis.ts'

const graphs = is_long ? 400 : 12
const tokens_max = 24
const rounds = 8
const calls_at_once = 12
const now = '2026-11-15T10:20:00.000Z'
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let redis: TestRedis
before(async () => {
  redis = await startRedis(['--save', '', '--appendonly', 'no'])
})
after(() => redis.close())

/** A holder of the capability: a first delegator, or a token. What is used under it is counted by the test itself. */
interface Node {
  readonly id: string
  readonly parent: Node | undefined
  readonly chain: readonly DelegationLink[]
  /** What its holder calls with. */
  readonly grant: Grant
  /** Its own limits, as signed. */
  readonly capability: AgentCapability
  calls: number
  spent: bigint
}

const didOf = (place: number) => `did:oas:dev:agent:${String(place).padStart(64, '0')}`

function drawLimits(chance: Chance): Pick<AgentCapability, 'limits' | 'caveats'> {
  return {
    ...(chance.below(2) && { limits: { max_per_hour: chance.below(20) } }),
    caveats: chance.below(3) ? [] : [`weekly_budget:0.0000${10 + chance.below(80)}`],
  }
}

function drawGraph(chance: Chance): Node[] {
  const roots = [0, 1].map((place): Node => {
    const capability = { name: 'svc.try.*', ...drawLimits(chance) }
    const grant = { ...capability, source: 'declared' as const }
    return { id: didOf(place), parent: undefined, chain: [], grant, capability, calls: 0, spent: 0n }
  })
  const nodes = [...roots]
  for (let made = 0; made < tokens_max; made++) {
    // Mostly from the newest, or chains would stay short.
    const node = delegate(chance, chance.below(3) ? nodes.at(-1)! : chance.pick(nodes), didOf(nodes.length))
    if (node) nodes.push(node)
  }
  return nodes
}

function ownerOf({ chain, id }: Node): string {
  return chain.at(-1)?.token.to_did ?? id
}

function delegate(chance: Chance, parent: Node, to_did: string): Node | undefined {
  const above = parent.chain
  if (above.at(-1)?.token.max_redelegation_depth === 0) return undefined
  const token = {
    from_did: ownerOf(parent),
    to_did,
    capabilities: [{ name: chance.pick([parent.grant.name, 'svc.try.run']), ...drawLimits(chance) }],
    max_redelegation_depth: (above.at(-1)?.token.max_redelegation_depth ?? redelegation_depth_max + 1) - 1,
    expires_at: '2026-11-20T00:00:00Z',
  }
  const verdict = judge(token, { now, sources: [parent.grant], above, policies: [], challenged: false })
  if (verdict.reasons.length > 0) return undefined
  const signed = { ...verdict.token, signature: 'A'.repeat(86) }
  const token_id = tokenId(signed)
  const link: DelegationLink = {
    token_id,
    token: signed,
    public_key: 'A'.repeat(43),
    ...(above.length > 0 && { parent_token: parent.id }),
    state: 'ACTIVE',
    issued_at: now,
    challenged: false,
  }
  const chain = [...above, link]
  const root = rootOf(parent)
  const standing = { now, own: [root.capability], policies: [], isRevoked: () => false }
  const [worth] = worthOf(chain, standing).held
  const grant = { ...worth!, source: 'delegation' as const, source_ref: token_id }
  return { id: token_id, parent, chain, grant, capability: signed.capabilities[0]!, calls: 0, spent: 0n }
}

function rootOf(node: Node): Node {
  return node.parent ? rootOf(node.parent) : node
}

/** It and everyone above it. */
function* upFrom(node: Node): Generator<Node> {
  for (let next: Node | undefined = node; next; next = next.parent) yield next
}

function weekOf({ capability }: Pick<Node, 'capability'>): bigint {
  const budgets = capability.caveats.map((caveat) => microUsd(caveat.slice('weekly_budget:'.length))!)
  return budgets.toSorted((one, other) => Number(one - other))[0] ?? 10n ** 12n
}

function hasRoom(node: Node, cost: bigint): boolean {
  return [...upFrom(node)].every(
    (holder) =>
      holder.calls < (holder.capability.limits?.max_per_hour ?? Number.POSITIVE_INFINITY) &&
      (cost === 0n || holder.spent + cost <= weekOf(holder)),
  )
}

function takesFor(node: Node, cost: bigint): Take[] {
  const call = {
    books: { ...empty_books, paid_in_micro_usd: 10n ** 12n },
    asked: { credential: { tier: 'charter' } },
    caller: { did: ownerOf(node) },
    timestamp: now,
    now_ms: Date.parse(now),
    operation: { facts: {} },
    grant: node.grant,
  }
  return takesOf(call as unknown as Authorised, undefined, cost)
}

interface Engine {
  readonly budget_counters: BudgetCounters
  quiet(): Promise<void>
}

const nothing_spent = { read: async () => ({ quanta: 0n, calls: 0n }), settled: async () => {} }

async function openRedisEngine(t: TestContext, name: string): Promise<Engine> {
  const link: RedisLink = openRedisLink(redis.url, redisScript(redis_clock), quiet, () => {})
  t.after(() => link.close())
  const budget_counters = redisCounters({
    ...nothing_spent,
    link,
    replica_id: name,
    journal_id: name,
    replicas: () => 2,
    onFallback: () => assert.fail('Redis is there'),
    log: quiet,
  })
  await link.tried
  return { budget_counters, quiet: () => budget_counters.quiet() }
}

interface World {
  readonly chance: Chance
  readonly tenant_id: string
  readonly engines: readonly Engine[]
  readonly counts: { admitted: number; refused: number; deepest: number }
}

/** Calls at once, by anyone through any engine; then each is charged less than it reserved, or nothing. */
async function play({ chance, tenant_id, engines, counts }: World, nodes: readonly Node[]): Promise<void> {
  const calls = Array.from({ length: calls_at_once }, () => {
    const [node, { budget_counters }, cost] = [
      chance.pick(nodes),
      chance.pick(engines),
      BigInt(chance.below(9)),
    ]
    return {
      node,
      budget_counters,
      takes: takesFor(node, cost),
      charge: BigInt(chance.below(Number(cost) + 1)),
    }
  })
  const lacking = await Promise.all(
    calls.map(({ budget_counters, takes }) => budget_counters.reserve(tenant_id, takes, true)),
  )
  for (const [place, { node, budget_counters, takes, charge }] of calls.entries()) {
    if (lacking[place]) {
      counts.refused++
      continue
    }
    counts.admitted++
    budget_counters.settle(tenant_id, takes, charge * quanta_per_micro_usd)
    for (const holder of upFrom(node)) {
      holder.calls++
      holder.spent += charge
    }
  }
  for (const engine of engines) await engine.quiet()
  for (const { id, capability, calls: made, spent } of nodes) {
    assert.ok(made <= (capability.limits?.max_per_hour ?? made), `${id}: ${made} calls`)
    assert.ok(spent <= weekOf({ capability }), `${id}: ${spent} spent`)
  }
}

/** With nothing in flight, a call is admitted where everyone above it has room, and only there. */
async function assertExact({ chance, tenant_id, engines }: World, nodes: readonly Node[]): Promise<void> {
  for (const node of nodes) {
    const cost = BigInt(chance.below(30))
    const takes = takesFor(node, cost)
    for (const { budget_counters } of engines) {
      const lacking = await budget_counters.reserve(tenant_id, takes, false)
      assert.equal(
        lacking === undefined,
        hasRoom(node, cost),
        `${node.id} at ${cost}: ${lacking?.budget_counter}`,
      )
    }
  }
}

async function playGraph(world: World): Promise<void> {
  const nodes = drawGraph(world.chance)
  for (const { chain } of nodes) world.counts.deepest = Math.max(world.counts.deepest, chain.length)
  for (let round = 0; round < rounds; round++) {
    await play(world, nodes)
    await assertExact(world, nodes)
  }
}

test('no limit in any chain is exceeded through two engines on one Redis, and none is reached early', async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, graphs, chance)
  const engines = [await openRedisEngine(t, 'one'), await openRedisEngine(t, 'other')]
  const counts = { admitted: 0, refused: 0, deepest: 0 }
  for (let made = 0; made < graphs; made++)
    await playGraph({ chance, tenant_id: `tenant-${made}`, engines, counts })
  report(t, counts)
  assert.ok(counts.admitted > graphs && counts.refused > graphs && counts.deepest >= 6, 'it shows too little')
})

test('the same on one engine without Redis', async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, graphs, chance)
  const counts = { admitted: 0, refused: 0, deepest: 0 }
  for (let made = 0; made < graphs; made++) {
    const engine: Engine = { budget_counters: memoryCounters(nothing_spent), quiet: async () => {} }
    await playGraph({ chance, tenant_id: 'dev', engines: [engine], counts })
  }
  report(t, counts)
  assert.ok(counts.admitted > graphs && counts.refused > graphs && counts.deepest >= 6, 'it shows too little')
})
