// svc audit and svc explain against an engine: they show what is in the audit log, and prove what the
// engine's own verifier proves.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { entryOf, rotateTestKey } from '@svc/audit/test-audit-log'
import { createClient } from '@svc/sdk'
import { verifyExport } from '@svc/sdk/verify/export'
import { watchedFile } from '../../clients/cli/audit/file.ts'
import { pinPath } from '../../clients/cli/audit/pin.ts'
import { tailRecords } from '../../clients/cli/audit/tail.ts'
import { runCli } from '../../clients/cli/run.ts'
import { writeOver } from '../conformance/awareness/written-over.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import type { Addresses } from '../engines/running-engine.ts'
import { clientEnv, type TestTerminalOptions, testTerminal } from './test-terminal.ts'

const run = promisify(execFile)
const engine = join(import.meta.dirname, '../../service/main.ts')
let service: InProcessService
let home: string
before(async () => {
  service = await startInProcess()
  home = mkdtempSync(join(tmpdir(), 'svc-audit-'))
})
after(async () => {
  await service.stop()
  rmSync(home, { recursive: true, force: true })
})

async function svc(caller: Addresses, argv: string[], options: TestTerminalOptions = {}) {
  const terminal = testTerminal({ env: clientEnv(caller), home, columns: 100, ...options })
  const code = await runCli(argv, terminal)
  return { code, out: terminal.stdout, err: terminal.stderr }
}

function clientOf({ api_url: apiUrl, api_key: apiKey, agent_did: agentDid, tenant_id: tenantId }: Addresses) {
  return createClient({ apiUrl, apiKey, agentDid, tenantId })
}

/** A tenant with its own records, one of them refused, one with a separator that JSON does not escape. */
async function tenantWithAuditLog(tenant_id: string, entries = 6): Promise<Addresses> {
  const caller = await service.newCaller({ tenant_id })
  const client = clientOf(caller)
  for (let i = 0; i < entries; i++) {
    const meta = { i, text: 'one\u2028two \u001b[2J \u202e' }
    await client.max.audit_log_entry({ event_type: 'custom.x', meta })
  }
  await assert.rejects(client.dispatch('NONE', 'nothing', {}))
  return caller
}

const fileOf = (name: string) => join(home, name)
const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')

test('tail prints JSON lines in a pipe, and a readable line per record on a terminal', async () => {
  const caller = await tenantWithAuditLog('tailed')
  const piped = await svc(caller, ['audit', 'tail', '--limit', '4'])
  assert.equal(piped.code, 0, piped.err)
  const seqs = piped.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).seq)
  assert.equal(seqs.length, 4)
  assert.deepEqual(
    seqs,
    seqs.map((_, i) => seqs[0] + i),
  )
  const shown = await svc(caller, ['audit', 'tail'], {
    tty: true,
    env: { ...clientEnv(caller), NO_COLOR: '1' },
  })
  const refused = shown.out
    .split('\n')
    .find((line) => line.includes('unknown_protocol') || line.includes('NONE'))
  assert.match(refused ?? '', /^ +\d+ {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}refused +"NONE nothing"/)
  for (const line of shown.out.split('\n')) assert.ok(line.length <= 100, line)
  const short = await svc(caller, ['tail', '--limit', '1', '--json=tenant_id'])
  assert.equal(short.out, '{"tenant_id":"tailed"}\n')
  const yaml = await svc(caller, ['audit', 'tail', '--limit', '1', '-o', 'yaml'])
  assert.match(yaml.out, /^---\ncaller_did: did:oas:tailed/)
})

test('tail prints only what was requested, from however far back', async () => {
  const caller = await tenantWithAuditLog('filtered')
  const { audit_log } = service.service
  for (let i = 0; i < 1200; i++) audit_log.record(entryOf('filtered'))
  await audit_log.flush()
  const refused = await svc(caller, ['audit', 'tail', '--outcome', 'refused'])
  assert.deepEqual(
    refused.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).meta.supplied.operation),
    ['nothing'],
  )
  const max = await svc(caller, [
    'audit',
    'tail',
    '--protocol',
    'max',
    '--outcome',
    'success',
    '--limit',
    '3',
  ])
  const records = max.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    records.map(({ protocol }) => protocol),
    ['MAX', 'MAX', 'MAX'],
  )
  const none = await svc(caller, ['audit', 'tail', '--limit', '0'])
  assert.deepEqual([none.code, none.out], [0, ''])
})

test('follow shows each new record once, and never the records of its own queries', async () => {
  const caller = await tenantWithAuditLog('followed', 2)
  const client = clientOf(caller)
  const stopping = new AbortController()
  let polls = 0
  const sleep = async () => {
    if (polls++ === 6) stopping.abort(new Error('enough'))
    stopping.signal.throwIfAborted()
    if (polls % 2 === 0) await client.max.audit_log_entry({ event_type: 'custom.new', meta: { polls } })
  }
  const records: { seq: number; event_type: string; operation?: string }[] = []
  const { agent_did } = caller
  const options = { agent_did, filter: {}, limit: 2, follow: true, signal: stopping.signal, sleep }
  await assert.rejects(async () => {
    for await (const record of tailRecords(client, options)) records.push(record)
  }, /enough/)
  assert.equal(records.filter(({ event_type }) => event_type === 'custom.new').length, 3)
  assert.equal(records.filter(({ operation }) => operation === 'audit_query').length, 0)
  assert.equal(new Set(records.map(({ seq }) => seq)).size, records.length)
  const stopped = new AbortController()
  stopped.abort(new Error('stopped by Ctrl-C'))
  assert.equal((await svc(caller, ['audit', 'tail', '-f'], { signal: stopped.signal })).code, 130)
})

test('tail shows neither its reads of an earlier run nor of another terminal, but those of anybody else', async () => {
  const caller = await tenantWithAuditLog('reread', 2)
  const recordsOf = async (who: typeof caller) => {
    const { out } = await svc(who, ['audit', 'tail', '--limit', '1000'])
    return out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; operation?: string; correlation_id: string })
  }
  const first = await recordsOf(caller)
  assert.deepEqual(await recordsOf(caller), first)
  const client = clientOf(caller)
  await client.max.audit_query({ after_seq: 0, limit: 1 }, { waitForAudit: true })
  const again = await recordsOf(caller)
  assert.deepEqual([again.length, again.at(-1)?.operation], [first.length + 1, 'audit_query'])
  // Another agent that sends ids of the same form is shown: only its own reads are hidden from it.
  const { records } = await client.max.audit_query({ operation: 'audit_query' })
  const marked = records.find(({ correlation_id }) => correlation_id[14] === '8')!.correlation_id
  const other = await service.newCaller({ tenant_id: 'reread' })
  await clientOf(other).max.audit_query({ after_seq: 0 }, { correlationId: marked, waitForAudit: true })
  const after_it = await recordsOf(caller)
  assert.equal(after_it.filter(({ correlation_id }) => correlation_id === marked).length, 1)
})

test('a long file shows progress on a terminal, and none in a pipe', async () => {
  const path = fileOf('long.jsonl')
  writeFileSync(path, '{"seq":1}\n'.repeat(2_500))
  const read = async (tty: boolean) => {
    const terminal = testTerminal({ tty, env: { NO_COLOR: '1' } })
    let lines = 0
    for await (const line of watchedFile(path, terminal)) lines += line === '{"seq":1}' ? 1 : 0
    return [lines, terminal.stdout, terminal.stderr] as const
  }
  assert.deepEqual(await read(false), [2_500, '', ''])
  const [lines, stdout, stderr] = await read(true)
  assert.deepEqual([lines, stdout], [2_500, ''])
  assert.match(stderr, /40 % {2}line 1000.*80 % {2}line 2000\r\S{4}$/s)
})

test('export writes what svc-engine verify reads: to a private file, or to standard output', async () => {
  const caller = await tenantWithAuditLog('exported')
  await rotateTestKey(service.db_url, 'exported', service.service.root_keys)
  const file = fileOf('audit-log.jsonl')
  const exported = await svc(caller, ['audit', 'export', '--file', file])
  assert.equal(exported.code, 0, exported.err)
  assert.match(exported.err, /^Exported records 1 to \d+ of exported, \d+ signed checkpoints; check it with:/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const verdict = await verifyExport(linesOf(file))
  assert.ok(verdict.ok && verdict.roots_checked, `${verdict.reason}`)
  const piped = await svc(caller, ['audit', 'export', '--from', '3', '--to', '5'])
  const part = await verifyExport(piped.out.trimEnd().split('\n'))
  assert.deepEqual([part.ok, part.roots_checked], [true, false])
  assert.equal(JSON.parse(piped.out.split('\n')[0]!).from_seq, 3)
  const summary = await svc(caller, ['audit', 'export', '--file', file, '-o', 'json'])
  assert.equal(JSON.parse(summary.out).tenant_id, 'exported')
  const shown = await svc(caller, ['audit', 'export'], { tty: true })
  assert.deepEqual([shown.code, shown.out], [1, ''])
})

/** An answer of audit_query, as an attacker in between may change it. */
interface Changeable {
  readonly output: { newest_checkpoint?: { size: number; note: string }; next_after_seq?: number }
}

test('an interrupted export leaves the previous file, and nothing else', async () => {
  const caller = await tenantWithAuditLog('broken', 2)
  const folder = mkdtempSync(join(home, 'folder-'))
  const file = join(folder, 'audit-log.jsonl')
  writeFileSync(file, 'the one before')
  let request_count = 0
  const failing: typeof fetch = async (...args) => {
    const answer = await fetch(...args)
    // The second page of an audit log that claims to be longer than it is.
    if (request_count++ > 0)
      return new Response('{"error":{"code":"internal","message":"Broken."}}', { status: 500 })
    const body = (await answer.json()) as Changeable
    body.output.newest_checkpoint!.size += 5
    body.output.next_after_seq = 1
    return Response.json(body)
  }
  const broken = await svc(caller, ['audit', 'export', '--file', file], { fetch: failing })
  assert.notEqual(broken.code, 0)
  assert.deepEqual([readdirSync(folder), readFileSync(file, 'utf8')], [['audit-log.jsonl'], 'the one before'])
  const lost = await svc(caller, ['audit', 'export', '--file', join(folder, 'none', 'audit-log.jsonl')])
  assert.deepEqual([lost.code, lost.out], [1, ''])
  assert.match(lost.err, /There is no folder for/)
})

test('verify proves a file or standard input, in the sentences of svc-engine verify, and only a proof exits with 0', async () => {
  const caller = await tenantWithAuditLog('verified')
  const file = fileOf('verified.jsonl')
  await svc(caller, ['audit', 'export', '--file', file])
  const text = readFileSync(file, 'utf8')
  const { signed_by } = await verifyExport(linesOf(file))
  const { key_id, public_key } = signed_by[0]!
  const verdict = await verifyExport(linesOf(file), { trustedKeys: [public_key] })
  const content = `${verdict.records} records of verified, ${verdict.checkpoints} signed checkpoints, head ${verdict.head}`
  const out = `Verified against pinned key ${key_id}: ${content}\nSigned by key ${key_id} ${public_key}.\n`
  const pinned = ['--key', public_key]
  assert.deepEqual(await svc(caller, ['audit', 'verify', file, ...pinned]), { code: 0, out, err: '' })
  const as_engine = await run(process.execPath, [engine, 'verify', file, ...pinned])
  assert.equal(as_engine.stdout, out)
  const stdin = { stdin: text.replaceAll('\n', '\r\n') }
  const piped = await svc(caller, ['audit', 'verify', '-', ...pinned], stdin)
  assert.deepEqual([piped.code, piped.out], [0, out])
  const json = await svc(caller, ['audit', 'verify', file, ...pinned, '-o', 'json'])
  assert.deepEqual(JSON.parse(json.out), verdict)
  const forged = text.replace('"i":2', '"i":7')
  writeFileSync(file, forged)
  const export_verdict = await verifyExport(linesOf(file))
  const bad = await svc(caller, ['audit', 'verify', file])
  assert.deepEqual(bad, {
    code: 1,
    out: `Record ${export_verdict.first_bad_seq} is invalid: ${export_verdict.reason}.\n`,
    err: '',
  })
  const part = (await svc(caller, ['audit', 'export', '--from', '2'])).out
  const unproved = await svc(caller, ['audit', 'verify', '-'], { stdin: part })
  assert.equal(unproved.code, 8)
  assert.match(unproved.out, /^Not proved: \d+ records of verified follow each other/)
  for (const odd of [fileOf('nowhere'), home]) {
    const missing = await svc(caller, ['audit', 'verify', odd])
    assert.deepEqual([missing.code, missing.out], [1, ''])
  }
})

test('a kept checkpoint reveals a truncated tail', async () => {
  const caller = await tenantWithAuditLog('cut', 3)
  const early = (await svc(caller, ['audit', 'export'])).out
  const later = (await svc(caller, ['audit', 'export'])).out.trimEnd().split('\n')
  const note = fileOf('kept.note')
  writeFileSync(note, JSON.parse(later.at(-1)!).checkpoint)
  const cut = await svc(caller, ['audit', 'verify', '-', '--checkpoint', note], { stdin: early })
  assert.equal(cut.code, 1)
  assert.match(cut.out, /^Record \d+ is invalid: the tail is missing: a checkpoint of size \d+ is held/)
  const whole = ['audit', 'verify', '-', '--checkpoint', note, '--checkpoint', note]
  assert.equal((await svc(caller, whole, { stdin: `${later.join('\n')}\n` })).code, 0)
  assert.equal((await svc(caller, ['audit', 'verify', '-', '--checkpoint', fileOf('no.note')])).code, 1)
})

/** An engine that withholds the newest records: it claims that its log ends at an earlier checkpoint. */
function forgetful(size: number, note: string): typeof fetch {
  return async (...args) => {
    const body = (await (await fetch(...args)).json()) as Changeable
    if (body.output.newest_checkpoint) body.output.newest_checkpoint = { size, note }
    return Response.json(body)
  }
}

test('without a file your audit log is verified as it is now, and the next run notices later changes', async () => {
  const caller = await tenantWithAuditLog('kept')
  const path = pinPath(home, caller)
  const first = (await svc(caller, ['audit', 'export'])).out.trimEnd().split('\n')
  // The first pins the key, and the second is verified against it.
  for (const expected of [8, 0]) {
    const { code, out, err } = await svc(caller, ['audit', 'verify'])
    assert.equal(code, expected, out + err)
    assert.ok(err.includes(path), err)
  }
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const file_text = readFileSync(path, 'utf8')
  const older = JSON.parse(first[0]!).to_seq
  const cut = await svc(caller, ['audit', 'verify'], { fetch: forgetful(older, '') })
  assert.deepEqual([cut.code, /the tail is missing/.test(cut.out)], [1, true], cut.out)
  assert.match(cut.err, /Delete that file only if you know why the log differs/)
  await writeOver(service, 'the body and everything after it, with the right hashes', 'kept', 3)
  const rewritten = await svc(caller, ['audit', 'verify', '-o', 'json'])
  assert.equal(rewritten.code, 1)
  assert.equal(JSON.parse(rewritten.out).ok, false)
  assert.equal(readFileSync(path, 'utf8'), file_text, 'what was not proved replaces nothing')
  const strange = await svc(caller, ['audit', 'verify', '--tenant-id', '../../etc'])
  assert.deepEqual([strange.code, strange.out], [1, ''])
})

test('impossible arguments are reported before any request', async () => {
  const nobody: typeof fetch = () => assert.fail('nothing may be asked')
  const wrong: [string[], RegExp][] = [
    [['audit'], /Name a subcommand/],
    [['audit', 'tial'], /Did you mean tail\?/],
    [['audit', 'tail', '--limit', '1001'], /--limit is a whole number from 0 to 1000/],
    [['audit', 'tail', '--outcome', 'refusd'], /Did you mean refused\?/],
    [['audit', 'tail', '--file', 'x'], /takes no --file/],
    [['audit', 'tail', 'more'], /takes no more/],
    [['audit', 'export', '--from', '0'], /--from is a whole number from 1 on/],
    [['audit', 'export', '--from', '9', '--to', '3'], /is before --from/],
    [['audit', 'verify', 'a', 'b'], /takes no b/],
    [['explain'], /needs the correlation id/],
    [['explain', 'x'], /is not a correlation id/],
  ]
  for (const [argv, pattern] of wrong) {
    const { code, out, err } = await svc(service, argv, { fetch: nobody })
    assert.deepEqual([code, out], [1, ''], argv.join(' '))
    assert.match(err, pattern)
  }
})

/** A call refused for a missing capability, and one that succeeds. */
async function explained(caller: Addresses) {
  const client = clientOf(caller)
  const refusal = await client.mars.register_agent({} as never).catch((error) => error)
  const entry = { event_type: 'custom.x', meta: { text: '\u001b[2J' } }
  const { metadata } = await client.dispatch('MAX', 'audit_log_entry', entry)
  return { refused: refusal.correlation_id as string, done: metadata.correlation_id }
}

test('explain shows a refusal: the caller, each stage, the rule, what would have changed it, the records and their proof', async () => {
  const caller = await service.newCaller({ tenant_id: 'explained' })
  const ids = await explained(caller)
  const env = { ...clientEnv(caller), NO_COLOR: '1' }
  const refused = await svc(caller, ['explain', ids.refused.toUpperCase()], { tty: true, env })
  assert.equal(refused.code, 0, refused.err)
  for (const pattern of [
    /^REFUSED {2}MARS register_agent\n/,
    new RegExp(`\nasked by +${caller.agent_did}\n`),
    /\nrefused by +stage 7, Invocation\ncode +invalid_payload\nrule +schema\n/,
    /\n {2}4 {2}Capability +passed\n/,
    /\n {2}7 {2}Invocation +refused: invalid_payload, schema\n {2}8 {2}Audit +recorded as 1\n/,
    /What would have changed it\n {2}- If the input fitted the published schema: /,
    /\nseq +checked .*\n1 +consistent +\d{4}-.* refused +MARS register_agent\nconsistent: signed by a key .*\n$/,
  ])
    assert.match(refused.out, pattern)
  const done = await svc(caller, ['explain', ids.done], { tty: true, env })
  assert.match(done.out, /^ALLOWED {2}MAX audit_log_entry\n/)
  assert.match(
    done.out,
    /\n2 +consistent .*custom\.x .*\n3 +consistent .*ProtocolInvocation .*\nconsistent: /,
  )
  const both = JSON.parse((await svc(caller, ['explain', ids.done, '-o', 'json'])).out)
  assert.equal(both.explainability_request.decision, 'allowed')
  assert.deepEqual([both.audit_query.records.length, both.audit_query.proofs.length], [2, 2])
})

test('explain marks an overwritten record, and reports an unknown call', async () => {
  const caller = await service.newCaller({ tenant_id: 'doubted' })
  const { done } = await explained(caller)
  await writeOver(service, 'another word in the body', 'doubted', 2)
  const doubted = await svc(caller, ['explain', done])
  assert.equal(doubted.code, 1)
  assert.match(doubted.out, /\n2 +INVALID /)
  assert.match(doubted.out, /Record 2 is invalid: the record does not have the hash it states\n/)
  const never = await svc(caller, ['explain', '00000000-0000-4000-8000-000000000000'])
  assert.notEqual(never.code, 0)
  assert.match(never.err, /There is no request 00000000-0000-4000-8000-000000000000 that you may see/)
})
