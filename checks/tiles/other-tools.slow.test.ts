// Tools of others on our log: Go's checksum-database packages and Tessera's client read it over HTTP, and the witness of
// transparency-dev cosigns it.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { after, before, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { exportChain } from '@svc/audit/query/export'
import { entryOf } from '@svc/audit/test-audit-log'
import { verifierKeyOfLog } from '@svc/audit/tree/checkpoint'
import { verifyExport } from '@svc/sdk/verify/export'
import { readNote } from '@svc/sdk/verify/note'
import { cosignedAt, readWitnessKey } from '@svc/sdk/verify/witnesses'
import { admin } from '@svc/service/admin'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { eventually } from '../suite/eventually.ts'
import { buildGo, goIsHere } from '../suite/go.ts'

const module_dir = join(import.meta.dirname, 'other-tools')
const skip = !(await goIsHere(module_dir)) && 'no Go here, or not its modules'
const master_key = randomBytes(32)
const programs_dir = mkdtempSync(join(tmpdir(), 'svc-other-tools-'))
const older_file = join(programs_dir, 'older.note')
let engine: InProcessService
let prefix: string
let verifier_key: string

before(async () => {
  if (!skip) await buildGo(module_dir, programs_dir)
  engine = await startInProcess({ config: { master_key } })
  prefix = `${engine.api_url}/v1/log/dev`
  await grow(300)
  verifier_key = (await operate('log', 'publish', '--tenant', 'dev')).verifier_key
  writeFileSync(older_file, await checkpoint())
  await grow(400)
})
after(async () => {
  await engine?.stop()
  rmSync(programs_dir, { recursive: true, force: true })
})

async function grow(count: number): Promise<void> {
  for (let n = 0; n < count; n++) engine.service.audit_log.record(entryOf('dev'))
  await engine.service.audit_log.flush()
}

// biome-ignore lint/suspicious/noExplicitAny: each command answers in its own shape
async function operate(...args: string[]): Promise<any> {
  let out = ''
  const write = async (text: string) => {
    out += text
  }
  const env = { SVC_DB_URL: engine.db_url, SVC_MASTER_KEY: master_key.toString('hex') }
  assert.equal(await admin([...args, '--json'], env, { input: Readable.from(['']), write }), 0)
  return JSON.parse(out)
}

async function checkpoint(): Promise<string> {
  const headers = { authorization: `Bearer ${engine.api_key}`, 'x-agent-did': engine.agent_did }
  const answer = await fetch(`${prefix}/checkpoint`, { headers })
  assert.equal(answer.status, 200)
  return await answer.text()
}

async function readBy(program: string, key: string, env: Record<string, string> = {}) {
  const args = [prefix, key, older_file]
  const { stdout } = await promisify(execFile)(join(programs_dir, program), args, { env })
  return JSON.parse(stdout)
}

/** Runs until the test ends. */
async function startWitness(t: TestContext): Promise<{ url: string; verifier_key: string }> {
  const child = spawn(join(programs_dir, 'witness'), [verifier_key], { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.stdin.end()
    await ended
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  return JSON.parse(line)
}

test('a witness that is not ours cosigns our log as it grows, and we verify it', { skip }, async (t) => {
  const witness = await startWitness(t)
  const key = await readWitnessKey(witness.verifier_key)
  await operate('witness', 'ask', witness.url, witness.verifier_key, '--tenant', 'dev')
  const cosignedSize = () =>
    eventually(async () => {
      const note = readNote(await checkpoint())!
      assert.equal(typeof (await cosignedAt(note, key)), 'number')
      return note.size
    })
  const size = await cosignedSize()
  await grow(20)
  assert.ok((await cosignedSize()) >= size + 20)
  const lines = await Array.fromAsync(exportChain(engine.service.store.engine, 'dev'))
  const verdict = await verifyExport(lines, { witnessKeys: [witness.verifier_key], witnessesNeeded: 1 })
  assert.deepEqual([verdict.ok, verdict.witnessed?.by[0]?.name], [true, key.name], String(verdict.reason))
  assert.ok(verdict.witnessed!.size >= size + 20)
})

for (const program of ['sumdb', 'tessera'])
  test(`${program} verifies the checkpoint, every record and the growth from our tiles`, {
    skip,
  }, async () => {
    const [first] = await engine.records('dev', { limit: 1 })
    const { size } = readNote(await checkpoint())!
    const older_size = readNote(readFileSync(older_file, 'utf8'))!.size
    const expected = { size, older_size, proved: size, first_entry: first?.record_hash }
    assert.deepEqual(await readBy(program, verifier_key), expected)
    const another_key = verifierKeyOfLog('dev', randomBytes(32))
    await assert.rejects(readBy(program, another_key), /no verifiable signatures|failed to verify/)
  })

test('both read a private log with a key of its tenant only', { skip }, async () => {
  await operate('log', 'unpublish', '--tenant', 'dev')
  const [record] = await engine.records('dev', { event_types: ['AuditLogUnpublished'] })
  const headers = { SVC_API_KEY: engine.api_key, SVC_AGENT_DID: engine.agent_did }
  for (const program of ['sumdb', 'tessera']) {
    await eventually(() => assert.rejects(readBy(program, verifier_key), /404|not exist/))
    assert.ok((await readBy(program, verifier_key, headers)).proved >= record!.seq)
  }
})
