import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { nameOperator } from '@svc/adapters/access/operator-tenant'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { asOwner } from '@svc/audit/test-audit-log'
import { overwrite } from '@svc/audit/test-stored'
import {
  type ArchiveScene,
  full_pages,
  openArchiveScene,
  record_count,
  tenant_id,
} from '../../checks/log-archive/archive-scene.ts'
import { admin } from '../admin.ts'

let scene: ArchiveScene
before(async () => {
  scene = await openArchiveScene()
  const { engine } = scene.store
  await ensureTenant(engine, 'operator', 'The operator', 'sovereign')
  await ensureTenant(engine, tenant_id, 'An organization', 'sovereign')
  await nameOperator(engine, 'operator')
})
after(() => scene.close())

async function run(args: string[], more: Record<string, string> = {}) {
  const texts: string[] = []
  const terminal = { input: Readable.from([]), write: async (text: string) => void texts.push(text) }
  const env = { SVC_DB_URL: scene.database.url, SVC_LOG_ARCHIVE: `file:${scene.folder}`, ...more }
  const exit = await admin(['log', ...args], env, terminal)
  return { exit, text: texts.join('') }
}

async function json(args: string[]) {
  const { exit, text } = await run([...args, '--json'])
  return { exit, rows: text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : [])) }
}

async function recorded(command: string): Promise<{ tenant_id: string; meta: Record<string, unknown> }[]> {
  return await asOwner(scene.database.url, async (client) => {
    const sql = `SELECT tenant_id, entry::jsonb->'meta' AS meta FROM audit_outbox
      WHERE entry::jsonb#>>'{meta,command}' = $1 ORDER BY id`
    return (await client.query(sql, [command])).rows
  })
}

test('without a subcommand it shows where the pages are and what is late', async () => {
  const { exit, rows } = await json([])
  assert.equal(exit, 0)
  const [state] = rows
  assert.deepEqual(
    { ...state, hot_bytes: state.hot_bytes > 10_000, oldest_hot: typeof state.oldest_hot },
    {
      tenant_id,
      pages: full_pages,
      archived: 0,
      tail_records: record_count - full_pages * 256,
      hot_bytes: true,
      oldest_hot: 'string',
      lag: 0,
    },
  )
  const short = { SVC_LOG_HOT_DAYS: '0.000001' }
  const { text } = await run(['--tenant', tenant_id], short)
  assert.match(text, /TENANT ID +PAGES +ARCHIVED +TAIL RECORDS +HOT BYTES +OLDEST HOT +LAG\n/)
  assert.match(text, /archived +5 +0 +120 +\d+ +2026-11-15 10:04:15 +5\n/)
  assert.match((await run([], { SVC_LOG_ARCHIVE: '' })).text, /all pages stay in PostgreSQL/)
})

test('archive moves pages, check reads them, restore brings them back; moves are recorded', async () => {
  assert.deepEqual((await json(['archive', '--older-than', '36500'])).rows[0].archived, 0)
  const archived = await json(['archive', '--older-than', '0', '--tenant', tenant_id])
  assert.deepEqual([archived.exit, archived.rows[0].archived], [0, full_pages])
  assert.equal((await json([])).rows[0].archived, full_pages)
  assert.deepEqual((await json(['check'])).rows[0].checked, full_pages)
  const some = await json(['restore', '--from', '2026-11-15T10:05:00Z', '--to', '2026-11-15T10:06:00Z'])
  assert.deepEqual(some.rows[0].restored, 4, 'the later pages have a record that is an hour older')
  await json(['archive', '--older-than', '0'])
  const rest = await json(['restore', '--from', '2026-11-15T10:20:00Z', '--tenant', tenant_id])
  assert.deepEqual(rest.rows[0].restored, 1)
  const all = await run(['restore'])
  assert.match(all.text, /^restored +4\nbytes +\d+\nunreadable +-\n$/)
  const moves = await recorded('log archive')
  assert.deepEqual(
    moves.map(({ tenant_id, meta }) => [tenant_id, meta.older_than_days, meta.gate]),
    [
      ['operator', 36_500, 'operator'],
      [tenant_id, 0, 'operator'],
      ['operator', 0, 'operator'],
    ],
  )
  assert.equal((await recorded('log restore')).length, 3)
})

test('check names what is missing, with an exit code', async () => {
  await json(['archive', '--older-than', '0'])
  await rm(join(scene.folder, 'pages'), { recursive: true })
  const { exit, text } = await run(['check', '--tenant', tenant_id])
  assert.equal(exit, 1)
  assert.match(text, /^checked +0\n/)
  assert.match(text, /archived page 0 \([0-9a-f]{64}\), archived page 1/)
  assert.match(text, /Copy these objects back from a backup/)
  await rm(scene.folder, { recursive: true })
  const sentence = /The archive file:\S+ failed \(.* is not mounted\); nothing was lost, so put it right/
  for (const verb of ['check', 'restore'])
    await assert.rejects(run([verb]), { name: 'ConfigError', message: sentence })
})

test('merge shows what stays in the tail, and why', async () => {
  const clean = await run(['merge'])
  assert.deepEqual([clean.exit, clean.text.split('\n')[0]], [0, 'none'])
  await asOwner(scene.database.url, async (client) => {
    await overwrite(client, tenant_id, record_count - 7, ({ body }) => ({ body: `${body} ` }))
    // As if the log had gone on since then.
    await client.query('SET session_replication_role = replica')
    await client.query('UPDATE chain_heads SET seq = $2 WHERE tenant_id = $1', [tenant_id, 1_536])
  })
  const { exit, rows } = await json(['merge'])
  assert.deepEqual([exit, rows.length], [1, 1])
  const reason = `record ${record_count - 7} was changed`
  assert.deepEqual(rows[0], { tenant_id, first_seq: 1_281, last_seq: 1_536, reason })
})

test('wrong options are refused in one sentence', async () => {
  const wrong: readonly [args: string[], sentence: RegExp][] = [
    [['archive', '--older-than', 'soon'], /--older-than is soon; it must be a number of days/],
    [['restore', '--from', 'yesterday'], /--from is yesterday; it must be a time such as/],
    [['archive', '--tenant', 'nobody'], /There is no tenant nobody/],
    [['archve'], /no command log archve\. Did you mean log archive\?/],
    [['check', '--older-than', '3'], /This command has no option --older-than/],
  ]
  for (const [args, message] of wrong) await assert.rejects(run(args), { name: 'ConfigError', message })
  const none = run(['archive'], { SVC_LOG_ARCHIVE: '' })
  await assert.rejects(none, { name: 'ConfigError', message: /No archive is set; set SVC_LOG_ARCHIVE/ })
})
