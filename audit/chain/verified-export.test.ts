import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type ExportOptions, verifyExport } from '@svc/sdk/verify/export'
import type { Signer } from '@svc/sdk/verify/trust'
import fc from 'fast-check'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { queryOf } from '../query/query.ts'
import { asOwner, entryOf, exportLines, newFolder, openTestAuditLog, rotateTestKey, test_root_keys } from '../test-audit-log.ts' // biome-ignore format: one import
import { signCheckpoint } from '../tree/checkpoint.ts'
import { appendLeaf, type Frontier, leafHash, rootOf } from '../tree/merkle.ts'
import { currentKeys } from './keys.ts'

const entry_count = 40
/** One of them records the key change. */
const record_count = entry_count + 1
let database: TestDatabase
/** The records of `acme` under two keys, with a checkpoint every few records. */
let lines: readonly string[]
let other_tenant: readonly string[]
let notes: readonly string[]
let rotated_at: number

before(async () => {
  database = await testDatabase()
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  for (let n = 0; n < entry_count; n++) {
    for (const tenant of ['acme', 'rival']) {
      audit_log.record(entryOf(tenant, { latency_ms: n + 0.5, meta: { n, half: 0.5, text: 'é\n"quoted"' } }))
    }
    if (n % 7 === 6) await audit_log.flush()
    if (n === 20) rotated_at = (await rotateTestKey(database.url, 'acme')).seq
  }
  await audit_log.close()
  lines = await exportLines(database.url, 'acme')
  other_tenant = await exportLines(database.url, 'rival')
  notes = lines.map((line) => JSON.parse(line).checkpoint).filter((note) => note !== undefined)
})
after(() => database.close())

async function reasonFor(changed: readonly string[], options?: ExportOptions): Promise<string> {
  const verdict = await verifyExport(changed, options)
  assert.equal(verdict.ok, false)
  assert.equal(verdict.head, undefined)
  assert.ok(verdict.reason && !verdict.reason.includes('\n'))
  return `${verdict.first_bad_seq ?? ''} ${verdict.reason}`
}

function changed(at: number, change: (line: string) => string): string[] {
  return lines.map((line, i) => (i === at ? change(line) : line))
}

test('an untouched export is valid, whole or in part, with pinned keys and checkpoints held elsewhere', async () => {
  const header = JSON.parse(lines[0]!)
  const trustedKeys = header.keys.map((key: { public_key: string }) => key.public_key)
  assert.equal(trustedKeys.length, 2)
  const head = JSON.parse(lines[record_count]!).record_hash
  const verdict = await verifyExport(lines, { trustedKeys, checkpoints: notes, heads: [head] })
  const expected = { records: record_count, checkpoints: notes.length, roots_checked: true, head }
  const signed_by = header.keys.map(({ key_id, public_key }: Signer) => ({ key_id, public_key }))
  const trusted = { verified: true, vouched_by: ['key', 'checkpoint'], signed_by }
  assert.deepEqual(verdict, { ok: true, tenant_id: 'acme', ...expected, ...trusted })
  const part = await exportLines(database.url, 'acme', { from_seq: 9, to_seq: 20 })
  const end = JSON.parse(part[0]!).to_seq
  assert.ok(end >= 20 && end <= record_count)
  const partial = await verifyExport(part, { trustedKeys })
  assert.equal(partial.ok, true)
  assert.equal(partial.records, end - 8)
  assert.deepEqual([partial.roots_checked, partial.verified], [false, false])
  await assert.rejects(exportLines(database.url, 'nobody'), /nothing to export/)
  await assert.rejects(exportLines(database.url, 'acme', { from_seq: 99 }), /nothing from 99/)
})

test('an edited record is named, even when its own hash was adjusted', async () => {
  const edit = (line: string) => line.replace('"latency_ms":4.5', '"latency_ms":0.5')
  assert.match(await reasonFor(changed(5, edit)), /^5 its hash/)
  const refit = (line: string) => {
    const { record } = JSON.parse(edit(line))
    const previous = JSON.parse(lines[4]!).record_hash
    return canonicalJson({ record, record_hash: sha256Hex(previous + canonicalJson(record)) })
  }
  assert.match(await reasonFor(changed(5, refit)), /^6 its hash/)
})

test('a rewritten tail with matching links fails at the signed root', async () => {
  const forged = [...lines]
  let previous = JSON.parse(lines[10]!).record_hash
  for (let seq = 11; seq <= record_count; seq++) {
    const { record } = JSON.parse(lines[seq]!)
    if (seq === 11) record.outcome = 'refused'
    previous = sha256Hex(previous + canonicalJson(record))
    forged[seq] = canonicalJson({ record, record_hash: previous })
  }
  assert.match(await reasonFor(forged), /signs another root/)
})

test('missing, repeated, swapped, inserted and foreign records are named', async () => {
  assert.match(await reasonFor(lines.toSpliced(8, 1)), /^8 record 8 is missing/)
  assert.match(await reasonFor(lines.toSpliced(8, 0, lines[8]!)), /^9 record 9 is missing/)
  assert.match(await reasonFor(lines.with(8, lines[9]!).with(9, lines[8]!)), /^8 record 8 is missing/)
  assert.match(await reasonFor(lines.with(8, other_tenant[8]!)), /^8 the record belongs to another tenant/)
  assert.match(await reasonFor([lines[0]!, ...other_tenant.slice(1)]), /^1 the record belongs/)
  assert.match(await reasonFor(lines.slice(0, 30)), /^30 the export promises records up to 41/)
})

test('an equivalent copy is still not the record', async () => {
  const twins = [
    (line: string) => line.replace('"half":0.5', '"half":5e-1'),
    (line: string) => line.replace('"half":0.5', '"half":0.50'),
    (line: string) => line.replace('{"record":', '{ "record":'),
    (line: string) => line.replace('é', '\\u00e9'),
    (line: string) => line.replace(/"half":0.5,"n":(\d+)/, '"n":$1,"half":0.5'),
    (line: string) => line.replace('"half":0.5', '"half":0.25,"half":0.5'),
  ]
  for (const twin of twins) {
    assert.notEqual(twin(lines[7]!), lines[7])
    assert.match(await reasonFor(changed(7, twin)), /^7 the record is not in canonical form/)
  }
})

test('a cut tail and a rewrite with the stolen key show only against copies held by others', async () => {
  const cut_at = JSON.parse(lines[0]!).keys[1].from_seq + 2
  const shorter = await exportLines(database.url, 'acme', { to_seq: cut_at })
  assert.ok((await verifyExport(shorter)).ok, 'alone it is a valid, older state')
  const reason = await reasonFor(shorter, { checkpoints: [notes.at(-1)!] })
  assert.match(reason, /the tail is missing: a checkpoint of size 41/)
  const newest = JSON.parse(lines[record_count]!).record_hash
  assert.match(await reasonFor(shorter, { heads: [newest] }), /was given to a client/)

  const forged = await rewriteWithStolenKey(rotated_at + 2)
  assert.ok((await verifyExport(forged)).ok, 'alone it cannot be told from the truth')
  const after_change = notes.filter((note) => Number(note.split('\n')[1]) > rotated_at + 2)
  assert.match(await reasonFor(forged, { checkpoints: [after_change.at(-1)!] }), /the chain was rewritten/)
  assert.match(await reasonFor(forged, { checkpoints: [after_change[0]!] }), /the chain was rewritten/)
  assert.match(await reasonFor(forged, { heads: [newest] }), /was given to a client/)
  assert.match(await reasonFor(lines, { checkpoints: ['no note'] }), /no signed note/)
  const foreign = JSON.parse(other_tenant.at(-1)!).checkpoint
  assert.match(await reasonFor(lines, { checkpoints: [foreign] }), /another log/)
})

/** The chain rewritten from a record on, its end signed with the tenant's current key. Earlier notes are kept. */
async function rewriteWithStolenKey(from_seq: number): Promise<string[]> {
  const keys = await asOwner(database.url, (client) => currentKeys(queryOf(client), test_root_keys, ['acme']))
  const forged = [lines[0]!]
  const frontier: Frontier = []
  let previous = genesis_hash
  for (let seq = 1; seq <= record_count; seq++) {
    const { record } = JSON.parse(lines[seq]!)
    if (seq === from_seq) record.outcome = 'refused'
    previous = sha256Hex(previous + canonicalJson(record))
    forged[seq] = canonicalJson({ record, record_hash: previous })
    appendLeaf(frontier, seq - 1, leafHash(Buffer.from(previous, 'hex')), () => {})
  }
  const earlier = notes.filter((note) => Number(note.split('\n')[1]) < from_seq)
  const last = signCheckpoint('acme', record_count, rootOf(frontier), keys.get('acme')!)
  return [...forged, ...[...earlier, last].map((checkpoint) => JSON.stringify({ checkpoint }))]
}

test('a thief of the new key cannot rewrite what the old key has signed', async () => {
  assert.match(await reasonFor(await rewriteWithStolenKey(3)), /no checkpoint of the old key covers/)
  const all_new = await rewriteWithStolenKey(rotated_at)
  assert.match(await reasonFor(all_new), /no checkpoint of the old key covers/)
})

test('checkpoints are bound to their key, its time, their size and their order', async () => {
  const first = record_count + 1
  const noteOf = (line: string) => JSON.parse(line).checkpoint as string
  const withNote = (at: number, change: (note: string) => string) =>
    changed(at, (line) => JSON.stringify({ checkpoint: change(noteOf(line)) }))
  assert.match(
    await reasonFor(withNote(first, (note) => note.replace('\n7\n', '\n8\n'))),
    /not signed by the key/,
  )
  assert.match(await reasonFor(withNote(first, (note) => note.slice(0, -1))), /no signed note/)
  assert.match(
    await reasonFor(withNote(first, (note) => note.replace('svc/acme\n', 'svc/rival\n'))),
    /another log/,
  )
  assert.match(
    await reasonFor(lines.with(first, lines[first + 1]!).with(first + 1, lines[first]!)),
    /does not fit/,
  )
  assert.match(await reasonFor(lines.slice(0, -1)), /no checkpoint covers/)
  assert.match(await reasonFor(lines.slice(0, first)), /^1 no checkpoint covers/)
  assert.match(await reasonFor([...lines, lines[record_count]!]), /after the checkpoints/)
  const header = JSON.parse(lines[0]!)
  const swap = (keys: object[]) => changed(0, () => JSON.stringify({ ...header, keys }))
  const [old_key, new_key] = header.keys
  const swapped = [
    { ...new_key, from_seq: old_key.from_seq, until_seq: old_key.until_seq },
    { ...old_key, from_seq: new_key.from_seq, until_seq: null },
  ]
  assert.match(await reasonFor(swap(swapped)), /^22 the change of keys is not signed/)
  assert.match(await reasonFor(swap([old_key])), /^22 the record tells of a change of keys that the header/)
  const later = { ...new_key, from_seq: new_key.from_seq + 1 }
  const longer = [{ ...old_key, until_seq: old_key.until_seq + 1 }, later]
  assert.match(await reasonFor(swap(longer)), /^22 the record tells of a change of keys that the header/)
  assert.match(await reasonFor(swap([new_key])), /does not take over/)
  assert.match(await reasonFor(swap([{ ...old_key, key_id: new_key.key_id }, new_key])), /another id/)
})

test('one changed byte in a record, the header or the last checkpoint is detected', async () => {
  const signed_lines = [...lines.keys()]
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...signed_lines),
      fc.nat(),
      fc.integer({ min: 1, max: 127 }),
      async (at, where, by) => {
        const bytes = Buffer.from(lines[at]!)
        bytes[where % bytes.length]! ^= by
        const text = bytes.toString('utf8')
        if (text === lines[at] || sameMeaning(text, lines[at]!)) return
        assert.equal((await verifyExport(lines.with(at, text))).ok, false, text)
      },
    ),
    { numRuns: 150 },
  )
})

/** A header or note line may be spelled differently in JSON; only its content is signed. */
function sameMeaning(text: string, line: string): boolean {
  if (line.startsWith('{"record"')) return false
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(JSON.parse(line))
  } catch {
    return false
  }
}

test('malformed input is a verdict, never a crash', async () => {
  const junk = [
    '',
    '{',
    'null',
    '[]',
    '{}',
    '"x"',
    `{"record":${'['.repeat(5000)}`,
    '{"checkpoint":1}',
    '{"record":{}}',
  ]
  assert.equal((await verifyExport([])).ok, false)
  for (const line of junk) {
    assert.equal((await verifyExport([line])).ok, false, line.slice(0, 20))
    assert.equal((await verifyExport([lines[0]!, line])).ok, false)
    assert.equal((await verifyExport([...lines, line])).ok, false)
  }
  const broken = (async function* () {
    yield lines[0]!
    throw new Error('the disk is gone')
  })()
  assert.match((await verifyExport(broken)).reason ?? '', /the disk is gone/)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(fc.json(), fc.string())), async (noise) => {
      assert.equal((await verifyExport(noise)).ok, false)
    }),
  )
})
