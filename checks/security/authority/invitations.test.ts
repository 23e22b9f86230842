// Attacks on invitations: used twice, at once, too late, guessed, or by somebody whose inviter has left.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sweepInvitations } from '@svc/adapters/accounts/accepting'
import { addInvitation, token_bytes } from '@svc/adapters/accounts/invitations'
import { disableUser } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import { sql } from '@svc/database/sql'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { formBrowser } from '../../neighbours/form-browser.ts'
import { password } from '../../scenes/login-journey.ts'
import { bare_identities, personWith, type SignedInPerson } from '../../scenes/people-scene.ts'

let engine: InProcessService
let anna: SignedInPerson

before(async () => {
  engine = await startInProcess({ identity: bare_identities })
  anna = await personWith(engine, 'anna', ['administrator'])
})
after(() => engine.stop())

async function invited(by = anna): Promise<{ link: string; invitation_id: string }> {
  return (await by.call('MACS.invite', { name: 'Guest', roles: ['viewer'] })).body.output
}

async function statusOf(link: string): Promise<number> {
  return (await formBrowser(engine.api_url).get(link)).status
}

test('two at once get one account', async () => {
  const { link } = await invited()
  const browsers = [formBrowser(engine.api_url), formBrowser(engine.api_url)]
  const pages = await Promise.all(browsers.map((browser) => browser.get(link)))
  const answers = await Promise.all(
    browsers.map((browser, place) => browser.submit(pages[place]!, { login: `twin${place}`, password })),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401])
  const { items } = (await anna.call('MACS.people')).body.output
  assert.equal(items.filter(({ login }: { login: string }) => login.startsWith('twin')).length, 1)
})

test('an invitation that is over opens nothing, and its end is recorded once', async () => {
  const { link, invitation_id } = await invited()
  assert.equal(await statusOf(link), 200)
  const { engine: db } = engine.service.store
  await sql`UPDATE invitations SET expires_at = now() WHERE invitation_id = ${invitation_id}`.execute(db)
  assert.equal(await statusOf(link), 401)
  await Promise.all([sweepInvitations(db, system_clock), sweepInvitations(db, system_clock)])
  const ends = (await engine.records('acme')).filter(({ event_type }) => event_type === 'InvitationEnded')
  assert.deepEqual(
    ends.map(({ meta }) => [meta.invitation_id, meta.by]),
    [[invitation_id, 'expired']],
  )
})

test('an invitation ends with the account of whoever made it', async () => {
  const bert = await personWith(engine, 'bert', ['administrator'])
  const { link } = await invited(bert)
  assert.equal(await statusOf(link), 200)
  await disableUser(engine.service.store.engine, bert.user_id)
  assert.equal(await statusOf(link), 401)
})

test('only the hash of a link is stored, and neither it nor another secret opens the page', async () => {
  const { link, invitation_id } = await invited()
  const { engine: db } = engine.service.store
  const row = await sql<{ row: string; hash: string }>`
    SELECT i::text AS row, encode(token_hash, 'hex') AS hash FROM invitations i
    WHERE invitation_id = ${invitation_id}`.first(db)
  const token = new URL(link).searchParams.get('token')!
  assert.equal(Buffer.from(token, 'base64url').length, 32)
  assert.ok(!row!.row.includes(token))
  const guesses = [row!.hash, invitation_id, `${token}x`, token.slice(1), '', "' OR true --"]
  for (const guess of guesses)
    assert.equal(await statusOf(`${engine.api_url}/oauth/invitation?token=${encodeURIComponent(guess)}`), 401)
  const { records } = { records: await engine.records('acme') }
  assert.ok(!JSON.stringify(records).includes(token))
})

test('an invitation with a login makes that account, whatever the form says', async () => {
  const token = system_clock.randomBytes(token_bytes).toString('base64url')
  const at = new Date(system_clock.now_ms())
  const expires_at = new Date(at.getTime() + 3_600_000).toISOString()
  await addInvitation(
    engine.service.store.engine,
    { tenant_id: 'acme', made_by: 'operator', at },
    { name: 'Hugo', roles: [], expires_at, login: 'hugo@example.org' },
    { invitation_id: system_clock.uuid(), token },
  )
  const browser = formBrowser(engine.api_url)
  const page = await browser.get(`${engine.api_url}/oauth/invitation?token=${token}`)
  assert.match(page.text, /value="hugo@example\.org"[^>]* readonly>/)
  assert.equal((await browser.submit(page, { login: 'somebody-else', password })).status, 200)
  const { items } = (await anna.call('MACS.people')).body.output
  const logins = items.map(({ login }: { login: string }) => login)
  assert.ok(logins.includes('hugo@example.org') && !logins.includes('somebody-else'), logins.join())
})

test('a form of another site uses no invitation', async () => {
  const { link } = await invited()
  const forged = await fetch(link, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' },
    body: new URLSearchParams({ login: 'mallory', password }),
  })
  assert.equal(forged.status, 401)
  assert.equal(await statusOf(link), 200)
})

test('guessing from one address is slowed down', async () => {
  const { link } = await invited()
  let last = ''
  for (let guess = 0; guess < 60; guess++)
    last = (await formBrowser(engine.api_url).get(`${engine.api_url}/oauth/invitation?token=${guess}`)).text
  assert.match(last, /Too many invitations were opened from your address/)
  assert.equal(await statusOf(link), 401)
})
