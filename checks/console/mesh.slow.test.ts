// The mesh in a real browser: its map, its registry, mailboxes with their contents, and a workflow run as a
// graph.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Route } from 'playwright-core'
import { dispatch } from '../engines/running-engine.ts'
import { type ConsoleScene, openConsoleScene, type SignedIn, seriousFaults } from './console-scene.ts'

let scene: ConsoleScene
let ann: SignedIn
let run_ref: string

const done = async (protocol: string, operation: string, input: unknown) => {
  const answer = await dispatch(scene.engine, { protocol, operation, input })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.output
}

before(async () => {
  scene = await openConsoleScene()
  const { agent_did } = scene.engine
  await done('MIM', 'message_send', { to: agent_did, body: { text: 'good morning' } })
  const entry = (name: string) => ({
    kind: 'Protocol',
    name,
    protocol: 'MAX',
    operation: 'audit_log_entry',
    payload: { event_type: `custom.${name}`, meta: {} },
  })
  const manifest = { name: 'two-notes', version: '1.0.0', steps: [entry('first'), entry('second')] }
  const { manifest_ref } = await done('MOON', 'submit_manifest', { manifest })
  run_ref = (await done('MOON', 'execute_workflow', { manifest_ref, wait_ms: 20_000 })).run_ref
  ann = await scene.signIn()
})
after(() => scene?.close())

test('a workflow is drawn with its steps and the progress the engine reports', async () => {
  const { page, goTo, picture } = ann
  await goTo('mesh/workflows', 'Mesh')
  await page.getByRole('row', { name: /^two-notes 1\.0\.0 succeeded .*2 of 2/ }).waitFor()
  await page.getByRole('link', { name: `Steps of two-notes ${run_ref}` }).click()
  await page.getByRole('region', { name: 'Steps', exact: true }).waitFor()
  const steps = page.getByRole('region', { name: 'Step states' })
  assert.equal(await steps.getByText('succeeded', { exact: true }).count(), 2)
  await picture('mesh-workflow')
  assert.deepEqual(await seriousFaults(page), [])
})

test('the map, the registry and the mailboxes show what is registered', async () => {
  const { page, goTo, picture, faults } = ann
  await goTo('mesh/map', 'Mesh')
  await page.getByRole('region', { name: 'Mesh map' }).waitFor()
  await picture('mesh-map')
  assert.deepEqual(await seriousFaults(page), [])
  await goTo('mesh/mailboxes', 'Mesh')
  const boxes = page.getByRole('region', { name: 'Mailboxes' })
  await boxes.getByRole('row').nth(1).waitFor()
  assert.equal(await boxes.getByRole('cell', { name: '1', exact: true }).count(), 1)
  assert.doesNotMatch(await boxes.innerText(), /did:/, 'a mailbox is named by whose it is')
  await goTo('mesh/registry', 'Mesh')
  await page.getByText('Nothing of this kind is registered yet').waitFor()
  await goTo('mesh/endpoints', 'Mesh')
  await page.getByRole('region', { name: 'Plugins' }).waitFor()
  await goTo('mesh/devices', 'Mesh')
  await page.getByText('No device yet').waitFor()
  await page.getByRole('link', { name: 'Register a device' }).click()
  await page.getByRole('heading', { name: 'Playground', exact: true }).waitFor()
  assert.match(page.url(), /playground\/MARS\/register_agent$/)
  assert.deepEqual(faults, [])
})

const device_did = `did:oas:dev:service:${'7d'.repeat(32)}`
const paint_booth = {
  device_did,
  name: 'paint-booth',
  state: 'reporting',
  described_at: '2026-11-15T10:00:00.000Z',
  sensors: [
    { sensor_id: `${device_did}/temperature`, unit: 'Cel', low: 0, high: 60, last: { value: 22.391 } },
    { sensor_id: `${device_did}/humidity`, unit: '%RH', low: 0, high: 100 },
  ],
  actuators: [
    {
      actuator_id: `${device_did}/fan`,
      fields: { speed: { kind: 'number', unit: '1/min', min: 0, max: 1500 }, on: { kind: 'flag' } },
      is_confirmed: true,
      reported: { speed: 900, on: true },
    },
  ],
}

const forecaster = {
  subject: `did:oas:dev:agent:${'5c'.repeat(32)}`,
  tenant_id: 'dev',
  state: 'LIVE',
  version: 1,
  registered_at: '2026-11-15T10:00:00.000Z',
  hash: `sha256:${'3d'.repeat(32)}`,
  signature: { method: 'custodial' },
  body: { content: { name: 'Forecaster' } },
}

const made_up: Readonly<Record<string, object>> = {
  MOTE: { broker: 'connected', items: [paint_booth], command_keys: [] },
  MARS: { entries: [forecaster] },
}

test('a device is shown by what it measures and does, an entry by its name, both without DIDs', async () => {
  const { page, goTo } = ann
  const answerMadeUp = async (route: Route) => {
    const output = made_up[route.request().postDataJSON().protocol]
    if (!output) return await route.continue()
    const usage = { amount_usd: '0.000000', seconds: 0, tokens_in: 0, tokens_out: 0, watt_hours: 0 }
    await route.fulfill({ json: { output, metadata: { usage, correlation_id: 'made-up' } } })
  }
  await page.route('**/v1/dispatch', answerMadeUp)
  await goTo('mesh/devices', 'Mesh')
  const devices = page.getByRole('region', { name: 'Devices', exact: true })
  await devices.getByRole('cell', { name: 'paint-booth' }).waitFor()
  const text = await devices.innerText()
  assert.match(text, /temperature: 22\.4 °C \(0 to 60 °C\)/)
  assert.match(text, /humidity: nothing yet \(0 to 100 % RH\)/)
  assert.match(text, /fan: speed 900 rpm on on/)
  assert.doesNotMatch(text, /did:/)
  await goTo('mesh/registry?kind=agent', 'Mesh')
  const entries = page.getByRole('region', { name: 'Agents', exact: true })
  await entries.getByRole('cell', { name: 'Forecaster' }).waitFor()
  assert.doesNotMatch(await entries.innerText(), /did:/)
  await page.unroute('**/v1/dispatch', answerMadeUp)
})
