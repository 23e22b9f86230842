import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { caller_headers, type OpenEndpoint, openTestEndpoint } from '../../checks/engines/test-endpoint.ts'
import { test_tenant } from '../../checks/rehearsal/test-ports.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { carriesCredential } from './credentials.ts'
import { addLogRoutes } from './log-routes.ts'
import type { LogTiles } from './log-tiles.ts'

async function open(t: TestContext, log_tiles: LogTiles): Promise<OpenEndpoint> {
  const opened = await openTestEndpoint([], {}, [], (app, dispatch_endpoint) =>
    addLogRoutes(app, { ...dispatch_endpoint, log_tiles }),
  )
  t.after(() => opened.close())
  return opened
}

/** Logs that are all private, or all public, and count what is asked of them. */
function logs(is_public: boolean) {
  const looked_up: string[] = []
  const log_tiles: LogTiles = {
    isPublic(tenant_id) {
      looked_up.push(tenant_id)
      return is_public
    },
    checkpoint: async () => 'a note\n',
    tile: async () => Buffer.alloc(32),
  }
  return { log_tiles, looked_up }
}

const { 'content-type': _, ...caller } = caller_headers

test('a stranger costs one lookup, whichever tenant is named, and nothing where no tenant can be', async (t) => {
  const { log_tiles, looked_up } = logs(false)
  const { url, operatorRecords } = await open(t, log_tiles)
  for (const tenant of [test_tenant, 'nobody', 'No-Tenant', '%2e%2e'])
    assert.equal((await fetch(`${url}/v1/log/${tenant}/checkpoint`)).status, 404, tenant)
  assert.deepEqual(looked_up, [test_tenant, 'nobody'])
  assert.ok(operatorRecords().length > 0)
})

test('an invalid credential is refused before anything is looked up, also for a public log', async (t) => {
  const { log_tiles, looked_up } = logs(true)
  const { url, records } = await open(t, log_tiles)
  const headers = { authorization: caller.authorization! }
  const answer = await fetch(`${url}/v1/log/nobody/tile/0/000`, { headers })
  assert.equal(answer.status, 401)
  assert.deepEqual(looked_up, [])
  assert.equal(records().length, 1)
  assert.equal((await fetch(`${url}/v1/log/nobody/tile/0/000`, { headers: caller })).status, 200)
})

test('while sixteen requests run, others are told to retry', async (t) => {
  const gate = Promise.withResolvers<string>()
  let running = 0
  const checkpoint = () => {
    running++
    return gate.promise
  }
  const { url } = await open(t, { ...logs(true).log_tiles, checkpoint })
  const ask = () => fetch(`${url}/v1/log/acme/checkpoint`)
  const waiting = Array.from({ length: 16 }, ask)
  await eventually(() => assert.equal(running, 16))
  const refused = await ask()
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  gate.resolve('a note\n')
  for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 200)
  await eventually(async () => assert.equal((await ask()).status, 200))
})

test('only our own cookie is a credential', () => {
  for (const [headers, is_credential] of [
    [{}, false],
    [{ cookie: 'theme=dark; not_svc_session=1' }, false],
    [{ cookie: 'theme=dark; svc_session=x' }, true],
    [{ cookie: '__Host-svc_session=x' }, true],
    [{ authorization: '' }, true],
    [{ 'x-svc-context': 'a.b.c' }, true],
    [{ 'x-agent-did': 'did:oas:x' }, false],
  ] as const)
    assert.equal(carriesCredential(headers), is_credential, JSON.stringify(headers))
})
