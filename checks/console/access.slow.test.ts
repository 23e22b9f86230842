// Access in a real browser: a key created, used and revoked; a delegation revoked; the trace level set.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { dispatch } from '../engines/running-engine.ts'
import { type DelegationScene, type Member, openDelegationScene } from '../scenes/delegation-scene.ts'
import { eventually } from '../suite/eventually.ts'
import { type ConsoleScene, openConsoleOver, type SignedIn, seriousFaults } from './console-scene.ts'

let delegation: DelegationScene
let scene: ConsoleScene
let ann: SignedIn
let owner: Member
let borrower: Member

const powers = [
  'svc.max.*',
  'svc.macs.*',
  'svc.oas.*',
  'svc.aegis.*',
  'svc.mind.*',
  'svc.admin.observability',
]

before(async () => {
  delegation = await openDelegationScene()
  scene = await openConsoleOver(delegation.service)
  owner = await delegation.newMember({ declares: powers, in_custody: true })
  borrower = await delegation.newMember({ declares: ['svc.max.audit_log_entry'], in_custody: true })
  ann = await scene.signIn({ caller: owner })
})
after(() => scene?.close())

/** An agent is chosen by name and the beginning of its DID. */
async function choose(page: Page, did: string): Promise<void> {
  const begins = did.split(':').at(-1)!.slice(0, 8)
  await page.getByRole('combobox', { name: 'Agent' }).fill(begins)
  await page.getByRole('option', { name: begins }).click()
}

const hello = {
  protocol: 'MAX',
  operation: 'audit_log_entry',
  input: { event_type: 'custom.hello', meta: {} },
}

test('a key is shown once, works, and is refused immediately after it was revoked', async () => {
  const { page, goTo, picture } = ann
  await goTo('access/keys', 'Access')
  await page.getByRole('textbox', { name: 'Label' }).fill('for the night shift')
  await page.getByLabel('Weekly budget').fill('5')
  await page.getByRole('combobox', { name: 'May call' }).fill('svc.max.audit_log_entry')
  await page.getByRole('option', { name: 'svc.max.audit_log_entry', exact: true }).click()
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const api_key = (await page.locator('.note.good pre').textContent()) ?? ''
  assert.match(api_key, /^svc_live_/)
  const caller = { ...scene.engine, tenant_id: owner.tenant_id, agent_did: owner.agent_did, api_key }
  assert.equal((await dispatch(caller, hello)).status, 200)
  const key_id = api_key.split('_')[2]!
  const row = page.getByRole('row', { name: new RegExp(key_id) })
  await row.getByText('for the night shift').waitFor()
  await row.getByText('svc.max.audit_log_entry', { exact: true }).waitFor()
  await row.getByText('$5', { exact: false }).first().waitFor()
  const beyond = { protocol: 'MAX', operation: 'audit_query', input: {} }
  assert.equal((await dispatch(caller, beyond)).body.error.code, 'capability_denied')
  await picture('access-keys')
  await page.getByRole('button', { name: `Revoke ${key_id}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Revoke this key?' })
  assert.match((await dialog.textContent()) ?? '', /cannot be undone/)
  await dialog.getByRole('button', { name: `Revoke ${key_id}` }).click()
  await row.getByText('revoked', { exact: true }).waitFor()
  assert.equal((await dispatch(caller, hello)).status, 401)
})

test('a workload is added with its claims, shown, and removed', async () => {
  const { page, goTo, picture, faults } = ann
  await goTo('access/workloads', 'Access')
  await choose(page, owner.agent_did)
  await page.getByLabel('Issuer', { exact: true }).fill('https://token.actions.example')
  await page.getByLabel('Audience', { exact: true }).fill('https://svc.example')
  const add = page.getByRole('button', { name: 'Add a workload' })
  await page.getByLabel('Claims', { exact: true }).fill('repository')
  assert.ok(await add.isDisabled())
  await page.getByLabel('Claims', { exact: true }).fill('repository=acme/app\nref=refs/heads/main')
  await add.click()
  const row = page
    .getByRole('region', { name: 'Workloads', exact: true })
    .getByRole('row', { name: /token\.actions\.example/ })
  await row.getByText('ref=refs/heads/main').waitFor()
  await picture('access-workloads')
  assert.deepEqual([await seriousFaults(page), faults], [[], []])
  const listed = await dispatch(owner, { protocol: 'MACS', operation: 'list_workloads', input: {} })
  const [{ workload_id, claims }] = listed.body.output.items
  assert.deepEqual(claims, { repository: ['acme/app'], ref: ['refs/heads/main'] })
  await row.getByRole('button', { name: `Remove ${workload_id}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove this workload?' })
  await dialog.getByRole('button', { name: `Remove ${workload_id}` }).click()
  await row.waitFor({ state: 'detached' })
  await choose(page, borrower.agent_did)
  await page.getByLabel('Issuer', { exact: true }).fill('https://token.actions.example')
  await page.getByLabel('Audience', { exact: true }).fill('https://svc.example')
  await page.getByLabel('Claims', { exact: true }).fill('sub=x')
  await add.click()
  await page.getByText(/There is no identity .* that you may see/).waitFor()
  assert.match(faults.splice(0).join(), /422 \(Unprocessable Entity\)$/)
})

test('a webhook is set, its secret shown once, and removed', async () => {
  const { page, goTo, picture, faults } = ann
  await goTo('settings/webhooks', 'Settings')
  await page.getByLabel('Name', { exact: true }).fill('approvals')
  await page.getByLabel('Address', { exact: true }).fill('https://hooks.example/svc')
  await page.getByRole('button', { name: 'Set a webhook' }).click()
  const secret = (await page.locator('.note.good pre').textContent()) ?? ''
  assert.match(secret, /^whsec_/)
  const row = page
    .getByRole('region', { name: 'Webhooks', exact: true })
    .getByRole('row', { name: /hooks\.example/ })
  await row.getByText('ACTIVE').waitFor()
  await picture('access-webhooks')
  assert.deepEqual([await seriousFaults(page), faults], [[], []])
  const listed = await dispatch(owner, { protocol: 'MAX', operation: 'list_webhooks', input: {} })
  assert.equal(listed.body.output.items[0].event_types.length, 4)
  await row.getByRole('button', { name: 'Remove approvals' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove this webhook?' })
  await dialog.getByRole('button', { name: 'Remove approvals' }).click()
  await row.waitFor({ state: 'detached' })
})

test('a delegation is shown in its tree with its capabilities, and is revoked with one click', async () => {
  const { page, goTo, picture } = ann
  const wish = {
    to_did: borrower.agent_did,
    capabilities: ['svc.mind.recall_memory'],
    max_redelegation_depth: 1,
  }
  const expires_at = new Date(delegation.clock.now_ms() + 86_400_000).toISOString()
  const delegated = await dispatch(owner, {
    protocol: 'Aegis',
    operation: 'delegate',
    input: { ...wish, expires_at },
  })
  assert.equal(delegated.status, 200, JSON.stringify(delegated.body))
  await goTo('access/delegations', 'Access')
  const delegations = page.getByRole('region', { name: 'Delegations' })
  await delegations.getByText('svc.mind.recall_memory').waitFor()
  await picture('access-delegations')
  await delegations.getByRole('link', { name: 'Current capabilities of the recipient' }).click()
  const capabilities = page.getByRole('region', { name: 'Held now' })
  await capabilities.getByRole('row', { name: /svc\.mind\.recall_memory\s+delegation/ }).waitFor()
  await goTo('access/delegations', 'Access')
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await delegations.getByText('revoked', { exact: true }).waitFor()
  assert.deepEqual(await seriousFaults(page), [])
})

test('identities are listed, and drawn by lineage', async () => {
  const { page, goTo, picture } = ann
  await goTo('access/agents', 'Access')
  const list = page.getByRole('region', { name: 'Identities of this organization' })
  await list.getByRole('row').nth(1).waitFor()
  await page.getByRole('region', { name: 'Lineage' }).waitFor()
  await picture('access-agents')
  const cellsOf = async ({ agent_did }: Member): Promise<string[]> => {
    const row = list.getByRole('row').filter({ has: page.getByTitle(agent_did) })
    return await row.getByRole('cell').allTextContents()
  }
  const heads = await list.getByRole('columnheader').allTextContents()
  const [keys, used] = [heads.indexOf('Live keys'), heads.indexOf('Last used')]
  const own = await cellsOf(owner)
  assert.match(own[keys]!, /^[1-9]\d*$/, 'a live key is counted')
  const other = await cellsOf(borrower)
  assert.deepEqual([other[keys], other[used]], ['not visible to you', 'not visible to you'])
  assert.equal(await page.getByRole('navigation', { name: 'Pages of the list' }).count(), 0, 'one page only')
})

test("an agent's keys and sessions are on its page, and one is revoked there", async () => {
  const { page, goTo, picture, faults } = ann
  const made = await dispatch(owner, {
    protocol: 'MACS',
    operation: 'create_key',
    input: { label: 'by the agent' },
  })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const { key_id, api_key } = made.body.output
  await goTo(`access/agents/${encodeURIComponent(owner.agent_did)}`, 'Access')
  const open = () => page.getByRole('button', { name: 'Show keys and sessions' }).click()
  await open()
  const row = page
    .getByRole('region', { name: 'Keys and sessions' })
    .getByRole('row', { name: new RegExp(`${key_id}.*by the agent`) })
  await row.getByText('active', { exact: true }).waitFor()
  await picture('access-agent-keys')
  await row.getByRole('button', { name: `Revoke ${key_id}` }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Revoke ${key_id}` })
    .click()
  await row.getByText('revoked', { exact: true }).waitFor()
  assert.equal((await dispatch({ ...owner, api_key }, hello)).status, 401)
  assert.deepEqual([await seriousFaults(page), faults], [[], []])
  await goTo(`access/agents/${encodeURIComponent(borrower.agent_did)}`, 'Access')
  await open()
  await page.getByText('Only the agent itself and those it descends from see its keys.').waitFor()
  // The browser reports the refused request.
  assert.match(faults.splice(0).join(), /^Failed to load resource: .* 422 \(Unprocessable Entity\)$/)
})

test('an identity is suspended and revoked on its page, which says what that does', async () => {
  const { page, goTo, picture, faults } = ann
  const child = await dispatch(owner, {
    protocol: 'MACS',
    operation: 'derive',
    input: { entity_kind: 'Agent', label: 'night-porter' },
  })
  assert.equal(child.status, 200, JSON.stringify(child.body))
  const agent_did: string = child.body.output.did
  const name = `Agent ${agent_did.slice(-8)}`
  const resume = async () => {
    const input = { agent_did, state: 'active', reason: 'It was a test.' }
    const answer = await dispatch(owner, { protocol: 'MACS', operation: 'set_state', input })
    return answer.body.output?.changed ?? answer.body.error.reason
  }
  await goTo(`access/agents/${encodeURIComponent(agent_did)}`, 'Access')
  const state = page.getByRole('region', { name: 'State', exact: true })
  const suspend = state.getByRole('button', { name: 'Suspend' })
  assert.ok(await suspend.isDisabled(), 'a reason comes first')
  await state.getByLabel('Reason for a change').fill('It answers strangers.')
  await suspend.click()
  const asking = page.getByRole('dialog', { name: `Suspend ${name}?` })
  assert.match((await asking.textContent()) ?? '', /all identities that descend from it can call nothing/)
  await picture('access-agent-suspend')
  await asking.getByRole('button', { name: 'Suspend' }).click()
  await asking.waitFor({ state: 'detached' })
  await eventually(async () => assert.equal(await resume(), true, 'it was suspended'))
  await state.getByLabel('Reason for a change').fill('It left.')
  await state.getByRole('button', { name: 'Revoke for good' }).click()
  const last = page.getByRole('dialog', { name: `Revoke ${name}?` })
  const revoke = last.getByRole('button', { name: 'Revoke for good' })
  assert.ok(await revoke.isDisabled(), 'its name is typed first')
  await last.getByLabel(`Type ${name} to continue`).fill(name)
  await revoke.click()
  await state.getByText('revoked', { exact: true }).waitFor()
  assert.equal(await resume(), 'identity revoked')
  assert.deepEqual([await seriousFaults(page), faults], [[], []])
})

test('setting the trace level of the running engine is recorded', async () => {
  const { page, goTo, faults } = ann
  await goTo('settings/trace', 'Settings')
  await page.getByLabel('Log level').selectOption('error')
  await page.getByLabel('Traces sampled, 0 to 1').fill('0.5')
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByText('In force: error, 0.5 of all traces.').waitFor()
  const records = await scene.engine.records(owner.tenant_id)
  assert.ok(records.some(({ meta }) => meta.gate === 'svc.admin.observability' && meta.method === 'PUT'))
  assert.deepEqual(faults, [])
})

test('the page of an identity says why it can do something, from the first delegator down', async () => {
  const { page, goTo, picture } = ann
  const expires_at = new Date(delegation.clock.now_ms() + 86_400_000).toISOString()
  const wish = { to_did: borrower.agent_did, capabilities: ['svc.mind.recall_memory'], expires_at }
  const delegated = await dispatch(owner, { protocol: 'Aegis', operation: 'delegate', input: wish })
  assert.equal(delegated.status, 200, JSON.stringify(delegated.body))
  await goTo(`access/agents/${encodeURIComponent(borrower.agent_did)}`, 'Access')
  await page.getByLabel('Operation').fill('MIND.recall_memory')
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByText('may call MIND recall_memory').waitFor()
  const paths = page.getByRole('table', { name: 'Paths of authority' })
  await paths.getByText('yes, a call uses this one').waitFor()
  assert.match((await paths.textContent()) ?? '', /→/)
  await picture('access-why')
  assert.deepEqual(await seriousFaults(page), [])
})
