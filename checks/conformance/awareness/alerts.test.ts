// Alerts on two engines with one database: fired once, told by mail, mailbox and log, silenced, taken on and resolved.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { newIdentity } from '@svc/adapters/access/tenants'
import { createUser, disableUser } from '@svc/adapters/accounts/users'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import type { IdentityResolver } from '@svc/engine/ports'
import { Client } from 'pg'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { startMailServer, type TestMailServer } from '../../neighbours/test-mail-server.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { testDatabase } from '../../rehearsal/test-database.ts'
import { until } from '../../suite/eventually.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import type { Fields } from './webhook-scene.ts'

const minute_ms = 60_000
const day_ms = 86_400_000
let clock: ManualClock
let database: Awaited<ReturnType<typeof testDatabase>>
let mail_server: TestMailServer
let one: InProcessService
let other: InProcessService
before(async () => {
  clock = manualClock('2026-11-15T10:00:00.000Z')
  database = await testDatabase()
  mail_server = await startMailServer({ hideSTARTTLS: true })
  const place = { host: '127.0.0.1', port: mail_server.port, is_secure: false, is_loopback: true }
  const smtp = { ...place, from: 'svc@engine.example', domains: ['acme.example'] }
  const config = { db_url: database.url, master_key: randomBytes(32), smtp }
  one = await startInProcess({ clock, config, identity })
  other = await startInProcess({ clock, config, identity })
})
after(async () => {
  await other?.stop()
  await one?.stop()
  await mail_server?.stop()
  await database?.close()
})

/** Without a document. */
const unresolved = new Set<string>()
const resolved = localAdminResolver()
const identity: IdentityResolver = {
  resolve: (did) =>
    unresolved.has(did) ? { outcome: 'Failed', reason: 'not found' } : resolved.resolve(did),
}

let tenants = 0
const newTenant = () =>
  one.newCaller({
    tenant_id: `alerts-${++tenants}`,
    capabilities: ['svc.motif.*', 'svc.mim.*', 'svc.motet.*'],
  })
const motif = (who: Addresses, operation: string, input: Fields) =>
  dispatch(who, { protocol: 'MOTIF', operation, input })
const done = async (who: Addresses, operation: string, input: Fields): Promise<Fields> =>
  assertSuccess(await motif(who, operation, input)).output
/** A new rule is read a second later, when the figures before it are complete. */
async function setRules(who: Addresses, ...rules: Fields[]) {
  for (const rule of rules) await done(who, 'set_alert_rule', rule)
  clock.advance(1_000)
}
const alertsOf = async (who: Addresses, more: Fields = {}): Promise<Fields[]> =>
  (await done(who, 'list_alerts', more)).items
const ruleOf = async (who: Addresses, name: string): Promise<Fields> =>
  (await done(who, 'list_alert_rules', {})).items.find((rule: Fields) => rule.name === name)
/** Until the rule was read at or after this moment of the manual clock. */
const readAgain = (who: Addresses, name: string) =>
  until(`${name} is read`, async () => {
    const rule = await ruleOf(who, name)
    return Date.parse(rule.last_read_at ?? 0) >= clock.now_ms() && rule
  })
/** Reads the rule minute by minute, never leaping during a reading; a query makes its engine store what it measured. */
async function fires(who: Addresses, name: string): Promise<Fields> {
  await readAgain(who, name)
  return until('it fires', async () => {
    await done(who, 'query', { metric: 'x', from: '2026-11-15T00:00:00Z', to: '2026-11-16T00:00:00Z' })
    clock.advance(minute_ms)
    await readAgain(who, name)
    return (await alertsOf(who, { rule: name }))[0]
  })
}
async function personOf(tenant_id: string, login: string) {
  const { did } = newIdentity(tenant_id, 'human')
  return createUser(one.service.store.engine, clock, { tenant_id, login, did })
}
async function refuseSome(who: Addresses, count: number) {
  for (let made = 0; made < count; made++)
    assert.equal((await motif(who, 'query', { metric: 'x' })).body.error.code, 'invalid_payload')
}
const eventsOf = async (tenant_id: string, event_type: string) =>
  (await one.records(tenant_id)).filter((record) => record.event_type === event_type)

/** Until a mail was sent once and not accepted for now. */
const tried = ({ tenant_id }: Addresses) =>
  until('a mail waits for its second attempt', async () => {
    const { rows } = await one.service.store.engine.execute<{ attempts: number }>({
      text: 'SELECT attempts FROM outgoing_mail WHERE tenant_id = $1 AND next_at IS NOT NULL',
      values: [tenant_id],
    })
    return rows[0]?.attempts === 1
  })

test('refusals above a threshold fire once, tell people and mailboxes, and resolve after a quiet time', async () => {
  const who = await newTenant()
  const { tenant_id, agent_did } = who
  await personOf(tenant_id, `ann-${tenant_id}@acme.example`)
  const rule = { name: 'refused', watches: 'refusals', above: 2, window_minutes: 15, severity: 'critical' }
  const tell = { mail_to: [`ann-${tenant_id}@acme.example`], mailboxes: [agent_did] }
  await setRules(who, { ...rule, protocol: 'motif', code: 'invalid_payload', ...tell })
  assert.equal((await ruleOf(who, 'refused')).protocol, 'MOTIF')
  await readAgain(who, 'refused')
  await refuseSome(who, 3)
  const alert = await fires(who, 'refused')
  assert.deepEqual(
    [alert.state, alert.value, alert.severity, alert.rule],
    ['FIRING', 3, 'critical', 'refused'],
  )
  const mine = () => mail_server.mails.filter(({ to }) => to[0]!.includes(tenant_id))
  await until('the mail arrives', () => mine().length > 0)
  assert.match(
    mine()[0]!.source,
    new RegExp(`^Subject: \\[critical\\] refused is firing in ${tenant_id}\\r$`, 'm'),
  )
  assert.match(mine()[0]!.source, /Now: 3 calls/)
  const text = mine()[0]!.source.replaceAll('=\r\n', '')
  assert.match(text, new RegExp(`svc alerts acknowledge ${alert.alert_id}`))
  const received = assertSuccess(
    await dispatch(who, { protocol: 'MIM', operation: 'message_receive', input: { max: 10 } }),
  ).output
  const bodies = (received.messages as Fields[]).map(({ body }: Fields) => body)
  assert.deepEqual(
    bodies.map(({ rule: name, state, value }: Fields) => [name, state, value]),
    [['refused', 'FIRING', 3]],
  )
  // Read again and again, by two engines, it stays one alert.
  for (let read = 0; read < 2; read++) {
    clock.advance(minute_ms)
    await readAgain(who, 'refused')
  }
  assert.equal((await alertsOf(who)).length, 1)
  clock.advance(16 * minute_ms)
  await readAgain(who, 'refused')
  assert.equal((await alertsOf(who))[0]!.state, 'FIRING')
  clock.advance(5 * minute_ms)
  await until('it resolves', async () => (await alertsOf(who, { state: 'RESOLVED' })).length === 1)
  await until('that is mailed too', () => mine().length === 2)
  assert.match(mine()[1]!.source, /Subject: \[critical\] refused is resolved/)
  const [fired] = await eventsOf(tenant_id, 'AlertFired')
  assert.deepEqual([fired!.meta.rule, fired!.meta.value, fired!.meta.above], ['refused', 3, 2])
  assert.equal((await eventsOf(tenant_id, 'AlertFired')).length, 1)
  assert.equal((await eventsOf(tenant_id, 'AlertResolved')).length, 1)
})

test('a silence keeps people from being told, and whoever acknowledges is named', async () => {
  const who = await newTenant()
  const { tenant_id } = who
  const login = `bob-${tenant_id}@acme.example`
  const { user_id } = await personOf(tenant_id, login)
  const rule = { name: 'slow', watches: 'latency', above: 0, percentile: 'p50', mail_to: [login] }
  await setRules(who, { ...rule, name: 'other', above: 1e9 })
  await done(who, 'silence_alert_rule', {
    name: 'other',
    until: new Date(clock.now_ms() + 10 * minute_ms).toISOString(),
    reason: 'load test',
  })
  await setRules(who, { ...rule, name: 'other' })
  const alert = await fires(who, 'other')
  assert.equal(alert.told_at, undefined)
  const { alert_id } = alert
  const taken_on = await done(who, 'acknowledge_alert', { alert_id, note: 'on it' })
  assert.deepEqual([taken_on.acknowledged_by, taken_on.note], [who.agent_did, 'on it'])
  const again = await done(who, 'acknowledge_alert', { alert_id, note: 'me too' })
  assert.equal(again.note, 'on it')
  clock.advance(11 * minute_ms)
  await readAgain(who, 'other')
  // It was acknowledged meanwhile, so nobody is told at the end of the silence.
  assert.equal((await alertsOf(who))[0]!.told_at, undefined)
  assert.equal(mail_server.mails.filter(({ to }) => to[0] === login).length, 0)
  // Whoever has left is told nothing, and the log says so.
  await disableUser(one.service.store.engine, user_id)
  assert.equal((await motif(who, 'set_alert_rule', { ...rule })).body.error.reason, 'invalid alert rule')
  await done(who, 'remove_alert_rule', { name: 'other' })
  assert.equal((await alertsOf(who))[0]!.state, 'RESOLVED')
  assert.equal((await eventsOf(tenant_id, 'AlertAcknowledged')).length, 1)
  assert.equal((await eventsOf(tenant_id, 'AlertSilenced')).length, 1)
})

test('mail that the server refuses for good, or whose reader has left, is given up and recorded', async () => {
  const who = await newTenant()
  const { tenant_id } = who
  const login = `eve-${tenant_id}@acme.example`
  const { user_id } = await personOf(tenant_id, login)
  mail_server.refusal = 550
  const rule = { name: 'slow', watches: 'latency', above: 0, resolve_after_minutes: 0, mail_to: [login] }
  await setRules(who, rule)
  await fires(who, 'slow')
  const failed = (count: number) =>
    until(`${count} failed`, async () => {
      const records = await eventsOf(tenant_id, 'MailFailed')
      return records.length === count && records
    })
  assert.equal((await failed(1))[0]!.meta.reason, 'The mail server answered 550.')
  mail_server.refusal = 451
  await setRules(who, { ...rule, name: 'again' })
  await fires(who, 'again')
  await tried(who)
  await disableUser(one.service.store.engine, user_id)
  mail_server.refusal = undefined
  clock.advance(31_000)
  assert.match(String((await failed(2))[1]!.meta.reason), /^The recipient is no login of somebody/)
  assert.equal(mail_server.mails.filter(({ to }) => to[0] === login).length, 0)
})

test('mail that the server refuses for now is sent again after a pause', async () => {
  const who = await newTenant()
  const login = `joe-${who.tenant_id}@acme.example`
  await personOf(who.tenant_id, login)
  mail_server.refusal = 451
  await setRules(who, { name: 'slow', watches: 'latency', above: 0, mail_to: [login] })
  await fires(who, 'slow')
  await tried(who)
  mail_server.refusal = undefined
  clock.advance(31_000)
  await until('it arrives', () => mail_server.mails.some(({ to }) => to[0] === login))
})

test('keys that expire fire, and treaties, breakers, the log and spend are read', async () => {
  const who = await newTenant()
  const { tenant_id, agent_did: did } = who
  const expires_at = new Date(clock.now_ms() + 3 * day_ms).toISOString()
  const key = { tenant_id, did, mode: 'test', capabilities: [], expires_at } as const
  await issueKey(one.service.store.engine, key)
  const named = ['keys', 'treaties', 'breakers', 'log'].map((watches) => ({ name: watches, watches }))
  await setRules(who, ...named, { name: 'spend', watches: 'spend', above: 1000 })
  const values: Fields = {}
  for (const name of ['keys', 'treaties', 'breakers', 'log', 'spend'])
    values[name] = (await readAgain(who, name)).last_value
  assert.ok(values.spend >= 0 && values.spend < 1)
  assert.deepEqual({ ...values, spend: 0 }, { keys: 1, treaties: 0, breakers: 0, log: 0, spend: 0 })
  assert.deepEqual(
    (await alertsOf(who)).map(({ rule, state }) => [rule, state]),
    [['keys', 'FIRING']],
  )
})

test('a stored objective is watched by the service: its burn rate fires, tells a mailbox and the log, and resolves', async () => {
  const who = await newTenant()
  const { tenant_id, agent_did } = who
  const slo = { watches: 'slo', target: 0.99, protocol: 'motif', severity: 'critical' }
  await setRules(who, { ...slo, name: 'answered' })
  // Whatever is answered is late, so each call burns the budget a hundred times too fast.
  await setRules(who, { ...slo, name: 'soon', threshold_ms: 0.0001, mailboxes: [agent_did] })
  const { watches, above, window_minutes, target, protocol } = await ruleOf(who, 'soon')
  assert.deepEqual([watches, above, window_minutes, target, protocol], ['slo', 14.4, 60, 0.99, 'MOTIF'])
  const alert = await fires(who, 'soon')
  assert.ok(Math.abs(alert.value - 100) < 0.1, String(alert.value))
  assert.equal((await ruleOf(who, 'answered')).last_value, 0)
  assert.deepEqual((await alertsOf(who)).map(({ rule }) => rule), ['soon']) // biome-ignore format: one thought
  const [fired] = await eventsOf(tenant_id, 'AlertFired')
  assert.deepEqual([fired!.meta.rule, fired!.meta.target, fired!.meta.threshold_ms], ['soon', 0.99, 0.0001])
  const received = assertSuccess(
    await dispatch(who, { protocol: 'MIM', operation: 'message_receive', input: { max: 10 } }),
  ).output
  assert.deepEqual(
    (received.messages as Fields[]).map(({ body }: Fields) => [body.rule, body.state, body.target]),
    [['soon', 'FIRING', 0.99]],
  )
  // It asks for what burns now: of a window that was bad only at its beginning nobody is told.
  await done(who, 'remove_alert_rule', { name: 'soon' })
  await setRules(who, { ...slo, name: 'day', protocol: 'mim', threshold_ms: 0.0001, window_minutes: 1_440 }) // biome-ignore format: one thought
  // This engine stores what it measured, whichever of the two reads the rule.
  clock.advance(minute_ms)
  await done(who, 'query', { metric: 'x', from: '2026-11-15T00:00:00Z', to: '2026-11-16T00:00:00Z' })
  clock.advance(minute_ms)
  assert.ok((await readAgain(who, 'day')).last_value > 90)
  clock.advance(3 * 60 * minute_ms)
  assert.equal((await readAgain(who, 'day')).last_value, 0)
})

test('rules that could never fire or tell are refused, each with what to do', async () => {
  const who = await newTenant()
  await personOf(who.tenant_id, `plain-${who.tenant_id}`)
  await personOf(who.tenant_id, `kim-${who.tenant_id}@elsewhere.example`)
  const refused: readonly [Fields, RegExp][] = [
    [{ watches: 'refusals' }, /above is needed/],
    [{ watches: 'refusals', above: 1, protocol: 'MOTIFF' }, /names no protocol.*did you mean MOTIF\?/],
    [{ watches: 'refusals', above: 1, protocol: 'MOTIF', operation: 'querry' }, /did you mean query\?/],
    [{ watches: 'refusals', above: 1, operation: 'query' }, /needs protocol/],
    [{ watches: 'keys', code: 'internal' }, /does not fit a rule on keys/],
    [{ watches: 'slo' }, /target is needed: which share of calls must be good\?/],
    [{ watches: 'slo', target: 0.9, protocol: 'MOTIFF' }, /did you mean MOTIF\?/],
    [{ watches: 'slo', target: 0.9, percentile: 'p95' }, /percentile does not fit a rule on slo/],
    [{ watches: 'latency', above: 1, threshold_ms: 5 }, /threshold_ms does not fit a rule on latency/],
    [{ watches: 'spend', above: 1, window_minutes: 90 }, /must be whole hours/],
    [{ watches: 'log', window_minutes: 1441 }, /must be at most 1440/],
    [{ watches: 'keys', mail_to: [`plain-${who.tenant_id}`] }, /no login that is an e-mail address/],
    [{ watches: 'keys', mail_to: [`kim-${who.tenant_id}@elsewhere.example`] }, /lets no mail be sent/],
    [{ watches: 'keys', mail_to: ['nobody@acme.example'] }, /no login of somebody/],
    [{ watches: 'keys', mailboxes: [`did:oas:rival:agent:${'a'.repeat(64)}`] }, /no identity of your/],
  ]
  for (const [input, message] of refused) {
    const { body } = await motif(who, 'set_alert_rule', { name: 'x', ...input })
    assert.equal(body.error.code, 'invalid_payload', JSON.stringify(input))
    assert.match(body.error.message, message)
  }
})

test('a rule tells no mailbox of an identity that does not exist', async () => {
  const who = await newTenant()
  const nobody = `did:oas:${who.tenant_id}:agent:${'b'.repeat(64)}`
  const { agent_did: with_key } = await one.newCaller({ tenant_id: who.tenant_id })
  for (const did of [nobody, with_key]) unresolved.add(did)
  const rule = { name: 'keys', watches: 'keys' }
  const { body } = await motif(who, 'set_alert_rule', { ...rule, mailboxes: [with_key, nobody] })
  assert.match(body.error.message, /mailboxes\/1 names no identity of your organization/)
  await done(who, 'set_alert_rule', { ...rule, mailboxes: [with_key] })
})

test('an organization has 50 rules, sees only its own, and is offered those it has not set', async () => {
  const [who, rival] = [await newTenant(), await newTenant()]
  const { suggestions } = await done(who, 'list_alert_rules', {})
  assert.equal(suggestions.length, 7)
  for (const suggestion of suggestions) await done(who, 'set_alert_rule', suggestion)
  const listed = await done(who, 'list_alert_rules', {})
  assert.deepEqual([listed.items.length, listed.suggestions.length], [7, 0])
  const insert = `INSERT INTO alert_rules (tenant_id, name, condition, severity, resolve_after_minutes, mail_to, mailboxes,
    set_by, set_at, next_at) SELECT $1, 'r' || n, '{"watches":"keys","above":0,"window_minutes":1}', 'info', 5, '{}', '{}', 'x',
    now(), 'infinity' FROM generate_series(1, 43) n`
  const owner = new Client({ connectionString: database.url })
  await owner.connect()
  await owner.query(insert, [who.tenant_id])
  await owner.end()
  const more = await motif(who, 'set_alert_rule', { name: 'one-more', watches: 'keys' })
  assert.equal(more.body.error.reason, 'too many alert rules')
  assert.deepEqual((await done(rival, 'list_alert_rules', {})).items, [])
  const missing = await motif(rival, 'remove_alert_rule', { name: 'log-unverifiable' })
  assert.equal(missing.body.error.reason, 'not_found')
})
