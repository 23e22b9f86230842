// Saved views: read with the caller's rights, and by schedule on two engines with those of whoever set them.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { revokeKey } from '@svc/adapters/access/api-keys'
import { newIdentity } from '@svc/adapters/access/tenants'
import { createUser } from '@svc/adapters/accounts/users'
import { localAdmin } from '@svc/contract/identity/identity'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { startMailServer, type TestMailServer } from '../../neighbours/test-mail-server.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { testDatabase } from '../../rehearsal/test-database.ts'
import { until } from '../../suite/eventually.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import { callerWith, type Fields } from './webhook-scene.ts'

const day_ms = 86_400_000
const refused_view = {
  name: 'refused',
  operation: 'max.audit_query',
  filters: { outcome: 'refused', limit: 2 },
}
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
  const smtp = { ...place, from: 'svc@engine.example', domains: [] }
  const config = { db_url: database.url, master_key: randomBytes(32), smtp }
  // No capability but those of keys.
  const resolve = (did: string) => ({
    outcome: 'Resolved' as const,
    identity: { ...localAdmin(did), capabilities: [] },
  })
  const choices = { clock, config, identity: { resolve } }
  one = await startInProcess(choices)
  other = await startInProcess(choices)
})
after(async () => {
  await other?.stop()
  await one?.stop()
  await mail_server?.stop()
  await database?.close()
})

let tenants = 0
const newTenant = () => one.newCaller({ tenant_id: `views-${++tenants}`, capabilities: ['svc.max.*'] })
const max = (who: Addresses, operation: string, input: Fields) =>
  dispatch(who, { protocol: 'MAX', operation, input })
const done = async (who: Addresses, operation: string, input: Fields): Promise<Fields> =>
  assertSuccess(await max(who, operation, input)).output
const reasonOf = async (...request: Parameters<typeof max>) => (await max(...request)).body.error?.reason
const viewOf = async (who: Addresses, name: string): Promise<Fields> =>
  (await done(who, 'list_views', {})).items.find((view: Fields) => view.name === name)
async function refuseSome(who: Addresses, count: number) {
  for (let made = 0; made < count; made++)
    assert.equal((await max(who, 'remove_webhook', { name: 'none' })).body.error.reason, 'not_found')
}
const eventsOf = async (tenant_id: string, event_type: string) =>
  (await one.records(tenant_id)).filter((record) => record.event_type === event_type)

test('a view is read page by page, with the rights of whoever asks', async () => {
  const who = await newTenant()
  const { tenant_id } = who
  await refuseSome(who, 5)
  await done(who, 'set_view', { ...refused_view, shared: true, page: 'audit-log' })
  const { content, rows, truncated } = await done(who, 'view_file', { name: 'refused', shared: true })
  const lines = content.trim().split('\r\n')
  assert.deepEqual([rows, truncated, lines.length], [5, false, 6])
  assert.match(lines[0], /^id,seq,event_type,|(^|,)seq(,|$)/)
  assert.ok(lines.slice(1).every((line: string) => line.includes('remove_webhook')))
  const bounded = ['svc.max.view_file', 'svc.max.list_views'].map((name) => ({ name, caveats: [] }))
  const colleague = await callerWith(one, tenant_id, bounded)
  const denied = await max(colleague, 'view_file', { name: 'refused', shared: true })
  assert.equal(denied.body.error.code, 'capability_denied')
  const period = { from: '2026-11-14T00:00:00Z', to: '2026-11-15T00:00:00Z' }
  assert.equal((await done(who, 'view_file', { name: 'refused', shared: true, period })).rows, 0)
  await done(who, 'set_view', { ...refused_view, name: 'own' })
  const names = async (caller: Addresses) =>
    (await done(caller, 'list_views', {})).items.map(({ name }: Fields) => name)
  assert.deepEqual([await names(who), await names(colleague)], [['own', 'refused'], ['refused']])
  assert.equal(await reasonOf(colleague, 'view_file', { name: 'own' }), 'not_found')
  await done(who, 'remove_view', { name: 'own' })
  assert.equal(await reasonOf(who, 'remove_view', { name: 'own' }), 'not_found')
  assert.deepEqual(await names(await newTenant()).catch(() => 'refused'), [])
})

test('a schedule mails the file once, keeps it for whoever set it, and ends with their rights', async () => {
  const who = await newTenant()
  const { tenant_id } = who
  const login = `ann-${tenant_id}@acme.example`
  await createUser(one.service.store.engine, clock, {
    tenant_id,
    login,
    did: newIdentity(tenant_id, 'human').did,
  })
  await refuseSome(who, 3)
  const schedule = { every: 'daily', at: '07:00', time_zone: 'Europe/Berlin', mail_to: [login] }
  const { next_run_at } = await done(who, 'set_view', { ...refused_view, shared: true, schedule })
  assert.equal(next_run_at, '2026-11-16T06:00:00.000Z')
  assert.equal(
    await reasonOf(who, 'view_file', { name: 'refused', shared: true, scheduled: true }),
    'not_found',
  )
  clock.advance(Date.parse(next_run_at) - clock.now_ms())
  const mine = () => mail_server.mails.filter(({ to }) => to[0] === login)
  await until('the mail arrives', () => mine().length > 0)
  assert.match(mine()[0]!.source, /filename=refused\.csv/)
  const encoded = /filename=refused\.csv[\s\S]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(mine()[0]!.source)![1]!
  const csv = Buffer.from(encoded, 'base64').toString('utf8')
  // Three, and the question for a file that was not there yet.
  assert.equal(csv.trim().split('\r\n').length, 1 + 4)
  const { content } = await done(who, 'view_file', { name: 'refused', shared: true, scheduled: true })
  assert.equal(content, csv)
  const colleague = await one.newCaller({ tenant_id, capabilities: ['svc.max.*'] })
  assert.equal(
    await reasonOf(colleague, 'view_file', { name: 'refused', shared: true, scheduled: true }),
    'not your file',
  )
  const view = await viewOf(who, 'refused')
  assert.deepEqual([view.last_run_at, view.has_file], ['2026-11-16T06:00:00.000Z', true])
  assert.equal((await eventsOf(tenant_id, 'ViewReported')).length, 1)
  // The second run is of a day without refusals of anybody.
  clock.advance(day_ms)
  await until('it runs again', async () => (await eventsOf(tenant_id, 'ViewReported')).length === 2)
  await until('that is mailed too', () => mine().length === 2)
  assert.equal(mine().length, 2)
  await revokeKey(one.service.store.engine, tenant_id, who.key_id)
  clock.advance(day_ms)
  const [failed] = await until('it fails', async () => {
    const records = await eventsOf(tenant_id, 'ViewReportFailed')
    return records.length > 0 && records
  })
  assert.equal(failed!.meta.code, 'unauthenticated')
  const ended = await viewOf(colleague, 'refused')
  assert.deepEqual([ended.has_file, ended.next_run_at], [false, '2026-11-19T06:00:00.000Z'])
  assert.match(ended.last_failure, /revoked/)
  assert.equal(mine().length, 2)
})

test('views that cannot be read or sent are refused, each with what to do', async () => {
  const who = await newTenant()
  const schedule = { every: 'daily', at: '07:00' }
  const refused: readonly [Fields, RegExp][] = [
    [{ operation: 'MAX.audit_querry' }, /did you mean MAX\.audit_query\?/],
    [{ operation: 'MAX.set_webhook' }, /changes something/],
    [{ filters: { text: 'x'.repeat(9_000) } }, /at most 8 KiB/],
    [{ schedule: { ...schedule, time_zone: 'Mars/Base' } }, /names no time zone/],
    [{ schedule: { ...schedule, mail_to: ['nobody@acme.example'] } }, /no login of somebody/],
  ]
  for (const [input, message] of refused) {
    const { body } = await max(who, 'set_view', { ...refused_view, ...input })
    assert.equal(body.error?.code, 'invalid_payload', JSON.stringify(input))
    assert.match(body.error.message, message)
  }
  await done(who, 'set_view', { ...refused_view, name: 'wrong', filters: { outcome: 'never' } })
  assert.equal((await max(who, 'view_file', { name: 'wrong' })).body.error.code, 'invalid_payload')
})
