// The journey of one request: each stage's decision, why it was refused, and what would have changed that.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dispatch } from '../engines/running-engine.ts'
import { type ConsoleScene, openConsoleScene, type SignedIn, seriousFaults } from './console-scene.ts'

let scene: ConsoleScene
let ann: SignedIn

before(async () => {
  scene = await openConsoleScene()
  ann = await scene.signIn()
})
after(() => scene?.close())

test('a refused call is explained: its stage, its message, and what would have changed it', async () => {
  const { page, goTo, picture } = ann
  const input = { party_a: 'dev', party_b: 'nobody', capability: 'svc.mind.recall_memory' }
  const call = { protocol: 'MOAT', operation: 'compliance_query', input: input, tenant_id: 'nobody' }
  const { status, body } = await dispatch(scene.engine, call)
  assert.equal(status, 403)
  const { correlation_id, reason } = body.error
  await goTo('journey', 'Journey')
  await page.getByLabel('Correlation id').fill(correlation_id)
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  const rung = page.locator('.rung.refused')
  await rung.waitFor()
  assert.match((await rung.textContent()) ?? '', /^4\s*Capability/)
  assert.equal(await page.locator('.rung.not-reached').count(), 3)
  const why = page.getByRole('region', { name: 'Why' })
  await why.getByText(reason, { exact: true }).first().waitFor()
  await why.getByText('an active treaty granted the capability').waitFor()
  await page.getByRole('img', { name: 'Participants' }).waitFor()
  await picture('journey-refused')
  assert.deepEqual(await seriousFaults(page), [])
})

test('a successful call is listed among the newest and shown as recorded', async () => {
  const { page, goTo } = ann
  const call = {
    protocol: 'MAX',
    operation: 'audit_log_entry',
    input: { event_type: 'custom.followed', meta: {} },
  }
  const { body } = await dispatch(scene.engine, call)
  const { correlation_id } = body.metadata
  const records = await scene.engine.records(scene.engine.tenant_id)
  const own = records.find(
    (each) => each.correlation_id === correlation_id && each.event_type === 'ProtocolInvocation',
  )
  await goTo('journey', 'Journey')
  await page.getByRole('link', { name: `Follow record ${own?.seq}` }).click()
  await page.getByRole('heading', { name: 'MAX audit_log_entry' }).waitFor()
  const stages = (await page.getByRole('region', { name: 'The stages' }).textContent()) ?? ''
  for (const fact of [own?.record_hash, own?.meta.grant, own?.meta.input_hash])
    assert.ok(stages.includes(String(fact)))
  assert.equal(await page.locator('.rung.passed').count(), 9)
  assert.deepEqual(ann.faults, [])
})
