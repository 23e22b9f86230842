// The long form: all our services of compose run as processes, on a database set up as in compose, and answer
// a call.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { is_long } from '../faults/scene/chance.ts'
import { eventually } from '../suite/eventually.ts'
import { type Composed, openComposed } from './composed.ts'
import { judge } from './deploy-tools.ts'
import { deploy } from './deployment.ts'
import { type Caller, callThrough, emission, headersOf } from './gateway-caller.ts'

const skip = is_long ? false : 'starts seven processes; npm run assurance does'
const services = ['oas', 'arsenal', 'aegis', 'engine-1', 'engine-2', 'gateway', 'console']

let composed: Composed
let engine: ChildProcess
let founded: { readonly root_did: string }
let caller: Caller

before(async () => {
  if (!is_long) return
  composed = await openComposed(services)
  // In the order of depends_on: nodes, engines, and what is in front of them.
  for (const service of services.slice(0, 3)) await composed.start(service)
  engine = await composed.start('engine-1')
  for (const service of services.slice(4)) await composed.start(service)
  const made = ['acme', '--name', 'Acme', '--tier', 'charter', '--root', 'new']
  ;[founded] = await composed.admin('tenant', 'create', ...made)
  const capabilities = ['--capability', 'svc.motet.*', '--capability', 'svc.oas.*']
  const [issued] = await composed.admin('key', 'issue', 'acme', ...capabilities)
  const ca = readFileSync(join(composed.secrets.folder, 'tls.crt'), 'utf8')
  caller = { port: composed.portOf('gateway'), ca, ...issued }
})
after(() => composed?.close())

test('every service with a health check is healthy', { skip }, async () => {
  for (const service of services) {
    const scheme = service === 'gateway' ? 'https' : 'http'
    const path = service === 'console' ? '/' : '/health'
    const args = [join(deploy, 'health.mjs'), `${scheme}://127.0.0.1:${composed.portOf(service)}${path}`]
    const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')
    assert.equal(code, 0, service)
  }
})

test('a call through the gateway is answered, and one around it is refused', { skip }, async () => {
  const { status, body } = await callThrough(caller, emission)
  assert.deepEqual([status, body.output?.accepted], [200, 1], JSON.stringify(body))
  const around = await fetch(`http://127.0.0.1:${composed.portOf('engine-1')}/v1/dispatch`, {
    method: 'POST',
    headers: headersOf(caller),
    body: emission,
  })
  const refused = (await around.json()) as { error: { reason: string } }
  assert.deepEqual([around.status, refused.error.reason], [401, 'gateway required'])
})

test('the identity node knows the engine, and resolves identities for it', { skip }, async () => {
  const input = { did: founded.root_did }
  const call = { protocol: 'OAS', version: 'v1', operation: 'resolve', tenant_id: 'acme', input }
  const { status, body } = await callThrough(caller, JSON.stringify(call))
  assert.equal(status, 200, JSON.stringify(body))
  assert.ok(JSON.stringify(body.output).includes(founded.root_did))
})

test('promtool reads the metrics of both engines, including the checks of /ready', { skip }, async (t) => {
  for (const service of ['engine-1', 'engine-2']) {
    const page = await fetch(`http://127.0.0.1:${composed.portOf(service) + 1}/metrics`)
    const text = await page.text()
    for (const check of ['database', 'rate_limit', 'plugins'])
      assert.match(text, new RegExp(`^svc_ready_check\\{check="${check}"\\} 1$`, 'm'))
    const { said } = judge('promtool', ['check', 'metrics'], text)
    // Advice on names, one line each; unreadable metrics are an error.
    t.diagnostic(said.trim().replaceAll('\n', '; '))
    assert.doesNotMatch(said, /error while/)
  }
})

test('the doctor finds nothing wrong', { skip }, async () => {
  // It exits with 0 only if nothing failed; there is a line for each check.
  assert.ok((await composed.admin('doctor')).length > 5)
})

test('a killed engine causes no failure', { skip }, async () => {
  engine.kill('SIGKILL')
  await once(engine, 'exit')
  await eventually(async () => assert.equal((await callThrough(caller, emission)).status, 200))
})
