// One engine whose database, Redis, identity node and Aegis node are each behind a proxy that can fall
// silent.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { openRootKeys } from '@svc/adapters/root-keys/root-key-store'
import { catalogue } from '@svc/catalogue/catalogue'
import type { Clock } from '@svc/engine/ports'
import { askNodeAt, attestIdentity, type IdentityHome, makeIdentity } from '@svc/service/assembly/identities'
import { startNodes } from '@svc/service/assembly/nodes'
import { signingKey } from '@svc/service/settings/identity-settings'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { type FaultProxy, startFaultProxy } from '../../neighbours/fault-proxy.ts'
import { startRedis } from '../../neighbours/test-redis.ts'
import { testDatabase } from '../../rehearsal/test-database.ts'

const tenant_id = 'dev'
const forgotten_ms = 61_000
const delegated_at_once = 16
const delegated_ms = 20 * 86_400_000

export type Neighbour = 'database' | 'redis' | 'identity' | 'aegis'

export interface NeighboursScene {
  readonly service: InProcessService
  readonly proxies: Readonly<Record<Neighbour, FaultProxy>>
  /** Has every capability by its own document. */
  readonly owner: Addresses
  /** Has every capability by delegation. */
  readonly delegate: Addresses
  /** A valid identity without capabilities. */
  readonly stranger: Addresses
  /** One-minute caches expire; breakers close again. */
  letTimePass(): void
  close(): Promise<void>
}

export async function openNeighbours(): Promise<NeighboursScene> {
  const closing: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end()
  }
  try {
    return { ...(await open(closing)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function open(closing: (() => Promise<unknown>)[]): Promise<Omit<NeighboursScene, 'close'>> {
  const before = async (port: number, host?: string) => {
    const proxy = await startFaultProxy(port, host)
    closing.push(() => proxy.close())
    return proxy
  }
  const redis = await startRedis()
  closing.push(() => redis.close())
  const database = await testDatabase()
  closing.push(() => database.close())
  const db_url = new URL(database.url)
  const proxies: Record<string, FaultProxy> = {
    redis: await before(redis.port),
    database: await before(Number(db_url.port), db_url.hostname),
  }
  db_url.host = `127.0.0.1:${proxies.database!.port}`
  const { clock, letTimePass } = passingClock()
  const { did: agent_did, private_key } = newIdentity('operator', 'service')
  const agent_key = signingKey('the key of the test', private_key, agent_did)
  const master_key = randomBytes(32)
  const redis_url = `redis://127.0.0.1:${proxies.redis!.port}`
  const config = { db_url: db_url.href, redis_url, agent_did, agent_key, master_key }
  let identity_url = ''
  const service = await startInProcess({
    clock,
    identity: (oas) => oas,
    config,
    // Their tables are in the engine's database, but they are reached like any node.
    nodes: async ({ engine }, clock) => {
      const running = await startNodes(engine, { isTrusted: (did) => did === agent_did, clock })
      const { OAS = '', Aegis = '' } = running.urls
      identity_url = OAS
      proxies.identity = await before(Number(new URL(OAS).port))
      proxies.aegis = await before(Number(new URL(Aegis).port))
      return {
        ...running,
        urls: { ...running.urls, OAS: urlOf(proxies.identity), Aegis: urlOf(proxies.aegis) },
      }
    },
  })
  closing.push(() => service.stop())
  const { engine } = service.service.store
  await ensureTenant(engine, tenant_id, tenant_id, 'sovereign')
  const askNode = askNodeAt(identity_url, agent_key, clock)
  const home: IdentityHome = { db: engine, root_keys: await openRootKeys(engine, master_key), clock, askNode }
  const newAgent = agentMaker(service, home, agent_key)
  const owner = await newAgent(['svc.*.*'])
  const delegate = await newAgent([])
  const stranger = await newAgent([])
  await delegateAll(owner, delegate, clock)
  return {
    service,
    proxies: proxies as Record<Neighbour, FaultProxy>,
    owner,
    delegate,
    stranger,
    letTimePass,
  }
}

function urlOf({ port }: FaultProxy): string {
  return `http://127.0.0.1:${port}`
}

function passingClock(): { readonly clock: Clock; letTimePass(): void } {
  let passed_ms = 0
  const clock = {
    ...system_clock,
    now_ms: () => system_clock.now_ms() + passed_ms,
    monotonic_ms: () => system_clock.monotonic_ms() + passed_ms,
  }
  return {
    clock,
    letTimePass() {
      passed_ms += forgotten_ms
    },
  }
}

function agentMaker(
  { service, api_url, metrics_url }: InProcessService,
  home: IdentityHome,
  issuer: ReturnType<typeof signingKey>,
) {
  return async (declared: readonly string[]): Promise<Addresses> => {
    const root = await makeIdentity(home, { tenant_id, entity_kind: 'HumanRoot', custody: 'engine' })
    const capabilities = declared.map((name) => ({ name, caveats: [] }))
    const request = {
      tenant_id,
      entity_kind: 'Agent',
      custody: 'engine',
      parent_did: root.did,
      capabilities,
    } as const
    const { did } = await makeIdentity(home, request)
    await attestIdentity(home, issuer, did)
    const key = await issueKey(service.store.engine, { tenant_id, did, mode: 'test' })
    return { api_url, metrics_url, tenant_id, agent_did: did, ...key }
  }
}

async function delegateAll(from: Addresses, to: Addresses, { now_ms }: Clock): Promise<void> {
  const expires_at = new Date(now_ms() + delegated_ms).toISOString()
  const names = catalogue.map(({ id }) => `svc.${id.toLowerCase()}.*`)
  for (let at = 0; at < names.length; at += delegated_at_once) {
    const capabilities = names.slice(at, at + delegated_at_once)
    const input = { to_did: to.agent_did, capabilities, expires_at }
    const answer = await dispatch(from, { protocol: 'Aegis', operation: 'delegate', input })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
}
