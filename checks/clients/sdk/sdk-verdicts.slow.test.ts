// Exports and proofs of an engine, judged by the Rust and the Python SDK as programs: their verdicts equal those of the
// TypeScript SDK. `SVC_TEST_SEED` replays.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { rotateTestKey } from '@svc/audit/test-audit-log'
import type { Receipt } from '@svc/contract/needs/audit-log'
import {
  createClient,
  type ExportOptions,
  exportAuditLog,
  verifyExport,
  verifyProof,
  verifyReceipt,
} from '@svc/sdk'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { openPython, python_package } from '../../suite/python.ts'
import { cargo, rustIsHere, target_dir } from '../../suite/rust.ts'
import { changedValue } from '../../tamper/changed-json.ts'
import { type ExportedAuditLog, putTogether, takeApart } from '../../tamper/exported-audit-log.ts'
import { record_mutations } from '../../tamper/mutations.ts'
import { chooseSeed, seeded } from '../../tamper/random.ts'
import { mutateReceipt } from '../../tamper/receipt-mutations.ts'
import { signed_mutations } from '../../tamper/signed-mutations.ts'

const rust_is_here = await rustIsHere()
const python = await openPython()
const rust_program = join(target_dir, 'debug/examples/verify_export')

interface Program {
  readonly language: string
  /** Why it cannot run here. */
  readonly skip: string | false
  readonly command: readonly string[]
}

const programs: readonly Program[] = [
  { language: 'Rust', skip: !rust_is_here && 'no Rust here', command: [rust_program] },
  typeof python === 'string'
    ? { language: 'Python', skip: python, command: [] }
    : {
        language: 'Python',
        skip: false,
        command: [python.path, join(python_package, 'examples/verify_export.py')],
      },
]
const per_class = is_long ? 40 : 5
const seed = chooseSeed()
const replay = `seed ${seed}; replay: SVC_TEST_SEED=${seed} node --test checks/clients/sdk/sdk-verdicts.slow.test.ts`
const entries = 5

let service: InProcessService
let folder: string
let audit_logs: readonly ExportedAuditLog[]
let keys: readonly string[]
let receipts: readonly Receipt[]
let proofs: readonly object[]

if (programs.some(({ skip }) => !skip)) {
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-verdicts-'))
    if (rust_is_here) await cargo(['build', '--workspace', '--example', 'verify_export', '--quiet'])
    service = await startInProcess()
    const chains = [await tellAndRotate('first'), await tellAndRotate('second')]
    audit_logs = chains.map(({ lines }) => takeApart(lines))
    keys = audit_logs.flatMap(({ header }) => header.keys.map((key) => key.public_key))
    receipts = chains.flatMap((one) => one.receipts)
    proofs = chains.flatMap((one) => one.proofs)
  })
  after(async () => {
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
}

/** A tenant's calls, a rotation of its audit key between them, and all their proofs. */
async function tellAndRotate(tenant_id: string) {
  const caller = await service.newCaller({ tenant_id })
  const { api_url: apiUrl, api_key: apiKey, agent_did: agentDid } = caller
  const client = createClient({ apiUrl, apiKey, agentDid, tenantId: tenant_id })
  const receipts_so_far: Receipt[] = []
  const tell = async (i: number) => {
    const meta = {
      i,
      share: i / 7,
      small: i * 1e-7,
      'é\u2028': { '\u{1f512}': 1, '\ufb33': [null, '"\\/\n\u0001'] },
    }
    const entry = { event_type: 'custom.told', meta }
    const { metadata } = await client.dispatch('MAX', 'audit_log_entry', entry, { waitForAudit: true })
    receipts_so_far.push(metadata.receipt as Receipt)
  }
  for (let i = 0; i < entries; i++) await tell(i)
  await rotateTestKey(service.db_url, tenant_id, service.service.root_keys)
  for (let i = 0; i < entries; i++) await tell(entries + i)
  const { record } = receipts_so_far[2]!
  const answers = [
    await client.maze.prove({ kind: 'inclusion', record_hash: record.record_hash }),
    await client.maze.prove({ kind: 'consistency', first: 3 }),
    await client.maze.prove({ kind: 'segment', from_seq: 2, to_seq: 6 }),
  ]
  return { lines: await Array.fromAsync(exportAuditLog(client)), receipts: receipts_so_far, proofs: answers }
}

/** The program's verdict on each text, in one run. */
async function verdictsOf(
  { command: [program = '', ...first] }: Program,
  texts: readonly string[],
  args: readonly string[],
): Promise<unknown[]> {
  const files = texts.map((text, i) => {
    const path = join(folder, `judged-${i}`)
    writeFileSync(path, text)
    return path
  })
  const output = await new Promise<string>((resolve, reject) => {
    execFile(program, [...first, ...args, ...files], { maxBuffer: 1e8 }, (error, stdout, stderr) =>
      // It exits with 1 for an invalid text, the usual case here, and with 8 if nothing vouches for it.
      error && (![1, 8].includes(Number(error.code)) || stderr)
        ? reject(new Error(stderr || error.message))
        : resolve(stdout),
    )
  })
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function argsOf({ trustedKeys = [], checkpoints = [], heads = [] }: ExportOptions): string[] {
  const checkpoint_files = checkpoints.map((note, i) => {
    const path = join(folder, `kept-${i}`)
    writeFileSync(path, note)
    return path
  })
  return [
    ...trustedKeys.flatMap((key) => ['--key', key]),
    ...checkpoint_files.flatMap((path) => ['--checkpoint', path]),
    ...heads.flatMap((head) => ['--head', head]),
  ]
}

const jsonOf = (value: unknown) => JSON.stringify(value)
const textOf = (audit_log: ExportedAuditLog) => `${putTogether(audit_log).join('\n')}\n`

/** A change may have inserted a newline: what counts is the file. */
const linesOf = (text: string) => Buffer.from(text).toString().replace(/\n$/, '').split('\n')

for (const program of programs) {
  const { language, skip } = program

  test(`${language}: what the engine issued is proved`, { skip }, async () => {
    for (const audit_log of audit_logs) {
      const options = {
        trustedKeys: audit_log.header.keys.map((key) => key.public_key),
        checkpoints: audit_log.notes.slice(0, 3),
      }
      const [verdict] = await verdictsOf(program, [textOf(audit_log)], argsOf(options))
      assert.deepEqual(verdict, await verifyExport(putTogether(audit_log), options))
      assert.partialDeepStrictEqual(verdict, {
        ok: true,
        roots_checked: true,
        records: audit_log.records.length,
      })
      assert.equal(audit_log.header.keys.length, 2)
    }
    const trusted = keys.flatMap((key) => ['--key', key])
    const on_receipts = await verdictsOf(program, receipts.map(jsonOf), ['--receipts', ...trusted])
    assert.deepEqual(on_receipts, Array(receipts.length).fill({ ok: true }))
    const on_proofs = await verdictsOf(program, proofs.map(jsonOf), ['--proofs', ...trusted])
    for (const [i, verdict] of on_proofs.entries()) {
      assert.deepEqual(verdict, await verifyProof(proofs[i], { trustedKeys: keys }))
      assert.partialDeepStrictEqual(verdict, { ok: true, vouched: true })
    }
  })

  test(`${language}: every forgery of an audit log gets the same verdict`, { skip }, async () => {
    const plain: { text: string; what: string }[] = []
    let refused = 0
    for (const [name, mutate] of Object.entries({ ...record_mutations, ...signed_mutations })) {
      for (let n = 0; n < per_class; n++) {
        const random = seeded(`${seed}/${name}/${n}`)
        const at = random.below(audit_logs.length)
        const forgery = mutate({ audit_log: audit_logs[at]!, other: audit_logs[1 - at]! }, random)
        if (!forgery) continue
        const { audit_log, options, what } = forgery
        const text = textOf(audit_log)
        if (!options) {
          plain.push({ text, what: `${name} ${n}: ${what}; ${replay}` })
          continue
        }
        const expected = await verifyExport(linesOf(text), options)
        assert.deepEqual(
          await verdictsOf(program, [text], argsOf(options)),
          [expected],
          `${name} ${n}: ${what}; ${replay}`,
        )
      }
    }
    const verdicts = await verdictsOf(
      program,
      plain.map(({ text }) => text),
      [],
    )
    for (const [i, { text, what }] of plain.entries()) {
      const expected = await verifyExport(linesOf(text))
      assert.deepEqual(verdicts[i], expected, what)
      if (!expected.ok) refused++
    }
    assert.ok(refused > plain.length / 2)
  })

  test(`${language}: any changed byte or line gets the same verdict`, { skip }, async () => {
    const texts = Array.from({ length: 40 * per_class }, (_, n) => {
      const random = seeded(`${seed}/byte/${n}`)
      const bytes = Buffer.from(textOf(random.pick(audit_logs)))
      const at = random.below(bytes.length)
      if (random.chance(0.7)) bytes[at]! ^= 1 << random.below(7)
      else if (random.chance(0.5)) bytes.copyWithin(at, at + 1 + random.below(9))
      else return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 5))]).toString()
      return bytes.toString()
    })
    const verdicts = await verdictsOf(program, texts, [])
    for (const [n, text] of texts.entries())
      assert.deepEqual(verdicts[n], await verifyExport(linesOf(text)), `${n}; ${replay}`)
  })

  test(`${language}: receipts and proofs with any change get the same verdict`, { skip }, async () => {
    const trusted = keys.flatMap((key) => ['--key', key])
    const changed = Array.from({ length: 30 * per_class }, (_, n) => {
      const random = seeded(`${seed}/receipt/${n}`)
      return jsonOf(mutateReceipt(random.pick(receipts), random.pick(receipts), random))
    })
    for (const [n, verdict] of (await verdictsOf(program, changed, ['--receipts', ...trusted])).entries())
      assert.deepEqual(
        verdict,
        await verifyReceipt(JSON.parse(changed[n]!), keys),
        `${changed[n]}; ${replay}`,
      )
    const answers = Array.from({ length: 30 * per_class }, (_, n) => {
      const random = seeded(`${seed}/proof/${n}`)
      return jsonOf(changedValue(random.pick(proofs), random).value)
    })
    for (const [n, verdict] of (await verdictsOf(program, answers, ['--proofs', ...trusted])).entries()) {
      const expected = await verifyProof(JSON.parse(answers[n]!), { trustedKeys: keys })
      assert.deepEqual(verdict, expected, `${answers[n]}; ${replay}`)
    }
  })

  test(`${language}: invalid UTF-8 is not a line, whatever it would decode to`, { skip }, async () => {
    const text = Buffer.from(textOf(audit_logs[0]!))
    const at = text.indexOf('\u2028')
    const broken = Buffer.concat([text.subarray(0, at), Buffer.of(0xff), text.subarray(at + 3)])
    const path = join(folder, 'broken')
    writeFileSync(path, broken)
    const [verdict] = await verdictsOf(program, [], [path])
    assert.partialDeepStrictEqual(verdict, { ok: false, reason: 'a line is not JSON' })
    assert.ok(readFileSync(path).includes(0xff))
  })

  test(`${language}: a file that is not JSON gets a verdict, and those after it are judged`, {
    skip,
  }, async () => {
    // A key may begin with a dash, and is no option then.
    const trusted = [`-${'A'.repeat(42)}`, ...keys].flatMap((key) => ['--key', key])
    const texts = ['{"record":1e400}', '', '\u0000', jsonOf(receipts[0])]
    const verdicts = await verdictsOf(program, texts, ['--receipts', ...trusted])
    const nothing = { ok: false, reason: 'the receipt holds no record' }
    assert.deepEqual(verdicts, [nothing, nothing, nothing, { ok: true }])
  })
}
