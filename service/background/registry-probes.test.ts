import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { newIdentity } from '@svc/adapters/access/tenants'
import { keepSeed } from '@svc/adapters/custody/keystore'
import { type InProcessService, startInProcess } from '../../checks/engines/in-process.ts'
import { type Addresses, dispatch } from '../../checks/engines/running-engine.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { basic_capabilities } from '../../checks/scenes/basic-capabilities.ts'
import { probeRegistered } from './registry-probes.ts'

const master_key = Buffer.alloc(32, 7)
const clock = manualClock('2026-11-15T10:00:00.000Z')
const log = { debug() {}, info() {}, warn() {}, error() {} }
let requests = 0
const server = createServer((_request, response) => {
  requests++
  response.end('{}')
})
let service: InProcessService
let url: string

before(async () => {
  service = await startInProcess({ clock, loopback_tenant: 'dev', config: { master_key } })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(async () => {
  server.close()
  await service.stop()
})

/** An agent in the engine's custody. */
async function kept(): Promise<Addresses> {
  const { engine } = service.service.store
  const { did, private_key } = newIdentity('dev', 'agent')
  await keepSeed(engine, service.service.root_keys, 'dev', did, Buffer.from(private_key, 'base64url'))
  const { api_key } = await issueKey(engine, {
    tenant_id: 'dev',
    did,
    mode: 'test',
    capabilities: basic_capabilities,
  })
  return { ...service, agent_did: did, api_key }
}

async function ask(caller: Addresses, operation: string, input: object) {
  const { body } = await dispatch(caller, { protocol: 'MARS', operation, input })
  assert.ok(body.output, JSON.stringify(body))
  return body.output
}

test('registered endpoints are probed, and healthy ones come first', async () => {
  const [well, ill] = [await kept(), await kept()]
  const facts = { name: 'Probed', entity_kind: 'Agent', capabilities: ['svc.motet.emit'] }
  const external = (address: string) => ({ kind: 'external', url: address, protocols: [] })
  const dead = 'http://127.0.0.1:1'
  for (const [agent, endpoints] of [
    [ill, [external(dead)]],
    [well, [external(dead), external(`${url}/a`), external(url)]],
  ] as const) {
    const made = await ask(agent, 'register_agent', { ...facts, service_endpoints: endpoints })
    const { entries } = await ask(agent, 'query_registry', { entry: made.entry })
    assert.deepEqual(
      [entries[0].signature.signed_by, entries[0].signature.method],
      [agent.agent_did, 'custodial'],
    )
  }
  const { store } = service.service
  const probes = () => probeRegistered({ store, clock, loopback_tenant: 'dev', log })
  // The engine under test probes meanwhile; together they probe each only once.
  const together = await Promise.all([probes(), probes()])
  assert.ok(together[0] + together[1] <= 4)
  for (let turn = 0; turn < 8; turn++) {
    clock.advance(12_000)
    await probes()
  }
  const { candidates } = await ask(well, 'discovery', { capability: 'svc.motet.emit' })
  assert.deepEqual(
    candidates.map(({ did }: { did: string }) => did),
    [well.agent_did, ill.agent_did],
  )
  const order = candidates[0].endpoints.map((endpoint: { url: string; healthy: boolean }) => [
    endpoint.url,
    endpoint.healthy,
  ])
  assert.deepEqual(order, [
    [`${url}/a`, true],
    [url, true],
    [dead, false],
  ])
  assert.equal(candidates[1].score_parts.health, 0)
  assert.ok(requests > 0)
})
