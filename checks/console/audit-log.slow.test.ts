// The audit log in a real browser: searched, correlated with another organization's, verified, and tampering detected.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { issueKey } from '@svc/adapters/access/api-keys'
import { addMember } from '@svc/adapters/access/charter'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type SigningKey, signText } from '@svc/contract/signing/signature'
import type { Page } from 'playwright-core'
import { writeOver } from '../conformance/awareness/written-over.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { basic_capabilities } from '../scenes/basic-capabilities.ts'
import { newKey } from '../scenes/delegation-scene.ts'
import { eventually, until } from '../suite/eventually.ts'
import { type ConsoleScene, openConsoleScene, type SignedIn, seriousFaults } from './console-scene.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'svc-audit-log-page-'))

interface Member extends Addresses {
  readonly key: SigningKey
}

let scene: ConsoleScene
let ann: Member
let call_id: string
let signed_in: SignedIn
let page: Page

before(async () => {
  scene = await openConsoleScene()
  const bob = await seat('globex')
  ann = await seat('acme')
  await agree(ann, bob)
  call_id = await crossed(ann, bob)
  for (let i = 0; i < 4; i++)
    await ask(ann, 'MAX', 'audit_log_entry', { event_type: 'custom.counted', meta: { i } })
  assert.equal((await ask(ann, 'MAX', 'audit_query', {})).status, 422)
  signed_in = await scene.signIn({ login: 'ann@acme.example', caller: ann })
  page = signed_in.page
})
after(async () => {
  await scene?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The only member of its charter, with its own key. */
async function seat(tenant_id: string): Promise<Member> {
  const { store } = scene.engine.service
  const key = newKey(tenant_id)
  await ensureTenant(store.engine, tenant_id, tenant_id, 'sovereign')
  await addMember(store.engine, tenant_id, key.did, new Date(0))
  const issued = await issueKey(store.engine, {
    tenant_id,
    did: key.did,
    mode: 'test',
    capabilities: basic_capabilities,
  })
  const { api_url, metrics_url } = scene.engine
  return { api_url, metrics_url, tenant_id, agent_did: key.did, ...issued, key }
}

const ask = (who: Member, protocol: string, operation: string, input: object, tenant_id = who.tenant_id) =>
  dispatch(who, { protocol, operation, input, tenant_id })

async function agree(one: Member, other: Member): Promise<void> {
  const { body } = await ask(one, 'MOAT', 'propose', {
    counterparty_did: other.agent_did,
    capability_schedule: [{ capability: 'svc.mars.query_registry', granted_to: 'both' }],
    expires_at: new Date(system_clock.now_ms() + 86_400_000).toISOString(),
  })
  const { treaty_id } = body.output
  for (const who of [one, other]) {
    const { timestamp, faults } = (await ask(who, 'MOAT', 'sign', { treaty_id })).body.error.details
    const signature = signText(who.key.private_key, faults[0].message)
    const proof = { timestamp, public_key: who.key.public_key, signature }
    assert.equal((await ask(who, 'MOAT', 'sign', { treaty_id, ...proof })).status, 200)
  }
}

/** The engine learns of the treaty with a delay; the first admitted call counts. */
function crossed(from: Member, to: Member): Promise<string> {
  return until('the treaty is known', async () => {
    const answer = await ask(from, 'MARS', 'query_registry', { kind: 'agent' }, to.tenant_id)
    return answer.status === 200 && answer.body.metadata.correlation_id
  })
}

const ownRecords = (filter = {}) => scene.engine.records('acme', filter)
const list = () => page.getByRole('region', { name: 'Records', exact: true })
const cells = (column: number) =>
  list()
    .locator(`.list-row td:nth-child(${column})`)
    .evaluateAll((elements) => elements.map((cell) => cell.textContent))
/** The rows in view, in the order of the list. */
const shownNumbers = async () => (await cells(1)).map(Number)

/** On a phone nothing is cut off: wide content scrolls by itself. */
async function assertFits(name: string): Promise<void> {
  const wide = page.viewportSize()!
  await page.setViewportSize({ width: 390, height: 800 })
  await signed_in.picture(name)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, name)
  await page.setViewportSize(wide)
}

test('records: newest first, filtered by the form, with the filters in the address', async () => {
  const { goTo, picture } = signed_in
  await goTo('audit-log', 'Audit log')
  await list().locator('.list-row').first().waitFor()
  const shown = await shownNumbers()
  const stored = (await ownRecords())
    .filter(({ seq }) => seq <= shown[0]!)
    .reverse()
    .slice(0, shown.length)
  assert.deepEqual(
    shown,
    stored.map(({ seq }) => seq),
  )
  assert.deepEqual(
    await cells(3),
    stored.map(({ outcome }) => outcome),
  )
  await page.getByLabel('Event type').fill('custom.counted')
  await page.getByRole('combobox', { name: 'Outcome' }).click()
  await page.getByRole('option', { name: 'Success' }).click()
  await page.waitForURL(/event_type=custom.counted/)
  const counted = await ownRecords({ event_types: ['custom.counted'] })
  const oldest_first = counted.map(({ seq }) => seq)
  await eventually(async () => assert.deepEqual(await shownNumbers(), oldest_first.toReversed()))
  await picture('audit-log-records')
  await page.getByRole('combobox', { name: 'Order' }).click()
  await page.getByRole('option', { name: 'Oldest first' }).click()
  await eventually(async () => assert.deepEqual(await shownNumbers(), oldest_first))
  await page.reload()
  await eventually(async () => assert.deepEqual(await shownNumbers(), oldest_first))
  await assertFits('audit-log-records-narrow')
  assert.deepEqual(await seriousFaults(page), [])
})

test('a record: the hashed text, and its proof computed in the page', async () => {
  const [record] = await ownRecords({ event_types: ['custom.counted'] })
  const { seq, previous_hash, record_hash, ...rest } = record!
  await page.getByRole('link', { name: String(seq), exact: true }).click()
  await page.getByRole('heading', { name: 'Consistent' }).waitFor()
  const text = await page
    .getByRole('figure')
    .filter({ hasText: 'Canonical JSON' })
    .locator('pre')
    .textContent()
  assert.equal(text, canonicalJson({ seq, ...rest }))
  const hash = createHash('sha256')
    .update(previous_hash + text)
    .digest('hex')
  assert.equal(hash, record_hash)
  assert.equal(await page.getByTitle(record_hash).count(), 2, 'as stored and as computed')
  await page.getByRole('button', { name: 'Prove against the newest checkpoint' }).click()
  await page.getByText(/It is included in the signed tree of \d+ records/).waitFor()
  assert.equal(
    await page.getByRole('link', { name: 'Its way through the stages' }).getAttribute('href'),
    `#/requests/${record!.correlation_id}`,
  )
  await signed_in.picture('audit-log-record')
  await assertFits('audit-log-record-narrow')
  assert.deepEqual(await seriousFaults(page), [])
})

test('one request in both audit logs, each referring to the other', async () => {
  await signed_in.goTo(`audit-log/correlation/${call_id}`, 'Your audit log, acme')
  const [ours, theirs] = ['acme', 'globex'].map((tenant) =>
    page.getByRole('region', { name: `Audit log of ${tenant}` }),
  )
  const own = await ownRecords({ correlation_ids: [call_id] })
  const other = await scene.engine.records('globex', { correlation_ids: [call_id] })
  assert.equal(await ours!.getByRole('listitem').count(), own.length)
  assert.equal(await theirs!.getByRole('listitem').count(), other.length)
  assert.ok(other.length > 0)
  await theirs!
    .getByText(/and the hash matches/)
    .first()
    .waitFor()
  assert.equal(await page.getByText('broken').count(), 0)
  await signed_in.picture('audit-log-correlation')
  assert.deepEqual(await seriousFaults(page), [])
})

test('checkpoints: their signatures, and the consistency proof between two', async () => {
  await signed_in.goTo('audit-log/checkpoints', 'Consistency proof')
  const sizes = (
    await page
      .getByRole('table', { name: /^Checkpoints/ })
      .locator('tbody tr td:first-child')
      .allTextContents()
  ).map(Number)
  assert.ok(sizes.length > 1)
  await page.getByRole('link', { name: `Compare ${sizes.at(-1)} as the older` }).click()
  await page.getByRole('link', { name: `Compare ${sizes[0]} as the newer` }).click()
  await page.getByRole('button', { name: 'Prove consistency' }).click()
  await page
    .getByText(`The audit log of ${sizes[0]} records extends the audit log of ${sizes.at(-1)}`)
    .waitFor()
  await signed_in.picture('audit-log-checkpoints')
  assert.deepEqual(await seriousFaults(page), [])
})

const verifyButton = () => page.getByRole('button', { name: /^Verify the/ })
const verdict = () => page.getByRole('region', { name: 'Verdict' })

test('a valid audit log is verified, with its own keys and with trusted ones', async () => {
  await signed_in.goTo('audit-log/verify', 'Audit log')
  await page.route('**/v1/dispatch', () => {})
  await verifyButton().click()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('There is no verdict').waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await verifyButton().click()
  await verdict()
    .getByRole('heading', {
      name: /^Consistent, but signed by a key that only this log vouches for: \d+ records of acme, 1 to \d+/,
    })
    .waitFor()
  await verdict().getByText('keys in the log itself').waitFor()
  const { body } = await ask(ann, 'MAX', 'audit_query', { after_seq: 0, limit: 1, include_checkpoints: true })
  const [{ public_key }] = body.output.keys
  const fingerprint = createHash('sha256').update(Buffer.from(public_key, 'base64url')).digest('hex')
  assert.equal((await page.locator('.fingerprint').textContent())?.replaceAll(' ', ''), fingerprint)
  await page.getByLabel('Public keys you trust').fill(public_key)
  await page.getByRole('button', { name: 'Keep this checkpoint for the next verification' }).click()
  await verifyButton().click()
  await verdict()
    .getByRole('heading', { name: /^Verified against a key you trust: \d+ records of acme/ })
    .waitFor()
  await verdict().getByText('against the public keys you gave').waitFor()
  await verdict().getByText('contains the checkpoint you kept').waitFor()
  await signed_in.picture('audit-log-verified')
  await assertFits('audit-log-verified-narrow')
  assert.deepEqual(await seriousFaults(page), [])
})

let export_file: string

test('the export is the file that svc-engine verify accepts', async () => {
  await signed_in.goTo('audit-log/export', 'Audit log')
  await page.getByRole('button', { name: 'Create export' }).click()
  const link = page.getByRole('link', { name: 'Save acme-audit-log.jsonl' })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  export_file = join(folder, download.suggestedFilename())
  await download.saveAs(export_file)
  const { public_key } = JSON.parse(readFileSync(export_file, 'utf8').split('\n')[0]!).keys[0]
  const args = [join(root, 'service/main.ts'), 'verify', export_file, '--key', public_key]
  const { stdout } = await run(process.execPath, args)
  assert.match(stdout, /^Verified against pinned key [0-9a-f]{8}: \d+ records of acme/)
})

test('an altered file is detected when dropped, and the record is named', async () => {
  const lines = readFileSync(export_file, 'utf8').split('\n')
  // The first line is the export's header, so a record's line has its number.
  const at = lines.findIndex((line, index) => index > 4 && line.includes('"outcome":"success"'))
  const altered = lines.with(at, lines[at]!.replace('"outcome":"success"', '"outcome":"refused"')).join('\n')
  assert.notEqual(altered, lines.join('\n'))
  await signed_in.goTo('audit-log/verify', 'Audit log')
  const dropped = await page.evaluateHandle(`(() => {
    const given = new DataTransfer()
    given.items.add(new File([${JSON.stringify(altered)}], 'altered.jsonl'))
    return given
  })()`)
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: dropped })
  await verifyButton().click()
  await verdict()
    .getByRole('heading', { name: new RegExp(`^The audit log of acme is broken at record ${at}: its hash`) })
    .waitFor()
  await verdict().getByText('Read from the file altered.jsonl; the engine was not contacted').waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  await page.getByLabel('Export file').setInputFiles(export_file)
  await verifyButton().click()
  await verdict()
    .getByRole('heading', { name: /^Verified against a key you trust/ })
    .waitFor()
})

test('a row changed in the database is detected, and its record shows it', async () => {
  const [changed] = await ownRecords({ event_types: ['custom.counted'] })
  await writeOver(scene.engine, 'another word in the body', 'acme', changed!.seq)
  await page.getByRole('button', { name: 'Use this engine’s audit log instead' }).click()
  await verifyButton().click()
  await verdict()
    .getByRole('heading', {
      name: new RegExp(`^The audit log of acme is broken at record ${changed!.seq}: its hash`),
    })
    .waitFor()
  await signed_in.picture('audit-log-broken')
  await verdict()
    .getByRole('link', { name: `See record ${changed!.seq}` })
    .click()
  await page.getByRole('heading', { name: 'Not proved' }).waitFor()
  await page.getByText('the record does not have the hash it states').waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  assert.deepEqual(signed_in.faults, [])
})
