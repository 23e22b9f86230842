// A log signed by an attacker's key: without a pinned key no verifier reports verified, with one each refuses
// it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { exportLines, rotateTestKey } from '@svc/audit/test-audit-log'
import { createClient, verifyExport } from '@svc/sdk'
import { judgeExport } from '@svc/sdk/verify/export'
import { webPrimitives } from '@svc/sdk/verify/primitives'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { cargo, rustIsHere, target_dir } from '../../suite/rust.ts'
import { type ExportedAuditLog, takeApart } from '../../tamper/exported-audit-log.ts'
import { forgeWhole } from '../../tamper/signed-mutations.ts'

const root = join(import.meta.dirname, '../../..')
const no_rust = !(await rustIsHere()) && 'no Rust here'
let service: InProcessService
let folder: string
let writeMore: () => Promise<unknown>
let genuine: ExportedAuditLog
let lines: string[]
let key: string
let forged: { lines: string[]; public_key: string }

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-forged-'))
  service = await startInProcess()
  const {
    api_url: apiUrl,
    api_key: apiKey,
    agent_did: agentDid,
  } = await service.newCaller({ tenant_id: 'acme' })
  const client = createClient({ apiUrl, apiKey, agentDid, tenantId: 'acme' })
  writeMore = () => client.max.audit_log_entry({ event_type: 'custom.x', meta: {} }, { waitForAudit: true })
  for (let i = 0; i < 3; i++) await writeMore()
  lines = await exportLines(service.db_url, 'acme')
  genuine = takeApart(lines)
  key = genuine.header.keys[0]!.public_key
  forged = forgeWhole(genuine)
  for (const [name, all] of Object.entries({ genuine: lines, forged: forged.lines }))
    writeFileSync(fileOf(name), `${all.join('\n')}\n`)
})
after(async () => {
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const fileOf = (name: string) => join(folder, `${name}.jsonl`)

/** On Node, and on a browser's APIs. */
const verifiers = {
  node: (all: string[], { keys, ...rest }: Options) => verifyExport(all, { ...rest, ...trusted(keys) }),
  browser: (all: string[], { keys, ...rest }: Options) =>
    judgeExport(all, { ...rest, ...trusted(keys) }, webPrimitives(crypto.subtle)),
}
type Options = { keys?: string[]; checkpoints?: string[] }
const trusted = (keys: string[] | undefined) => (keys ? { trustedKeys: keys } : {})

for (const [name, verify] of Object.entries(verifiers)) {
  test(`${name}: consistent at most without a pinned key, refused with one`, async () => {
    const alone = await verify(forged.lines, {})
    assert.deepEqual([alone.ok, alone.verified, alone.vouched_by], [true, false, []])
    assert.deepEqual(
      alone.signed_by.map(({ public_key }) => public_key),
      [forged.public_key],
    )
    assert.equal((await verify(lines, {})).verified, false, 'nor is a genuine one, of which nobody can tell')
    const pinned = await verify(forged.lines, { keys: [key] })
    assert.deepEqual([pinned.ok, pinned.verified], [false, false])
    assert.match(pinned.reason ?? '', /is not among the keys you trust/)
    const export_verdict = await verify(forged.lines, { checkpoints: [genuine.notes[0]!] })
    assert.deepEqual([export_verdict.ok, export_verdict.verified], [false, false])
    const proved = await verify(lines, { keys: [key] })
    assert.deepEqual([proved.verified, proved.vouched_by], [true, ['key']])
    assert.deepEqual((await verify(lines, { checkpoints: [genuine.notes[0]!] })).vouched_by, ['checkpoint'])
  })
}

async function run(program: string, args: string[]): Promise<{ code: number; out: string; err: string }> {
  // No home and no settings: only the file and the flags.
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, HOME: folder }
  return await new Promise((resolve) => {
    execFile(program, args, { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

const programs: Readonly<Record<string, string[]>> = {
  'svc-engine verify': ['service/main.ts', 'verify'],
  'svc audit verify FILE': ['clients/cli/main.ts', 'audit', 'verify'],
  'svc verify FILE': ['clients/cli/main.ts', 'verify'],
}

for (const [name, [main, ...command]] of Object.entries(programs)) {
  test(`${name} as a program: 8 without a pinned key, 1 for a forgery with one, 0 only if the key vouches`, async () => {
    const say = (...args: string[]) => run(process.execPath, [join(root, main!), ...command, ...args])
    const alone = await say(fileOf('forged'))
    assert.equal(alone.code, 8, alone.out + alone.err)
    assert.match(
      alone.out,
      /^Consistent, but signed by a key that only this file vouches for: \d+ records of acme/,
    )
    assert.ok(alone.out.includes(forged.public_key), 'the verdict names the key')
    assert.doesNotMatch(alone.out, /verified/i)
    const pinned = await say(fileOf('forged'), '--key', key)
    assert.equal(pinned.code, 1)
    assert.match(
      pinned.out,
      /^Invalid: the key [0-9a-f]{8} of the export is not among the keys you trust\.\n/,
    )
    const proved = await say(fileOf('genuine'), '--key', key)
    assert.equal(proved.code, 0, proved.out + proved.err)
    const { key_id } = (await verifyExport(lines)).signed_by[0]!
    assert.ok(proved.out.startsWith(`Verified against pinned key ${key_id}: `), proved.out)
    const cut = await say(fileOf('genuine'), '--key', key.slice(1))
    assert.deepEqual([cut.code, cut.out], [1, ''])
  })
}

test('the Rust SDK as a program exits like the others', { skip: no_rust }, async () => {
  await cargo(['build', '--workspace', '--example', 'verify_export', '--quiet'])
  const program = join(target_dir, 'debug/examples/verify_export')
  const say = async (...args: string[]) => {
    const { code, out } = await run(program, args)
    return { code, verdict: JSON.parse(out) }
  }
  assert.deepEqual(await say(fileOf('forged')), { code: 8, verdict: await verifyExport(forged.lines) })
  assert.deepEqual(await say('--key', key, fileOf('forged')), {
    code: 1,
    verdict: await verifyExport(forged.lines, { trustedKeys: [key] }),
  })
  assert.deepEqual(await say('--key', key, fileOf('genuine')), {
    code: 0,
    verdict: await verifyExport(lines, { trustedKeys: [key] }),
  })
})

test('either key of a log vouches for both; trusting an additional key that signs none of it is refused', async () => {
  await rotateTestKey(service.db_url, 'acme', service.service.root_keys)
  await writeMore()
  const rotated = await exportLines(service.db_url, 'acme')
  const [old_key, new_key] = takeApart(rotated).header.keys.map(({ public_key }) => public_key)
  const pins = [[old_key!], [new_key!], [old_key!, new_key!]]
  // As a thief of the old key would rotate to their own, in place of the pinned one.
  const replaced = [old_key!, forged.public_key]
  const misses = /is not among the keys you trust, and one that you trust signs none of it$/
  for (const verify of Object.values(verifiers)) {
    for (const keys of pins) assert.deepEqual((await verify(rotated, { keys })).vouched_by, ['key'])
    assert.match((await verify(rotated, { keys: replaced })).reason ?? '', misses)
  }
  if (no_rust) return
  writeFileSync(fileOf('rotated'), `${rotated.join('\n')}\n`)
  const program = join(target_dir, 'debug/examples/verify_export')
  const say = (keys: string[]) =>
    run(program, [...keys.flatMap((each) => ['--key', each]), fileOf('rotated')])
  for (const keys of pins) assert.equal((await say(keys)).code, 0)
  assert.equal((await say(replaced)).code, 1)
})

test('a key that signs only later vouches for nothing in the log', async () => {
  const { header } = takeApart(forged.lines)
  const own = { ...genuine.header.keys[0]!, from_seq: header.to_seq + 2 }
  const keys = [{ ...header.keys[0]!, until_seq: header.to_seq + 1 }, own]
  const all = [JSON.stringify({ ...header, keys }), ...forged.lines.slice(1)]
  assert.equal((await verifyExport(all)).ok, true, 'the header may name keys of another time')
  for (const verify of Object.values(verifiers))
    assert.match((await verify(all, { keys: [key] })).reason ?? '', /not among the keys you trust/)
})
