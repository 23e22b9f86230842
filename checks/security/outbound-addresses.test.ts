// T6: nobody can make the engine connect to internal addresses: registration, health probe and invoke, with
// every notation.
import assert from 'node:assert/strict'
import type { lookup } from 'node:dns'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { declareOutside } from '@svc/adapters/external/declaration'
import { externalEndpoint } from '@svc/adapters/external/external-endpoint'
import { keepRegistration, type Registration } from '@svc/adapters/external/registrations'
import { addressGuard } from '@svc/adapters/outbound/address-guard'
import type { Need } from '@svc/contract/needs/needs'
import type { Refusal } from '@svc/contract/refusal'
import { admin } from '@svc/service/admin'
import { readRegistration } from '@svc/service/admin/protocol-words'
import { chooseTarget } from '@svc/service/admin/target'
import { assertRefusedAndRecorded, assertSuccess } from '../conformance/dispatch/expectations.ts'
import { newKey, openSigningService, type SigningService } from '../conformance/execution/signing-service.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { dispatch } from '../engines/running-engine.ts'
import { testContext } from '../rehearsal/test-context.ts'
import { eventually } from '../suite/eventually.ts'

/** The one permitted address; everything on 127.0.0.1 is internal. */
const allowed_host = '127.0.0.2'
const allowed_networks = [`${allowed_host}/32`]
const did = newKey().did
const servers: Server[] = []
let connections = 0
/** Like PostgreSQL, Redis and metrics: listens on every address of this machine. */
let sink: number
let sink_v6: number
let service: InProcessService
let honest: SigningService

async function listen(server: Server, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  servers.push(server)
  return (server.address() as AddressInfo).port
}
const counting = () =>
  createTcpServer((socket) => {
    connections++
    socket.destroy()
  })

before(async () => {
  sink = await listen(counting(), '127.0.0.1')
  // Without IPv6 there is nothing to connect to.
  sink_v6 = await listen(counting(), '::1').catch(() => sink)
  honest = await openSigningService(allowed_host)
  service = await startInProcess({ config: { allowed_networks } })
})
after(async () => {
  await service.stop()
  await honest.close()
  for (const server of servers) server.close()
})

/** Every notation of an internal address, on a port that listens there. */
function innerAddresses(): string[] {
  const { port: postgres } = new URL(service.db_url)
  const { port: metrics } = new URL(service.metrics_url)
  return [
    ...[sink, postgres, metrics].map((port) => `http://127.0.0.1:${port}`),
    `https://127.0.0.1:${sink}`,
    `https://[::1]:${sink_v6}`,
    `http://[::ffff:127.0.0.1]:${sink}`,
    `https://[::ffff:7f00:1]:${sink}`,
    `https://0.0.0.0:${sink}`,
    `http://0:${sink}`,
    'http://169.254.169.254/latest/meta-data',
    'https://[fd00:ec2::254]',
    `http://2130706433:${sink}`,
    `https://0x7f.1:${sink}`,
    `http://0177.0.0.1:${sink}`,
    `https://127.1:${sink}`,
    `http://localhost:${sink}`,
    'http://10.0.0.1',
    'https://192.168.0.1',
  ]
}
const odd_addresses = () => [
  `http://a@127.0.0.1:${sink}`,
  `https://a:b@${allowed_host}`,
  'unix:///run/postgresql/.s.PGSQL.5432',
  'http://unix:/run/redis.sock',
  'file:///etc/passwd',
  'ftp://127.0.0.1',
  'not an address',
]

test('registration: no internal address is accepted or connected to', async () => {
  const env = { SVC_DB_URL: service.db_url, SVC_ALLOWED_NETWORKS: allowed_networks.join() }
  const typed = ['INSIDE', 'v1.0.0']
  const values = { did, operation: ['look'] }
  const read = (address: string) =>
    readRegistration([...typed, address], values, chooseTarget(undefined, env), {
      registeredOf: async () => [],
      treatyOf: async () => undefined,
    })
  for (const address of [...innerAddresses(), ...odd_addresses()])
    await assert.rejects(read(address), { name: 'ConfigError' }, address)
  assert.equal((await read(`${honest.url}/`)).endpoint, honest.url)
  const terminal = { input: Readable.from([]), write: async () => {} }
  const args = ['protocol', 'add', ...typed, innerAddresses()[0]!, '--did', did, '--operation', 'look']
  await assert.rejects(admin(args, env, terminal), { name: 'ConfigError' })
  assert.equal(connections, 0)
})

/** Bypasses the command, as direct access to the table would. */
async function registerAnyway(endpoints: readonly string[]): Promise<string[]> {
  const names = endpoints.map((_, i) => `INSIDE${String.fromCharCode(65 + i)}`)
  for (const [i, endpoint] of endpoints.entries()) {
    const facts = { version: 'v1.0.0', timeout_ms: 2_000, operations: ['look'], did, weight: 1 }
    await keepRegistration(service.service.store.engine, { name: names[i]!, endpoint, ...facts })
  }
  return names
}
const look = (protocol: string) => dispatch(service, { protocol, operation: 'look', input: {} })

test('health probe and invoke: stored addresses are checked when connecting', async (t) => {
  const inner = innerAddresses()
  const names = await registerAnyway(inner)
  await eventually(() => assert.ok(service.service.registry.versions(names.at(-1)!)))
  await service.service.probe()
  for (const [i, protocol] of names.entries()) {
    const expected = { code: 'adapter_error', stage: 7 } as const
    const { error } = await assertRefusedAndRecorded(service, await look(protocol), expected)
    assert.equal(error.reason, 'address not allowed', inner[i]!)
  }
  assert.equal(connections, 0)
  t.diagnostic(
    `N=${inner.length} inner addresses, by registration, probe and invoke: ${connections} connections`,
  )
})

test('a redirect to loopback is not followed, and the engine goes on serving', async () => {
  const redirecting = createServer((_req, res) =>
    res.writeHead(302, { location: `http://127.0.0.1:${sink}/invoke` }).end(),
  )
  const port = await listen(redirecting, allowed_host)
  await keepRegistration(service.service.store.engine, {
    ...{ name: 'MOVED', version: 'v1.0.0', endpoint: `http://${allowed_host}:${port}`, timeout_ms: 120_000 },
    ...{ operations: ['look'], did, weight: 1 },
  })
  await keepRegistration(service.service.store.engine, {
    ...{ name: 'HONEST', version: 'v1.0.0', endpoint: honest.url, timeout_ms: 120_000 },
    ...{ operations: ['look'], did: honest.did, weight: 1 },
  })
  await eventually(async () => assertSuccess(await look('HONEST')))
  const expected = { code: 'adapter_error', stage: 7 } as const
  await assertRefusedAndRecorded(service, await look('MOVED'), expected)
  await service.service.probe()
  assert.equal(connections, 0)
})

/** First a public address, then an internal one, as in DNS rebinding. */
function rebinding(...addresses: string[]): typeof lookup {
  let lookups = 0
  return ((_name: string, _options: object, done: (error: null, resolved: object[]) => void) => {
    const address = addresses[Math.min(lookups++, addresses.length - 1)]
    done(null, [{ address, family: address?.includes(':') ? 6 : 4 }])
  }) as unknown as typeof lookup
}

test('DNS rebinding: a name is judged by the address that is connected to, at every connection', async () => {
  const registration: Registration = {
    ...{
      id: '1',
      name: 'REBOUND',
      version: 'v1.0.0',
      endpoint: `http://a.example:${sink}`,
      timeout_ms: 2_000,
    },
    ...{ operations: ['look'], did: honest.did, weight: 1, enabled: true, created_at: new Date(0) },
    ...{ answers: 'signed', treaty_id: null },
  }
  const context = testContext<Need>({
    invoke: { correlation_id: 'x', tenant_id: 'dev', agent_did: did, timestamp: '', metadata: {} },
    authority: { ofCaller: async () => ({ held: [] }) },
    signal: new AbortController().signal,
    tokens: { use() {} },
  })
  const through = (names: typeof lookup, endpoint: string) =>
    externalEndpoint({ ...registration, endpoint }, declareOutside(registration, []), {
      signer: newKey(),
      clock: system_clock,
      outbound: { guard: addressGuard(allowed_networks), lookup: names },
      readJson: (bytes) => JSON.parse(bytes.toString()),
      isInForce: async () => false,
    })
  const reasonOf = async (invoking: unknown) => {
    const error = await Promise.resolve(invoking).then(
      () => assert.fail('it was answered'),
      (thrown) => thrown as Refusal,
    )
    return error.details.reason
  }
  const named = honest.url.replace(allowed_host, 'a.example')
  for (const inside of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254']) {
    // Two pools with one name: a kept connection was checked, so it may be reused.
    const names = rebinding(allowed_host, inside)
    assert.equal(await through(names, named).isHealthy(), true)
    assert.equal(await through(names, named).isHealthy(), false, inside)
    assert.equal(await reasonOf(through(names, named).invoke('look', {}, context)), 'address not allowed')
    const at_sink = through(rebinding('203.0.113.7', inside), `https://a.example:${sink}`)
    for (let turn = 0; turn < 2; turn++) {
      assert.equal(await at_sink.isHealthy(), false)
      assert.equal(await reasonOf(at_sink.invoke('look', {}, context)), 'address not allowed')
    }
  }
  assert.equal(connections, 0)
})
