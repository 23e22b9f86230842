// Forgeries by the thief of a tenant's audit key are always detected with a witness's notes; honest audit
// logs never are.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { type ExportOptions, type ExportVerdict, verifyExport } from '@svc/sdk/verify/export'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'
import { storeAt } from '../rehearsal/test-store.ts'
import { type ExportedAuditLog, putTogether, sizeOf, takeApart } from './exported-audit-log.ts'
import { chooseSeed, type Random, seeded } from './random.ts'
import { type RealChain, writeChains } from './real-chains.ts'
import { type Deceit, deceits, everyApproach, newWitness, showHonest, submissionOf } from './witness-scene.ts'

const is_long = process.env.SVC_TEST_ASSURANCE !== undefined
const per_class = is_long ? 1_000 : 12
/** Forger's attempts per case. */
const approaches_max = is_long ? 16 : 4
const sizes = is_long ? [3, 5, 8, 13, 21, 34, 55, 90] : [3, 8, 13]
const seed = chooseSeed()
const replay = `SVC_TEST_SEED=${seed} node --test checks/tamper/witness.test.ts`

let database: TestDatabase
let store: PostgresStore
let chains: readonly RealChain[]
let audit_logs: readonly ExportedAuditLog[]

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  chains = await writeChains(sizes, seeded(`${seed}/chains`))
  audit_logs = chains.map(({ lines }) => takeApart(lines))
})
after(async () => {
  await store?.close()
  await database?.close()
})

async function verify(audit_log: ExportedAuditLog, options: ExportOptions): Promise<ExportVerdict> {
  return await verifyExport(putTogether(audit_log), options)
}

function withLines(audit_log: ExportedAuditLog, lines: ReadonlyMap<number, string>): ExportedAuditLog {
  return { ...audit_log, notes: audit_log.notes.map((note) => note + (lines.get(sizeOf(note)) ?? '')) }
}

/** An audit log of several notes, of which a witness has cosigned at least two and all up to some size. */
async function drawScene(random: Random) {
  const at = random.below(audit_logs.length)
  const audit_log = audit_logs[at]!
  const witness = await newWitness(store.engine, audit_log)
  const shown = 2 + random.below(audit_log.notes.length - 1)
  return { audit_log, stolen: chains[at]!.stolen, witness, ...(await showHonest(witness, audit_log, shown)) }
}

test("an honest audit log is cosigned as it grows, and verifies with its witness's notes", async (t) => {
  for (let n = 0; n < per_class; n++) {
    const { audit_log, witness, held_size, lines } = await drawScene(seeded(`${seed}/clean/${n}`))
    const held_note = await witness.held(audit_log.header.origin)
    const options = { checkpoints: [held_note], witnessKeys: [witness.verifier_key], witnessesNeeded: 1 }
    for (const shown of [withLines(audit_log, lines), audit_log]) {
      const verdict = await verify(shown, options)
      assert.equal(verdict.ok, true, `${verdict.reason}; ${replay}`)
      assert.equal(verdict.witnessed?.size, held_size)
    }
    const rest = audit_log.notes.filter((note) => sizeOf(note) > held_size)
    if (rest.length > 0)
      assert.equal((await witness.hear(submissionOf(audit_log, held_size, rest.at(-1)!))).kind, 'cosigned')
  }
  t.diagnostic(`honest audit logs: 0 of ${per_class} called a forgery; seed ${seed}`)
})

for (const [name, deceive] of Object.entries(deceits)) {
  test(`${name} with the stolen key: never cosigned, and always detected`, (t) => runClass(t, name, deceive))
}

async function runClass(t: TestContext, name: string, deceive: Deceit): Promise<void> {
  let approaches = 0
  for (let n = 0; n < per_class; n++) {
    const random = seeded(`${seed}/${name}/${n}`)
    const { audit_log, stolen, witness, held_size, lines } = await drawScene(random)
    const forged = deceive(audit_log, held_size, stolen, random)
    const what = `${name} ${n}; ${replay}`
    assert.equal((await verify(forged, {})).ok, true, `sound in itself: ${what}`)
    const all = everyApproach(forged, audit_log, held_size)
    const tried =
      all.length > approaches_max ? Array.from({ length: approaches_max }, () => random.pick(all)) : all
    for (const body of tried) {
      const reply = await witness.hear(body)
      assert.notEqual(reply.kind, 'cosigned', what)
      approaches++
    }
    const note = await witness.held(audit_log.header.origin)
    const keys = { witnessKeys: [witness.verifier_key] }
    assert.equal((await verify(forged, { checkpoints: [note] })).ok, false, what)
    // Whatever cosignatures are added to the forged notes, no differing record is reported as witnessed.
    const dressed = await verify(withLines(forged, lines), keys)
    const common = forged.records.findIndex((line, i) => line !== audit_log.records[i])
    const shared = common < 0 ? forged.records.length : common
    assert.ok((dressed.witnessed?.size ?? 0) <= shared, what)
    if (dressed.ok) assert.ok((dressed.witnessed?.size ?? 0) < held_size, what)
    assert.equal((await verify(forged, { ...keys, witnessesNeeded: 1 })).ok, false, what)
  }
  t.diagnostic(
    `${name}: ${per_class} of ${per_class} found, ${approaches} approaches refused; seed ${seed}; replay: ${replay}`,
  )
}
