// svc report against an engine: issued, saved as PDF and CSV, and verified offline.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { publicKeys } from '@svc/audit/query/records'
import { runCli } from '../../clients/cli/run.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { clientEnv, testTerminal } from './test-terminal.ts'

let service: InProcessService
let folder: string
before(async () => {
  service = await startInProcess({ caller: { capabilities: ['svc.max.*'] } })
  folder = await mkdtemp(join(tmpdir(), 'svc-report-'))
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

test('a report is issued, saved in both forms, and verified with the key of the log', async () => {
  const [pdf, csv] = [join(folder, 'all.pdf'), join(folder, 'all.csv')]
  const period = ['--from', '2026-01-01', '--to', '2036-01-01']
  assert.equal(
    (await svc('invoke', 'MAX', 'audit_log_entry', '--input', '{"event_type":"custom.x","meta":{}}')).code,
    0,
  )
  const issued = await svc('report', 'issue', ...period, '--framework', 'soc2', '--file', pdf, '--file', csv)
  assert.equal(issued.code, 0, issued.err)
  assert.match(issued.out, /^sha256:[0-9a-f]{64}: \d+ records, all verified\.\n/)
  assert.match(
    issued.out,
    /Controls: \d+ with evidence, \d+ without evidence in this period, 10 not shown by this log; exceptions: /,
  )
  const [, report_id] = /^(sha256:[0-9a-f]{64})/.exec(issued.out)!
  const again = join(folder, 'again.pdf')
  assert.equal((await svc('report', 'fetch', report_id!, '--file', again)).out, `Saved ${again}.\n`)
  assert.deepEqual(await readFile(again), await readFile(pdf))
  const [key] = await publicKeys(service.service.store.engine, service.tenant_id)
  for (const path of [pdf, csv]) {
    const verified = await svc('report', 'verify', path, '--key', key!.public_key)
    assert.match(
      verified.out,
      new RegExp(`^Verified: report ${report_id} of ${service.tenant_id}, \\d+ records`),
    )
    assert.equal(verified.code, 0)
  }
  const stranger = await svc('report', 'verify', pdf, '--key', 'A'.repeat(43))
  assert.deepEqual(
    [stranger.code, stranger.err],
    [1, 'Not verified: it is not signed with a key you trust.\n'],
  )
  const text = await readFile(csv, 'utf8')
  const [jws] = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{86}/.exec(text)!
  const [head, payload, signature] = jws.split('.')
  const forged = Buffer.from(payload!, 'base64url').toString().replace('"refused":', '"refused":1')
  const changed = join(folder, 'changed.csv')
  await writeFile(
    changed,
    text.replace(jws, [head, Buffer.from(forged).toString('base64url'), signature].join('.')),
  )
  assert.equal((await svc('report', 'verify', changed, '--key', key!.public_key)).code, 1)
  await writeFile(changed, 'nothing')
  assert.match((await svc('report', 'verify', changed, '--key', key!.public_key)).err, /has no attestation/)
})

test('wrong usage is named, with what to do instead', async () => {
  for (const [argv, message] of [
    [['issue'], /needs --from and --to/],
    [['issue', '--file', 'x.doc'], /ends in \.pdf or \.csv/],
    [['fetch', 'x'], /needs the id of a report and --file/],
    [['verify', 'x.pdf'], /needs a file and --key/],
    [['verify', join(tmpdir(), 'none.pdf'), '--key', 'A'.repeat(43)], /cannot be read \(ENOENT\)/],
  ] as const) {
    const ran = await svc('report', ...argv)
    assert.equal(ran.code, 1, argv.join(' '))
    assert.match(ran.err, message)
  }
})
