// svc views against an engine: saved, listed, fetched as CSV, scheduled and removed.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCli } from '../../clients/cli/run.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { clientEnv, testTerminal } from './test-terminal.ts'

let service: InProcessService
let folder: string
before(async () => {
  service = await startInProcess({ caller: { capabilities: ['svc.max.*'] } })
  folder = await mkdtemp(join(tmpdir(), 'svc-views-'))
})
after(async () => {
  await service?.stop()
  if (folder) await rm(folder, { recursive: true })
})

async function svc(...argv: string[]) {
  const terminal = testTerminal({ env: clientEnv(service), columns: 160 })
  const code = await runCli(argv, terminal)
  return { code, out: terminal.stdout, err: terminal.stderr }
}

test('a view is set, listed, fetched, scheduled and removed', async () => {
  const query = ['MAX.audit_query', '--filters', '{"event_type": ["ViewSet"]}']
  const set = await svc('views', 'set', 'sets', ...query)
  assert.equal(set.out, 'sets is set.\n', set.err)
  const shown = await svc('views', 'fetch', 'sets')
  assert.equal(shown.out.trim().split('\n').length, 2, shown.err)
  const path = join(folder, 'sets.csv')
  assert.equal((await svc('views', 'fetch', 'sets', '--file', path)).out, `Saved ${path}.\n`)
  assert.match(await readFile(path, 'utf8'), /ViewSet/)
  const daily = await svc(
    'views',
    'set',
    'all',
    ...query,
    '--shared',
    '--every',
    'daily',
    '--at',
    '07:30',
    '--zone',
    'Asia/Tokyo',
  )
  assert.match(daily.out, /^all is set; it runs next at 20.*T22:30:00\.000Z\.\n$/)
  assert.match((await svc('views', 'list')).out, /^all +organization +MAX\.audit_query +daily /m)
  assert.equal((await svc('views', 'remove', 'sets')).out, 'sets is removed.\n')
  assert.match((await svc('views', 'remove', 'all')).err, /There is no view all/)
  assert.equal((await svc('views', 'remove', 'all', '--shared')).code, 0)
})

test('wrong usage is named, with what to do instead', async () => {
  for (const [argv, message] of [
    [['set', 'x'], /needs a name and an operation/],
    [['set', 'x', 'MAX.audit_query', '--filters', '[]'], /--filters is a JSON object/],
    [['set', 'x', 'MAX.audit_query', '--mail', 'x'], /belong to a schedule; add --every/],
    [['set', 'x', 'MAX.audit_query', '--every', 'daily'], /--every needs --at/],
    [['fetch'], /needs the name of a view/],
    [['list', '--shared'], /takes no --shared/],
  ] as const) {
    const ran = await svc('views', ...argv)
    assert.equal(ran.code, 1, argv.join(' '))
    assert.match(ran.err, message)
  }
})
