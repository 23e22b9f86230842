// An engine in a simulated process: the real pipeline, handlers and store; audit log, limits and keys are in memory.
import { roundRobin } from '@svc/adapters/balancer/round-robin'
import { memoryBreaker } from '@svc/adapters/breaker/memory'
import { nativeEndpoint } from '@svc/adapters/endpoint/native'
import { memoryLimiter } from '@svc/adapters/rate-limit/memory'
import { openStore, type PostgresStore } from '@svc/adapters/store/postgres'
import { localAdmin } from '@svc/contract/identity/identity'
import { signText } from '@svc/contract/signing/signature'
import { createEngine, type Engine as Pipeline } from '@svc/engine/dispatch'
import { refusalSums } from '@svc/engine/limits/refusal-sums'
import type { Clock, Ports } from '@svc/engine/ports'
import { openRegistry } from '@svc/engine/routing/registry'
import { made } from '@svc/protocols/economic/made/made'
import { market } from '@svc/protocols/economic/market/market'
import { MemoryAuditLog } from '../../rehearsal/memory-audit-log.ts'
import { testPorts } from '../../rehearsal/test-ports.ts'
import { openBorders, testTreaty } from '../../scenes/test-treaty.ts'
import type { SimulatedProcess, World } from '../world.ts'
import type { Organizations } from './organizations.ts'

/** What has no state, or none that these protocols use. */
const shared_ports = testPorts([])
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
/** Few, so that calls also wait for a connection. */
const app_pool_max = 3
const engine_pool_max = 2

export class Engine {
  readonly world: World
  readonly name: string
  process: SimulatedProcess | undefined
  clock_offset_ms = 0
  readonly #organizations: Organizations
  #open: { readonly pipeline: Pipeline; readonly store: PostgresStore } | undefined
  #starts = 0

  constructor(world: World, name: string, organizations: Organizations) {
    this.world = world
    this.name = name
    this.#organizations = organizations
  }

  get is_running(): boolean {
    return this.process?.is_alive ?? false
  }

  /** Once its store is open, and while its process lives. */
  get open() {
    return this.is_running ? this.#open : undefined
  }

  /** Anew: what it had in memory is gone. It ends again where the database cannot be reached. */
  start(): void {
    this.process?.kill()
    const process = this.world.start(`${this.name}.${++this.#starts}`)
    process.clock_offset_ms = this.clock_offset_ms
    this.process = process
    this.#open = undefined
    const { url } = this.world.database
    process
      .run(() => openStore({ url, app_pool_max, engine_pool_max, log: quiet }))
      .then(
        (store) => {
          const pipeline = process.run(() => createEngine(this.#ports(store, clockOf(process))))
          if (process === this.process) this.#open = { pipeline, store }
        },
        () => process.kill(),
      )
  }

  setClock(offset_ms: number): void {
    this.clock_offset_ms = offset_ms
    if (this.process) this.process.clock_offset_ms = offset_ms
  }

  get now_ms(): number {
    return this.world.now_ms + this.clock_offset_ms
  }

  #ports(store: PostgresStore, clock: Clock): Ports {
    const { operator, partners, treaty, agents } = this.#organizations
    const charter = { has: async () => true, members: async () => [], async change() {} }
    const custody = {
      publicKeyOf: async (did: string) => agents.get(did)?.public_key,
      async sign(did: string, text: string | Uint8Array) {
        const agent = agents.get(did)
        return agent && { public_key: agent.public_key, signature: signText(agent.private_key, text) }
      },
      derive: async () => undefined,
      reserve: async () => '',
      reserved: async () => [],
      use: async () => {},
    }
    const parties = partners.map((tenant) => ({ tenant, did: `did:oas:${tenant}:agent:${'a'.repeat(64)}` }))
    const grants = partners.map((to) => ({ to, capability: 'svc.made.*' }))
    const agreed = testTreaty([parties[0]!, parties[1]!], grants, treaty)
    const registry = openRegistry()
    for (const definition of [made, market]) registry.register(definition, [nativeEndpoint(definition)])
    const audit_log = new MemoryAuditLog()
    return {
      ...shared_ports,
      ...{ store, clock, log: quiet, registry, audit_log },
      sums: refusalSums({ record: (entry) => audit_log.record(entry), clock }),
      limiter: memoryLimiter(clock),
      breaker: memoryBreaker(clock, () => {}),
      balancer: roundRobin(),
      identity: { resolve: (did: string) => ({ outcome: 'Resolved', identity: localAdmin(did) }) as const },
      treaties: { find: async () => agreed, between: openBorders('svc.market.*').between },
      needs: { ...shared_ports.needs, charter: () => charter, custody: () => custody },
      settings: { ...shared_ports.settings, operator_tenant_id: operator },
    }
  }
}

function clockOf(process: SimulatedProcess): Clock {
  const { world } = process
  return {
    now_ms: () => world.now_ms + process.clock_offset_ms,
    monotonic_ms: () => world.now_ms,
    uuid: () => world.random.uuid(),
    random: () => world.random.bits() / 2 ** 32,
    randomBytes: (count) => world.random.bytes(count),
  }
}
