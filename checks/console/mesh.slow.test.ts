// The mesh in a real browser: its map, its registry, mailboxes with their contents, and a workflow run as a
// graph.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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
  await goTo('mesh/registry', 'Mesh')
  await page.getByText('Nothing of this kind is registered.').waitFor()
  await goTo('mesh/endpoints', 'Mesh')
  await page.getByRole('region', { name: 'Plugins' }).waitFor()
  await goTo('mesh/devices', 'Mesh')
  await page.getByText('No device is registered yet').waitFor()
  assert.deepEqual(faults, [])
})
