// Organizations in a real browser: treaties drafted, signed, amended and ended; a council with dissent; a
// case; policies; a dissolution.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { signText } from '@svc/contract/signing/signature'
import { sweepDissolutions } from '@svc/protocols/governance/mausoleum/dissolution-sweep'
import type { Page } from 'playwright-core'
import { type Fields, listed, whole } from '../conformance/awareness/list-scene.ts'
import { assertSuccess } from '../conformance/dispatch/expectations.ts'
import { newArbiter } from '../conformance/governance/moat-others.ts'
import {
  cross,
  day_ms,
  echo,
  heard,
  type MoatScene,
  openMoatScene,
} from '../conformance/governance/moat-scene.ts'
import { drawnPanel } from '../conformance/governance/moot-scene.ts'
import type { Party } from '../conformance/identity/made-scene.ts'
import { dispatch } from '../engines/running-engine.ts'
import { testTick } from '../rehearsal/test-context.ts'
import { type ConsoleScene, openConsoleOver, type SignedIn, seriousFaults } from './console-scene.ts'

let moat: MoatScene
let scene: ConsoleScene
let ann: SignedIn
let bob: SignedIn

before(async () => {
  moat = await openMoatScene()
  scene = await openConsoleOver(moat.service)
  ann = await enter(moat.ann)
  bob = await enter(moat.bob)
})
after(() => scene?.close())

const enter = (caller: Party, dark = false) =>
  scene.signIn({ caller, dark, login: `${caller.agent_did.slice(-8)}@example.org` })
const done = async (who: Party, protocol: string, operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await dispatch(who, { protocol, operation, input })).output
const heading = (page: Page, name: RegExp) => page.getByRole('heading', { level: 2, name })
const confirm = async (page: Page, label: string, pattern: RegExp) => {
  await page.getByRole('button', { name: label, exact: true }).click()
  const dialog = page.getByRole('dialog')
  assert.match((await dialog.textContent()) ?? '', pattern)
  await dialog.getByRole('button', { name: label, exact: true }).click()
}
/** The browser logs every refusal as a failed load; those are expected. */
const realFaults = ({ faults }: SignedIn) => faults.filter((fault) => !/status of (4|5)\d\d/.test(fault))
const treatyOf = (page: Page) => decodeURIComponent(/treaties\/([^/?]+)/.exec(page.url())![1]!)

async function draftTreaty({ page, goTo }: SignedIn, counterparty_did: string): Promise<string> {
  await goTo('organizations/treaties/new', 'A new treaty')
  await page.getByRole('combobox', { name: 'With whom' }).fill(counterparty_did)
  const grant = page.getByRole('group', { name: 'Grant 1' })
  await grant.getByLabel('Capability').fill(echo)
  await grant.getByLabel('Direction').selectOption('both')
  await grant.getByLabel('Calls per hour').fill('50')
  await page.getByLabel('Total calls per hour').fill('100')
  await page.getByLabel('Until (UTC)').fill('2027-11-15T00:00:00')
  await page.getByRole('button', { name: 'Propose it' }).click()
  await heading(page, /PROPOSED$/).waitFor()
  return treatyOf(page)
}

test('a treaty is drafted in one organization, signed in both, and in force', async () => {
  const treaty_id = await draftTreaty(ann, moat.bob.agent_did)
  await confirm(ann.page, 'Sign for acme', /cannot be undone/)
  await heading(ann.page, /PARTIALLY SIGNED$/).waitFor()
  const { page, goTo, picture } = bob
  await goTo('organizations/treaties?state=PARTIALLY_SIGNED', 'Organizations')
  await page.getByRole('link', { name: /The treaty with acme/ }).click()
  await confirm(page, 'Sign for globex', /Then both sides have signed/)
  await heading(page, /^Treaty with acme ACTIVE$/).waitFor()
  const { detail } = await whole(moat.bob, 'MOAT', { treaty_id })
  const terms = page.getByRole('region', { name: 'Who may do what' })
  for (const { to, capability, limits } of detail.body.grants)
    await terms.getByRole('row', { name: `${to} ${capability} always ${limits.max_per_hour} ` }).waitFor()
  await page.getByText(`${detail.body.rate_limits.per_hour} per hour`).waitFor()
  await page
    .getByRole('region', { name: 'Signatures' })
    .getByRole('row', { name: /^acme .* a key held by the engine/ })
    .waitFor()
  await picture('institutions-treaty')
  await goTo('organizations/treaties', 'Organizations')
  await page.getByRole('row', { name: /acme.* Treaty ACTIVE – 1 1/ }).waitFor()
})

test('the other side of a treaty and a successor are chosen by name', async () => {
  const { page, goTo } = ann
  const name = `globex · agent ${moat.bob.agent_did.split(':').at(-1)!.slice(0, 8)}`
  for (const [place, title, field] of [
    ['organizations/treaties/new', 'A new treaty', 'With whom'],
    ['organizations/dissolution/new', 'Dissolve acme', 'Successor'],
  ] as const) {
    await goTo(place, title)
    const chooser = page.getByRole('combobox', { name: field })
    await chooser.fill('globex')
    await page.getByRole('option', { name }).click()
    assert.equal(await chooser.inputValue(), name, field)
  }
})

test('a caller with its own key is shown the text to sign, and pastes the signature', async () => {
  const cid = await moat.seat('initech', false)
  await draftTreaty(ann, cid.agent_did)
  const there = await enter(cid)
  await there.goTo('organizations/treaties', 'Organizations')
  await there.page.getByRole('link', { name: /The treaty with acme/ }).click()
  await confirm(there.page, 'Sign for initech', /bind initech/)
  const own = there.page.getByRole('region', { name: 'Your own signature' })
  const text = (await own.locator('pre').textContent())!
  await own.getByLabel('Signature').fill(signText(cid.key.private_key, text))
  await own.getByLabel('Public key').fill(cid.key.public_key)
  await there.picture('institutions-own-signature')
  await own.getByRole('button', { name: 'Send the signature' }).click()
  await heading(there.page, /PARTIALLY SIGNED$/).waitFor()
  await there.page.getByRole('row', { name: /^initech .* its own key/ }).waitFor()
  assert.deepEqual(realFaults(there), [])
  await there.context.close()
})

test('an amendment shows a line diff, and the termination says what is lost', async () => {
  const { page, goTo, picture } = ann
  await goTo('organizations/treaties?state=ACTIVE', 'Organizations')
  await page.getByRole('link', { name: /The treaty with globex/ }).click()
  await page.getByRole('link', { name: 'Propose new terms' }).click()
  await page.getByLabel('Total calls per hour').fill('7')
  await page.getByLabel('Reason').fill('Not so often.')
  await page.getByRole('button', { name: 'Propose the amendment' }).click()
  await heading(page, /^Amendment of the treaty with globex PROPOSED$/).waitFor()
  const lines = page.getByRole('region', { name: 'What it changes' })
  assert.deepEqual(await lines.locator('.before, .after').allTextContents(), [
    '− wasall calls of one party: at most 100 an hour',
    '+ newall calls of one party: at most 7 an hour',
  ])
  await picture('institutions-amendment')
  const amendment_id = treatyOf(page)
  await done(moat.bob, 'MOAT', 'sign_amendment', { amendment_id })
  await page.reload()
  await confirm(page, 'Sign for acme', /Then both sides have signed/)
  await heading(page, /ACTIVE$/).waitFor()
  const line = page.getByRole('region', { name: 'All versions, newest first' })
  await line.getByText('SUPERSEDED').waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  await page.getByRole('region', { name: 'End the treaty' }).getByLabel('Reason').fill('No more use for it.')
  await confirm(page, 'Terminate', /globex loses: svc\.trial\.echo.*cannot be undone/)
  await heading(page, /TERMINATED$/).waitFor()
  assert.equal((await whole(moat.ann, 'MOAT', { treaty_id: amendment_id })).state, 'TERMINATED')
})

test('a council: the last vote is cast and tallied here, and the dissent is as large as the verdict', async () => {
  const [first, second, third] = [
    await moat.seat('council'),
    await moat.seat('council'),
    await moat.seat('council'),
  ]
  const person = await enter(first, true)
  const { page, goTo, picture } = person
  await goTo('organizations/councils/new?operation=MANA.allocate&subject=archive', 'Convene a council')
  await page.getByLabel('Title').fill('Open the archive')
  await page.getByLabel('Motion', { exact: true }).fill('The archive is opened.')
  await page.getByRole('button', { name: 'Convene', exact: true }).click()
  await heading(page, /^Open the archive CONVENED$/).waitFor()
  const motion_id = page.url().split('/').at(-1)
  for (const who of [second, third])
    await done(who, 'MACE', 'deliberate', { motion_id, position: 'for', reasoning: 'It is ours to give.' })
  await page.getByLabel('Position', { exact: true }).selectOption('against')
  await page.getByLabel('Reasoning').fill('It costs more\nthan it brings.')
  await page.getByRole('button', { name: 'Take this position' }).click()
  await page.getByText('Recorded: against (revision 1).').waitFor()
  await confirm(page, 'Tally', /its verdict declared, with the dissent\. No further votes are possible/)
  const dissent = page.getByRole('region', { name: 'Dissent', exact: true })
  await dissent.getByText('It costs more').waitFor()
  const verdict = page.getByRole('region', { name: 'Verdict', exact: true })
  await verdict.getByText('2 for, 1 against, 0 abstained, 0 recused, 0 absent').waitFor()
  const [one, other] = [await verdict.boundingBox(), await dissent.boundingBox()]
  assert.deepEqual([one!.width, one!.height], [other!.width, other!.height])
  await picture('institutions-motion-dark')
  assert.deepEqual(await seriousFaults(page), [])
  await goTo('organizations/councils?state=TALLIED', 'Organizations')
  await page
    .getByRole('row', {
      name: /Open the archive TALLIED Charter 3 of 3, 2 needed .* PASSED 2 for, 1 against, 1 dissent/,
    })
    .waitFor()
  await assertCouncilNeeded(person, first)
  assert.deepEqual(realFaults(person), [])
  await person.context.close()
})

/** A refusal that only a council can lift links to a new motion with its subject. */
async function assertCouncilNeeded({ page, goTo }: SignedIn, { agent_did, tenant_id }: Party) {
  const { treaty_id } = await done(moat.bob, 'MOAT', 'propose', {
    counterparty_did: agent_did,
    capability_schedule: [{ capability: echo, granted_to: 'both' }],
    expires_at: moat.later(100 * day_ms),
  })
  await goTo(`organizations/treaties/${treaty_id}`, 'Organizations')
  await confirm(page, `Sign for ${tenant_id}`, /A signature cannot be undone/)
  const link = page.getByRole('link', { name: 'Convene a council' })
  const query = new URLSearchParams((await link.getAttribute('href'))!.split('?')[1])
  assert.deepEqual(Object.fromEntries(query), { operation: 'MOAT.sign', subject: treaty_id })
}

test('a case is answered here, and its ruling is shown with dissent and docket', async () => {
  await moat.agree()
  const arbiter = await newArbiter(moat)
  await heard(async () => (await cross(moat.ann, moat.bob)).status === 200)
  const { correlation_id } = assertSuccess(await cross(moat.ann, moat.bob)).metadata
  const { case_id } = await done(moat.ann, 'MOOT', 'file', {
    respondent_did: moat.bob.agent_did,
    claim: 'It was never done.',
    evidence: [`max://acme/correlation/${correlation_id}`],
    requested_remedy: { kind: 'pay', amount_usd: '12.5' },
  })
  const { page, goTo, picture } = bob
  await goTo('organizations/cases', 'Organizations')
  await page.getByRole('row', { name: /FILED acme globex respondent pay, 12\.500000 USD/ }).waitFor()
  await page.getByRole('link', { name: `Case ${case_id}` }).click()
  await page.getByText('It was never done.').waitFor()
  await page.getByLabel('Argument').fill('It was done, and our audit log has it.')
  await page.getByRole('button', { name: 'Plead this' }).click()
  await heading(page, /PLEADED$/).waitFor()
  await page.getByText('1. respondent: deny').waitFor()
  await drawnPanel(moat.ann, case_id)
  await done(arbiter, 'MOOT', 'hear', { case_id })
  const vote = { case_id, finding: 'for_respondent', reasoning: 'Both chains hold it.' }
  await done(arbiter, 'MOOT', 'rule', vote)
  await page.reload()
  await page.getByRole('region', { name: 'Ruling', exact: true }).getByText('Both chains hold it.').waitFor()
  await page
    .getByRole('region', { name: 'Dissent', exact: true })
    .getByText('No arbiter was outvoted.')
    .waitFor()
  await page.getByRole('row', { name: /acme verified, globex verified/ }).waitFor()
  await picture('institutions-case')
  assert.deepEqual(await seriousFaults(page), [])
})

const no_treaties =
  '@reason("we bind ourselves to nobody")\nforbid(principal, action, resource)\nwhen { resource.protocol == "MOAT" };'

test('an invalid policy is refused with its position; a valid one is back-tested, then enacted', async () => {
  const { page, goTo, picture } = ann
  await goTo('organizations/policies?write=new', 'A new policy')
  await page.getByLabel('Name').fill('no-treaties')
  const cedar = page.getByRole('textbox', { name: 'Cedar' })
  await cedar.fill(no_treaties.replace('==', '=='.slice(1)))
  await page.getByRole('button', { name: 'Validate and back-test' }).click()
  const faults = page.getByRole('region', { name: 'Faults in the text' })
  await faults.getByText(/^Line 3, column \d+:/).waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  await cedar.fill(no_treaties)
  await page.getByRole('button', { name: 'Validate and back-test' }).click()
  const tested = page.getByRole('region', { name: 'Back-test' })
  const flips = tested.getByRole('region', { name: /^Decisions that would change/ })
  await flips
    .getByRole('row', { name: /MOAT propose .* success deny maxim:\/\/no-treaties@/ })
    .first()
    .waitFor()
  const input = { policy_id: 'no-treaties', policy_body: no_treaties }
  const answer = await done(moat.ann, 'MAXIM', 'backtest', input)
  await tested
    .getByText(`${answer.would_flip_allow_to_deny} calls that went through would be refused`)
    .waitFor()
  assert.equal(await flips.getByRole('row').count(), answer.flips.length + 1)
  await picture('institutions-policy-tested')
  await cedar.fill('')
  assert.equal(await page.getByRole('button', { name: 'Enact it' }).isDisabled(), true, 'it was not tried so')
  await flips.getByRole('button', { name: 'journey' }).first().click()
  await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor()
  await page.getByText(/MOAT/).first().waitFor()
  await goTo('organizations/policies?write=new', 'A new policy')
  await page.getByLabel('Name').fill('no-treaties')
  await cedar.fill(no_treaties.replace('MOAT', 'MARKET'))
  await page.getByRole('button', { name: 'Validate and back-test' }).click()
  await flips.getByText('Not one of them would change.').waitFor()
  await confirm(page, 'Enact it', /applies to every call of acme/)
  await heading(page, /^no-treaties 1\.0\.0 ACTIVE$/).waitFor()
  await page.getByText('1 rule, 0 faults, 0 warnings').waitFor()
  const covers = page.getByRole('region', { name: 'What it covers' })
  await covers.getByText(/^Forbids calls of MARKET/).waitFor()
  const [policy] = (await listed(moat.ann, 'MAXIM', { policy_id: 'no-treaties' })).items
  assert.deepEqual([policy!.state, policy!.version], ['ACTIVE', '1.0.0'])
  await page.getByRole('link', { name: 'Retire it' }).click()
  await page.getByRole('button', { name: 'Validate and back-test' }).click()
  await confirm(page, 'Retire it', /no longer applies in acme/)
  await heading(page, /^no-treaties 1\.1\.0 RETIRED$/).waitFor()
  assert.deepEqual(realFaults(ann), [])
})

test('an organization is dissolved only after typing its name, and is sealed by its successor', async () => {
  const only = await moat.seat('ending')
  const person = await enter(only)
  const { page } = person
  await person.goTo('organizations/dissolution/new', 'Dissolve ending')
  await page.getByLabel('Reason').fill('Its purpose is fulfilled.')
  await page.getByRole('combobox', { name: 'Successor' }).fill(moat.bob.agent_did)
  await page.getByRole('button', { name: 'Dissolve ending' }).click()
  const dialog = page.getByRole('dialog')
  const sure = dialog.getByRole('button', { name: 'Dissolve ending' })
  await dialog.getByLabel('Type ending to continue').fill('endin')
  assert.equal(await sure.isDisabled(), true)
  await dialog.getByLabel('Type ending to continue').fill('ending')
  await person.picture('institutions-typed')
  await sure.click()
  await heading(page, /^Dissolution of ending INITIATED$/).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Seal ending permanently' }).isDisabled(), true)
  await page.setViewportSize({ width: 390, height: 844 })
  await person.picture('institutions-dissolution-narrow')
  assert.deepEqual(await seriousFaults(page), [])
  const [{ dissolution_id, notice_until }] = (await listed(only, 'MAUSOLEUM')).items as [Fields]
  moat.clock.advance(Date.parse(notice_until) - moat.clock.now_ms() + 1)
  await windUp(dissolution_id)
  const heir = await enter(moat.bob)
  await heir.goTo(`organizations/dissolution/${dissolution_id}`, 'Organizations')
  await heir.page.getByRole('button', { name: 'Seal ending permanently' }).click()
  await heir.page.getByLabel('Type ending to continue').fill('ending')
  await heir.page.getByRole('dialog').getByRole('button', { name: 'Seal ending permanently' }).click()
  await heir.page.getByRole('region', { name: 'Seal', exact: true }).waitFor()
  const { detail } = await whole(moat.bob, 'MAUSOLEUM', { dissolution_id })
  await heir.page.getByTitle(detail.seal.final_hash).waitFor()
  for (const each of [person, heir, bob]) assert.deepEqual(realFaults(each), [])
})

/** The service sweeps as well, and the second sweep does nothing. */
async function windUp(dissolution_id: string): Promise<void> {
  const { sign } = moat.service.service.audit_log.forTenant('operator')
  await heard(async () => {
    const { engine } = moat.service.service.store
    await sweepDissolutions(engine, testTick(moat.clock.now_ms()), { operator_tenant_id: 'operator', sign })
    const [item] = (await listed(moat.bob, 'MAUSOLEUM', { dissolution_id })).items
    return item?.state === 'READY_TO_SEAL'
  })
}
