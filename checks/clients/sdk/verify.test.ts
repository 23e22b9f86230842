// The verifier on Node and on web APIs gives the same verdict, whatever was done to a log. `SVC_TEST_SEED` replays
// a run.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { entryOf, exportLines, newFolder, openTestAuditLog, rotateTestKey } from '@svc/audit/test-audit-log'
import type { Receipt } from '@svc/contract/needs/audit-log'
import { verifyExport, verifyReceipt } from '@svc/sdk'
import { type ExportOptions, judgeExport } from '@svc/sdk/verify/export'
import { webPrimitives } from '@svc/sdk/verify/primitives'
import { judgeReceipt } from '@svc/sdk/verify/receipt'
import fc from 'fast-check'
import { testDatabase } from '../../rehearsal/test-database.ts'
import { type ExportedAuditLog, putTogether, takeApart } from '../../tamper/exported-audit-log.ts'
import { type Mutation, record_mutations } from '../../tamper/mutations.ts'
import { chooseSeed, type Random, seeded } from '../../tamper/random.ts'
import { type RealChain, writeChains } from '../../tamper/real-chains.ts'
import { mutateReceipt } from '../../tamper/receipt-mutations.ts'
import { olderState, rewriteWithStolenKey, signed_mutations } from '../../tamper/signed-mutations.ts'

const scale = process.env.SVC_TEST_ASSURANCE ? 50 : 1
const per_class = 10 * scale
const sizes = [1, 2, 3, 5, 8, 13, 34, 100]
const seed = chooseSeed()
const replay = `seed ${seed}; replay: SVC_TEST_SEED=${seed} node --test checks/clients/sdk/verify.test.ts`
const in_browser = webPrimitives(crypto.subtle)

let chains: readonly RealChain[]
let audit_logs: readonly ExportedAuditLog[]
let rotated: readonly string[]

before(async () => {
  chains = await writeChains(sizes, seeded(`${seed}/chains`))
  audit_logs = chains.map(({ lines }) => takeApart(lines))
  rotated = await writeRotated('rotated', [3, 0, 4, 2])
})

/** With a key rotation between two parts. */
async function writeRotated(tenant_id: string, parts: readonly number[]): Promise<string[]> {
  const database = await testDatabase()
  try {
    const audit_log = await openTestAuditLog(database.url, await newFolder())
    for (const [i, part] of parts.entries()) {
      if (i > 0) await rotateTestKey(database.url, tenant_id)
      for (let n = 0; n < part; n++) audit_log.record(entryOf(tenant_id))
      await audit_log.flush()
    }
    await audit_log.close()
    return await exportLines(database.url, tenant_id)
  } finally {
    await database.close()
  }
}

/** In every field, including the sentence. */
async function agree(lines: readonly string[], options: ExportOptions, what: string) {
  const verdict = await verifyExport(lines, options)
  assert.deepEqual(await judgeExport(lines, options, in_browser), verdict, `${what}; ${replay}`)
  return verdict
}

test('clean exports of any size, with kept keys, checkpoints and heads', async () => {
  for (let n = 0; n < per_class; n++) {
    const random = seeded(`${seed}/clean/${n}`)
    const audit_log = random.pick(audit_logs)
    const cut = olderState(audit_log, random)
    const clean = cut && random.chance(0.5) ? cut.forgery.audit_log : audit_log
    const options = {
      trustedKeys: random.chance(0.5) ? audit_log.header.keys.map((key) => key.public_key) : undefined,
      checkpoints: audit_log.notes.filter(() => random.chance(0.3)),
      heads: random.chance(0.5) ? [JSON.parse(random.pick(audit_log.records)).record_hash] : undefined,
    }
    await agree(putTogether(clean), options, `clean ${n}`)
  }
  for (const { lines } of chains) assert.equal((await agree(lines, {}, 'whole')).ok, true)
  assert.equal((await agree(rotated, {}, 'rotated')).ok, true)
})

for (const [name, mutate] of Object.entries({ ...record_mutations, ...signed_mutations })) {
  test(`tampered audit logs: ${name.replaceAll('_', ' ')}`, async () => {
    for (let n = 0; n < per_class; n++) {
      const random = seeded(`${seed}/${name}/${n}`)
      const { audit_log, options = {}, what } = drawForgery(mutate, random)
      await agree(putTogether(audit_log), options, `${name} ${n}: ${what}`)
    }
  })
}

const draws_max = 100

function drawForgery(mutate: Mutation, random: Random) {
  for (let draw = 0; draw < draws_max; draw++) {
    const at = random.below(audit_logs.length)
    const other = audit_logs[(at + 1 + random.below(audit_logs.length - 1)) % audit_logs.length]!
    const forgery = mutate({ audit_log: audit_logs[at]!, other }, random)
    if (forgery) return forgery
  }
  throw new Error('the class fits no audit log')
}

test('a rewrite with the stolen key is detected only by a holder of a checkpoint or a head', async () => {
  for (let n = 0; n < per_class / 4; n++) {
    const random = seeded(`${seed}/stolen/${n}`)
    const at = random.below(audit_logs.length)
    const audit_log = audit_logs[at]!
    const { forgery } = rewriteWithStolenKey(audit_log, chains[at]!.stolen, random)
    const lines = putTogether(forgery.audit_log)
    assert.equal((await agree(lines, {}, forgery.what)).ok, true)
    const trust = { checkpoints: [audit_log.notes.at(-1)!], heads: [] }
    assert.match((await agree(lines, trust, forgery.what)).reason ?? '', /the chain was rewritten/)
    const head = JSON.parse(audit_log.records.at(-1)!).record_hash
    assert.match((await agree(lines, { heads: [head] }, forgery.what)).reason ?? '', /given to a client/)
    await agree(lines, { checkpoints: audit_log.notes }, forgery.what)
  }
})

/** One byte or line of a whole export changes, also of its header and its key rotations. */
const mutation = fc.record({
  chain: fc.nat(),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  to: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  flip: fc.integer({ min: 1, max: 255 }),
  how: fc.constantFrom('flip', 'flip', 'flip', 'insert', 'delete', 'drop', 'copy', 'swap'),
})

type Change = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never

function mutated(lines: readonly string[], { at, to, flip, how }: Change): string[] {
  const line = Math.floor(at * lines.length)
  const other = Math.floor(to * lines.length)
  if (how === 'drop') return lines.toSpliced(line, 1)
  if (how === 'copy') return lines.toSpliced(other, 0, lines[line]!)
  if (how === 'swap') return lines.with(line, lines[other]!).with(other, lines[line]!)
  const bytes = Buffer.from(lines[line]!)
  const place = Math.floor(to * bytes.length)
  const parts = [bytes.subarray(0, place), Buffer.of(flip & 0x7f), bytes.subarray(place + 1)]
  if (how === 'insert') parts[2] = bytes.subarray(place)
  if (how === 'delete') parts[1] = Buffer.of()
  if (how === 'flip') parts[1] = Buffer.of(bytes[place]! ^ flip)
  return lines.with(line, Buffer.concat(parts).toString())
}

test('any changed byte or line of an export', async () => {
  const property = fc.asyncProperty(mutation, async (change) => {
    const all = [...chains.slice(0, 6).map(({ lines }) => lines), rotated, rotated, rotated]
    const lines = all[change.chain % all.length]!
    await agree(mutated(lines, change), { checkpoints: [storedOf(lines)] }, JSON.stringify(change))
  })
  await fc.assert(property, { numRuns: 250 * scale, seed: Number(seed) })
})

function storedOf(lines: readonly string[]): string {
  return JSON.parse(lines.at(-1)!).checkpoint
}

test('a kept note that is broken in any way', async () => {
  const { lines } = chains[3]!
  const note = storedOf(lines)
  for (let n = 0; n < per_class; n++) {
    const random = seeded(`${seed}/held/${n}`)
    const bytes = Buffer.from(note)
    bytes[random.below(bytes.length)]! ^= 1 + random.below(255)
    await agree(lines, { checkpoints: [bytes.toString()] }, `note ${n}`)
  }
  for (const other of ['', '\n', note.trimEnd(), `${note}\n`, note.repeat(2), audit_logs[2]!.notes[0]!])
    await agree(lines, { checkpoints: [other] }, JSON.stringify(other))
})

test('a part of a chain proves its links, and says that no root was checked', async () => {
  const { header, records, notes } = takeApart(rotated)
  for (let from_seq = 2; from_seq <= records.length; from_seq++) {
    const previous_hash = JSON.parse(records[from_seq - 2]!).record_hash
    const part_notes = notes.filter((note) => Number(note.split('\n')[1]) >= from_seq)
    const part = { ...header, from_seq, previous_hash }
    const audit_log = { header: part, records: records.slice(from_seq - 1), notes: part_notes }
    const verdict = await agree(putTogether(audit_log), { checkpoints: notes }, `from ${from_seq}`)
    assert.deepEqual([verdict.ok, verdict.roots_checked], [true, false])
  }
})

test('receipts, clean and changed', async () => {
  const all = chains.flatMap(({ receipts }) => receipts)
  const keys = audit_logs.flatMap(({ header }) => header.keys.map((key) => key.public_key))
  for (const receipt of all) assert.deepEqual(await verifyReceipt(receipt, keys), { ok: true })
  for (let n = 0; n < per_class * 12; n++) {
    const random = seeded(`${seed}/receipt/${n}`)
    const changed = mutateReceipt(random.pick(all), random.pick(all), random) as Receipt
    const trusted = random.chance(0.9) ? keys : random.pick([[], [...keys].reverse(), ['x'], keys.slice(1)])
    const what = `receipt ${n}: ${JSON.stringify(changed)}; ${replay}`
    assert.deepEqual(
      await judgeReceipt(changed, trusted, in_browser),
      await verifyReceipt(changed, trusted),
      what,
    )
  }
})
