// Every forgery of an exported audit log is detected, and nothing else is. `SVC_TEST_SEED` replays a run.
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import type { Receipt } from '@svc/contract/needs/audit-log'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type ExportOptions, type ExportVerdict, verifyExport } from '@svc/sdk/verify/export'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import { type ExportedAuditLog, putTogether, sizeOf, takeApart } from './exported-audit-log.ts'
import { type Forgery, type Mutation, record_mutations } from './mutations.ts'
import { chooseSeed, type Random, seeded } from './random.ts'
import { type RealChain, writeChains } from './real-chains.ts'
import { mutateReceipt } from './receipt-mutations.ts'
import { heldAround, olderState, rewriteWithStolenKey, signed_mutations } from './signed-mutations.ts'

const is_long = process.env.SVC_TEST_ASSURANCE !== undefined
const mutations_per_class = is_long ? 10_000 : 100
const clean_exports = is_long ? 2_000 : 40
/** Small audit logs hide a forgery least and verify fastest: they are mutated most. */
const small_sizes = [1, 2, 3, 5, 8, 13, 21, 34]
const large_sizes = [64, 100, 257, 400, 600]
const large_share = 0.02

const seed = chooseSeed()
const replay = `SVC_TEST_SEED=${seed} node --test checks/tamper/tamper.test.ts`

let chains: readonly RealChain[]
let audit_logs: readonly ExportedAuditLog[]

before(async () => {
  chains = await writeChains([...small_sizes, ...large_sizes], seeded(`${seed}/chains`))
  audit_logs = chains.map(({ lines }) => takeApart(lines))
  for (const [i, audit_log] of audit_logs.entries()) {
    assert.equal(audit_log.records.length, [...small_sizes, ...large_sizes][i])
    assert.ok(
      audit_log.notes.length >= Math.min(3, audit_log.records.length),
      'several checkpoints stand in each chain',
    )
  }
})

function anyChain(random: Random): number {
  const is_large = random.chance(large_share)
  return is_large ? small_sizes.length + random.below(large_sizes.length) : random.below(small_sizes.length)
}

function otherThan(chain: number, random: Random): ExportedAuditLog {
  return audit_logs[(chain + 1 + random.below(audit_logs.length - 1)) % audit_logs.length]!
}

/** A whole audit log was requested, so one without its beginning and with unchecked roots does not count. */
function isAccepted(verdict: ExportVerdict): boolean {
  return verdict.ok && verdict.roots_checked
}

function report(t: TestContext, text: string): void {
  t.diagnostic(`${text}; seed ${seed}; replay: ${replay}`)
}

test('a clean export of any size is never called a forgery', async (t) => {
  const random = seeded(`${seed}/clean`)
  let records = 0
  for (let n = 0; n < clean_exports; n++) {
    const audit_log = audit_logs[random.below(audit_logs.length)]!
    const cut = olderState(audit_log, random)
    const clean = cut && random.chance(0.7) ? cut.forgery.audit_log : audit_log
    const options: ExportOptions = {
      trustedKeys: random.chance(0.5) ? audit_log.header.keys.map((key) => key.public_key) : undefined,
      checkpoints: clean.notes.filter(() => random.chance(0.5)),
      heads: random.chance(0.5) ? [JSON.parse(random.pick(clean.records)).record_hash] : undefined,
    }
    const verdict = await verifyExport(putTogether(clean), options)
    assert.ok(isAccepted(verdict), `${verdict.reason} (export ${n})`)
    assert.equal(verdict.records, clean.records.length)
    records += verdict.records
  }
  report(t, `clean exports: 0 of ${clean_exports} called a forgery, ${records} records`)
})

for (const [name, mutate] of Object.entries({ ...record_mutations, ...signed_mutations })) {
  test(`${name.replaceAll('_', ' ')}: detected every time`, (t) => runClass(t, name, mutate))
}

async function runClass(t: TestContext, name: string, mutate: Mutation): Promise<void> {
  let named = 0
  for (let n = 0; n < mutations_per_class; n++) {
    const random = seeded(`${seed}/${name}/${n}`)
    const { forgery, chain } = drawForgery(mutate, random)
    const verdict = await verifyExport(putTogether(forgery.audit_log), forgery.options)
    const is_named = forgery.first_bad_seq === undefined || verdict.first_bad_seq === forgery.first_bad_seq
    if (isAccepted(verdict) || !is_named) {
      assert.fail(`${name} ${n}: ${forgery.what}; ${keepCase(chain, forgery, verdict)}; replay: ${replay}`)
    }
    if (forgery.first_bad_seq !== undefined) named++
  }
  report(t, `${name}: ${mutations_per_class} of ${mutations_per_class} found, ${named} with the record named`)
}

/** Keys and ids are new in every run, so an undetected case is saved byte for byte. */
function keepCase(chain: number, forgery: Forgery, verdict: ExportVerdict): string {
  const file = join(mkdtempSync(join(tmpdir(), 'svc-forgery-')), 'case.json')
  const lines = putTogether(forgery.audit_log)
  writeFileSync(
    file,
    JSON.stringify({ clean: chains[chain]!.lines, ...forgery, audit_log: lines, verdict }, null, 1),
  )
  return `wanted record ${forgery.first_bad_seq ?? '(any)'}, got ${JSON.stringify(verdict)}; kept in ${file}`
}

const draws_max = 100

function drawForgery(mutate: Mutation, random: Random): { forgery: Forgery; chain: number } {
  for (let draw = 0; draw < draws_max; draw++) {
    const chain = anyChain(random)
    const audit_log = audit_logs[chain]!
    const forgery = mutate({ audit_log, other: otherThan(chain, random) }, random)
    if (forgery && !isSame(forgery.audit_log, audit_log)) return { forgery, chain }
  }
  throw new Error('the class fits no audit log')
}

function isSame(forged: ExportedAuditLog, audit_log: ExportedAuditLog): boolean {
  return putTogether(forged).join('\n') === putTogether(audit_log).join('\n')
}

test('a rewrite with the stolen key passes alone, and fails against any kept checkpoint that covers it', async (t) => {
  let unseen = 0
  for (let n = 0; n < mutations_per_class; n++) {
    const random = seeded(`${seed}/stolen key/${n}`)
    const chain = anyChain(random)
    const audit_log = audit_logs[chain]!
    const { forgery, seq } = rewriteWithStolenKey(audit_log, chains[chain]!.stolen, random)
    const lines = putTogether(forgery.audit_log)
    const { covering, earlier } = heldAround(audit_log.notes, seq)
    const export_verdict = await verifyExport(lines, { checkpoints: [random.pick(covering)] })
    assert.match(export_verdict.reason ?? '', /the chain was rewritten/, forgery.what)
    const head = JSON.parse(random.pick(audit_log.records.slice(seq - 1))).record_hash
    assert.match((await verifyExport(lines, { heads: [head] })).reason ?? '', /was given to a client/)
    const alone = await verifyExport(lines, { checkpoints: earlier })
    assert.ok(isAccepted(alone), `${forgery.what}: ${alone.reason}`)
    unseen++
  }
  report(
    t,
    `stolen key: ${mutations_per_class} found by a held checkpoint and by a head, ${unseen} unseen without`,
  )
})

test('an older state passes alone, and fails against a newer kept checkpoint or head', async (t) => {
  let detected = 0
  for (let n = 0; detected < mutations_per_class; n++) {
    const random = seeded(`${seed}/older state/${n}`)
    const audit_log = audit_logs[anyChain(random)]!
    const older = olderState(audit_log, random)
    if (!older) continue
    const lines = putTogether(older.forgery.audit_log)
    const { covering, earlier } = heldAround(audit_log.notes, older.seq)
    const export_verdict = await verifyExport(lines, { checkpoints: [random.pick(covering)] })
    assert.match(export_verdict.reason ?? '', /the tail is missing/)
    assert.equal(export_verdict.first_bad_seq, older.seq)
    const head = JSON.parse(random.pick(audit_log.records.slice(older.seq - 1))).record_hash
    assert.equal((await verifyExport(lines, { heads: [head] })).ok, false)
    const alone = await verifyExport(lines, { checkpoints: earlier })
    assert.ok(isAccepted(alone), `${alone.reason}`)
    assert.equal(alone.records, sizeOf(older.forgery.audit_log.notes.at(-1)!))
    detected++
  }
  report(t, `older state: ${detected} of ${detected} found by what is held elsewhere, and none without`)
})

test("another tenant's whole audit log is not this tenant's", async () => {
  for (const [i, { lines }] of chains.entries()) {
    const other = audit_logs[(i + 1) % audit_logs.length]!
    const verdict = await verifyExport(lines, { checkpoints: [other.notes.at(-1)!] })
    assert.match(verdict.reason ?? '', /another log/)
    const trustedKeys = other.header.keys.map((key) => key.public_key)
    assert.match((await verifyExport(lines, { trustedKeys })).reason ?? '', /not among the keys you trust/)
  }
})

test('a changed receipt never verifies', async (t) => {
  const all = chains.flatMap(({ receipts }) => receipts)
  const keys = audit_logs.flatMap(({ header }) => header.keys.map((key) => key.public_key))
  for (const receipt of all) {
    assert.deepEqual(await verifyReceipt(receipt, keys), { ok: true })
    assert.equal((await verifyReceipt(receipt, keysOfOthers(receipt))).ok, false)
  }
  let changed = 0
  for (let n = 0; changed < mutations_per_class; n++) {
    const random = seeded(`${seed}/receipt/${n}`)
    const receipt = random.pick(all)
    const mutated = mutateReceipt(receipt, random.pick(all), random) as Receipt
    if (canonicalJson(mutated) === canonicalJson(receipt) || isGenuine(mutated, all)) continue
    assert.equal(
      (await verifyReceipt(mutated, keys)).ok,
      false,
      `receipt ${n}: ${JSON.stringify(mutated)}; replay: ${replay}`,
    )
    changed++
  }
  report(t, `receipts: 0 of ${changed} changed ones verified, ${all.length} of ${all.length} clean ones did`)
})

function keysOfOthers({ record }: Receipt): string[] {
  return audit_logs
    .filter(({ header }) => header.tenant_id !== record.tenant_id)
    .flatMap(({ header }) => header.keys.map((key) => key.public_key))
}

/** Parts of two receipts over the same tree can combine into a valid one. */
function isGenuine(mutated: Receipt, all: readonly Receipt[]): boolean {
  const text = canonicalJson(mutated)
  return all.some((receipt) => canonicalJson(receipt) === text)
}
