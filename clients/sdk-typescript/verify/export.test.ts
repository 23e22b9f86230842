// The verdict on whole exports, word for word: each thing that may be wrong with one, alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ExportOptions, judgeExport, verifyExport } from './export.ts'
import { platformPrimitives } from './primitives.ts'
import { changeOf, cosigned, newKey, noteOf, rootOver, type TestRecord, testExport } from './test-export.ts'

const key = newKey()
const three: readonly TestRecord[] = [{}, {}, {}]
const plain = testExport({ records: three, keys: [[key, null]], notes: [2, 3] })

async function faultOf(lines: unknown, options?: ExportOptions | null) {
  const { ok, verified, reason, first_bad_seq } = await verifyExport(lines as string[], options as undefined)
  if (ok) return undefined
  assert.equal(verified, false)
  return first_bad_seq === undefined ? [reason] : [reason, first_bad_seq]
}
const withHeader = (more: object) => [
  JSON.stringify({ ...plain.first_line, ...more }),
  ...plain.lines.slice(1),
]

test('a valid export is consistent, and verified by what is trusted', async () => {
  const signer = { key_id: key.key_id, public_key: key.public_key }
  const verdict = {
    verified: false,
    ok: true,
    tenant_id: 'acme',
    records: 3,
    checkpoints: 2,
    roots_checked: true,
    signed_by: [signer],
    vouched_by: [],
    head: plain.hashes[2],
  }
  assert.deepEqual(await verifyExport(plain.lines), verdict)
  assert.deepEqual(await verifyExport(plain.lines, null as never), verdict)
  const trusted = { trustedKeys: [key.public_key], checkpoints: [plain.noteAt(1)], heads: plain.hashes }
  assert.deepEqual(await verifyExport(plain.lines, trusted), {
    ...verdict,
    verified: true,
    vouched_by: ['key', 'checkpoint'],
  })
})

test('lines are text, JSON and objects of limited length', async () => {
  const [header, ...rest] = plain.lines
  assert.deepEqual(await faultOf([7]), ['a line is not text'])
  assert.deepEqual(await faultOf([header, 7]), ['a line is not text', 1])
  const long = (length: number) => `"${'x'.repeat(length - 2)}"`
  const max = 4_194_304
  assert.deepEqual(await faultOf([long(max)]), ['a line is not a JSON object'])
  assert.deepEqual(await faultOf([long(max + 1)]), [`a line is longer than ${max} characters`])
  assert.deepEqual(await faultOf([header, ...rest, '{']), ['a line is not JSON', 4])
})

test('records and checkpoints stand in their order, each once, with nothing beside them', async () => {
  const [header, first, second, third, note_2, note_3] = plain.lines
  const none = ['a line is no record', 1]
  assert.deepEqual(await faultOf([header, '{"record":{}}']), none)
  assert.deepEqual(await faultOf([header, '{"record":[],"record_hash":"x"}']), none)
  assert.deepEqual(await faultOf([header, '{"record_hash":"x"}']), none)
  assert.deepEqual(await faultOf([header, '{"record":{},"record_hash":1}']), none)
  const after = ['a record stands after the checkpoints', 3]
  assert.deepEqual(await faultOf([header, first, second, note_2, third]), after)
  const misfit = (size: number) => `the checkpoint of size ${size} does not fit the records of this export`
  assert.deepEqual(await faultOf([header, first, second, third, note_2, note_2, note_3]), [misfit(2)])
  const part = testExport({ records: three, keys: [[key, null]], notes: [1, 3], from_seq: 2 })
  assert.deepEqual(await faultOf(part.lines), [misfit(1)])
  // No checkpoint covers a record past the end.
  const more = testExport({ records: [...three, {}], keys: [[key, null]], notes: [2, 3] })
  const longer = [header, ...more.record_lines, ...plain.lines.slice(4)]
  assert.deepEqual(await faultOf(longer), ['a record stands past the end that the header names', 4])
})

test('names in a reason are cut short', async () => {
  const head = 'f'.repeat(100)
  assert.deepEqual(await faultOf(plain.lines, { heads: [head] }), [
    `the head ${'f'.repeat(64)} was given to a client and is not in this chain`,
  ])
  const long_name = 'n'.repeat(100)
  const foreign = noteOf(3, rootOver(plain.hashes), key, long_name)
  const named = `of another log, ${'n'.repeat(80)}`
  const [reason] = (await faultOf([...plain.lines.slice(0, 4), JSON.stringify({ checkpoint: foreign })]))!
  assert.equal(reason, `a checkpoint is ${named}`)
  assert.deepEqual(await faultOf(plain.lines, { checkpoints: [foreign] }), [`a held checkpoint is ${named}`])
  const long_id = { ...plain.first_line.keys[0], key_id: 'k'.repeat(40) }
  assert.deepEqual(await faultOf(withHeader({ keys: [long_id] })), [
    `the key ${'k'.repeat(16)} has another id than its bytes give`,
  ])
})

test('a header has one form', async () => {
  const none = ['the header names no tenant']
  assert.deepEqual(await faultOf(withHeader({ tenant_id: 'acme!', origin: 'svc/acme!' })), none)
  assert.deepEqual(await faultOf(withHeader({ tenant_id: 7, origin: 'svc/7' })), none)
  for (const more of [
    { from_seq: 0 },
    { from_seq: '1' },
    { from_seq: 1.5 },
    { from_seq: 4 },
    { to_seq: '3' },
  ])
    assert.deepEqual(await faultOf(withHeader(more)), ['the header names no span of records'])
  const zeros = '0'.repeat(64)
  for (const previous_hash of [`x${zeros}`, `${zeros}x`, 0])
    assert.deepEqual(await faultOf(withHeader({ previous_hash })), [
      'the header does not say which hash comes before the first record',
    ])
  const junk = (length: number) => Array.from({ length }, () => 1)
  for (const keys of ['x', { length: 1 }, [], junk(10_001)])
    assert.deepEqual(await faultOf(withHeader({ keys })), ['the header lists no keys'])
  const no_key = ['the header lists something that is no key']
  assert.deepEqual(await faultOf(withHeader({ keys: junk(10_000) })), no_key)
})

test('keys follow each other without a gap, and each has its span', async () => {
  const [first] = plain.first_line.keys
  const next = newKey()
  const second = { key_id: next.key_id, public_key: next.public_key, from_seq: 3, until_seq: null }
  const faultWith = (...keys: object[]) => faultOf(withHeader({ keys }))
  const gap = (key_id: string) => [`the key ${key_id} does not take over where the one before it ends`]
  assert.deepEqual(await faultWith(first!, second), gap(key.key_id))
  assert.deepEqual(await faultWith({ ...first, until_seq: 1 }, second), gap(next.key_id))
  assert.deepEqual(await faultWith({ ...first, until_seq: 0 }, { ...second, from_seq: 1 }), gap(key.key_id))
  const no_span = ['a key of the header has no span of records']
  for (const until_seq of [-1, '2', 2 ** 53 - 1])
    assert.deepEqual(await faultWith({ ...first, until_seq }), no_span)
  assert.deepEqual(await faultWith({ ...first, public_key: 7 }), ['a key of the header has no public key'])
})

const next = newKey()
const AuditKeyRotated = 'AuditKeyRotated'
const changed = (meta: unknown, records_after = 1) => [
  {},
  { event_type: AuditKeyRotated, meta },
  ...Array.from({ length: records_after }, () => ({})),
]
const both = [
  [key, 2],
  [next, null],
] as const

test('a key change is signed by both keys for this record, these ids and this whole key', async () => {
  const valid = changeOf(2, key, next)
  const faultWith = (meta: unknown) =>
    faultOf(testExport({ records: changed(meta), keys: both, notes: [2, 3] }).lines)
  assert.equal(await faultWith(valid), undefined)
  const wrong = [
    undefined,
    null,
    [],
    { ...valid, old_signature: undefined },
    { ...valid, old_signature: valid.new_signature },
    { ...valid, new_signature: valid.old_signature },
    { ...valid, new_signature: `${valid.new_signature}AA` },
    { ...valid, new_signature: '!' },
    changeOf(3, key, next),
    changeOf(2, key, next, { old_key_id: '00000000' }),
    changeOf(2, key, next, { new_key_id: '00000000' }),
    changeOf(2, key, next, { new_public_key: newKey().public_key }),
    { ...changeOf(2, newKey(), next), old_key_id: key.key_id },
  ]
  for (const meta of wrong)
    assert.deepEqual(await faultWith(meta), [
      'the change of keys is not signed by the key before it and the key after it',
      2,
    ])
})

test('keys change where a record tells of it, and nowhere else', async () => {
  const unknown = testExport({ records: changed(changeOf(2, key, next)), keys: [[key, null]], notes: [3] })
  assert.deepEqual(await faultOf(unknown.lines), [
    'the record tells of a change of keys that the header does not know',
    2,
  ])
  const untold = testExport({ records: three, keys: both, notes: [2, 3] })
  assert.deepEqual(await faultOf(untold.lines), [
    `the key ${next.key_id} follows ${key.key_id}, but no record tells of the change`,
    2,
  ])
})

test('the last checkpoint of the old key covers the change, where both are in the export', async () => {
  const meta = changeOf(2, key, next)
  const uncovered = ['no checkpoint of the old key covers the change of keys', 2]
  const exported = (notes: number[], from_seq = 1, records_after = 1) =>
    faultOf(testExport({ records: changed(meta, records_after), keys: both, notes, from_seq }).lines)
  assert.deepEqual(await exported([3]), uncovered)
  assert.deepEqual(await exported([3], 2), uncovered)
  // A change before the export, and one after it, are not in it.
  assert.equal(await exported([3], 3), undefined)
  assert.equal(await exported([2], 1, 0), undefined)
  const later = testExport({
    records: three,
    keys: [
      [key, 5],
      [next, null],
    ],
    notes: [3],
  })
  assert.equal(await faultOf(later.lines), undefined)
})

test('a key signs only checkpoints of its time', async () => {
  const records = changed(changeOf(2, key, next))
  const early = testExport({ records, keys: both, notes: [[2, next], 3] })
  assert.deepEqual(await faultOf(early.lines), [
    'the checkpoint of size 2 is not signed by the key of its time',
  ])
  const late = testExport({ records, keys: both, notes: [2, [3, key]] })
  assert.deepEqual(await faultOf(late.lines), [
    'the checkpoint of size 3 is not signed by the key of its time',
  ])
})

test('trusted keys must sign the part that is exported', async () => {
  const { lines } = testExport({ records: changed(changeOf(2, key, next), 2), keys: both, notes: [2, 4] })
  const stranger = newKey()
  const strange = (id: string) => `the key ${id} of the export is not among the keys you trust`
  const faultWith = (...keys: string[]) => faultOf(lines, { trustedKeys: keys })
  assert.equal(await faultWith(key.public_key), undefined)
  assert.equal(await faultWith(next.public_key, key.public_key), undefined)
  assert.deepEqual(await faultWith(stranger.public_key), [strange(key.key_id)])
  assert.deepEqual(await faultWith(key.public_key, stranger.public_key), [
    `${strange(next.key_id)}, and one that you trust signs none of it`,
  ])
  const part = (from_seq: number) =>
    testExport({
      records: changed(changeOf(2, key, next), 2),
      keys: both,
      notes: from_seq > 2 ? [4] : [2, 4],
      from_seq,
    })
  assert.deepEqual(await faultOf(part(3).lines, { trustedKeys: [key.public_key] }), [strange(next.key_id)])
  assert.equal(await faultOf(part(2).lines, { trustedKeys: [key.public_key] }), undefined)
})

const other = { name: 'a.example', key: newKey('a.example', 4) }
const witness = { name: 'w.example/1', key: newKey('w.example/1', 4) }
const witnessKey = ({ name, key: { key_id, raw } }: typeof witness, type = 4) =>
  `${name}+${key_id}+${Buffer.concat([Buffer.of(type), raw]).toString('base64')}`

test('witnesses are counted by the newest note they cosigned, kept notes included', async () => {
  const witnessKeys = [witnessKey(witness), witnessKey(other)]
  const note = (size: number, ...by: (readonly [typeof witness, bigint])[]) =>
    by.reduce((text, [one, at]) => cosigned(text, one.name, one.key, at), plain.noteAt(size))
  const witnessedBy = async (kept_notes: string[], notes: string[], witnessesNeeded = 0) => {
    const lines = [...plain.lines.slice(0, 4), ...notes.map((checkpoint) => JSON.stringify({ checkpoint }))]
    const { ok, reason, witnessed, vouched_by } = await verifyExport(lines, {
      witnessKeys,
      witnessesNeeded,
      checkpoints: kept_notes,
    })
    return ok ? { ...witnessed, is_vouched: vouched_by.includes('witness') } : reason
  }
  const at = (name: string, size: number, at_seconds: number) => ({ name, size, at_seconds })
  assert.deepEqual(await witnessedBy([], [note(2, [witness, 5n]), note(3, [other, 6n])]), {
    size: 3,
    by: [at('a.example', 3, 6), at('w.example/1', 2, 5)],
    is_vouched: true,
  })
  assert.deepEqual(await witnessedBy([], [note(2, [witness, 5n]), note(3, [other, 6n])], 2), {
    size: 2,
    by: [at('a.example', 3, 6), at('w.example/1', 2, 5)],
    is_vouched: false,
  })
  // Of two lines of one witness the newest counts; of equal sizes names are in order.
  const twice = note(3, [witness, 7n], [witness, 5n], [other, 1n])
  assert.deepEqual(await witnessedBy([note(2, [witness, 9n])], [twice]), {
    size: 3,
    by: [at('a.example', 3, 1), at('w.example/1', 3, 7)],
    is_vouched: true,
  })
  assert.deepEqual(await witnessedBy([note(2, [witness, 9n])], [note(3)]), {
    size: 2,
    by: [at('w.example/1', 2, 9)],
    is_vouched: false,
  })
  assert.deepEqual(await witnessedBy([], [note(3)]), { size: 0, by: [], is_vouched: false })
  assert.match(
    String(await witnessedBy([], [note(3, [witness, 1n])], 2)),
    /^2 witnesses are needed, and 1 of yours have/,
  )
  const forged = cosigned(plain.noteAt(3), witness.name, { ...newKey(), key_id: witness.key.key_id }, 1n)
  assert.equal(
    await witnessedBy([], [forged]),
    'the cosignature of w.example/1 under the checkpoint of size 3 is not its own',
  )
  const never = note(3, [witness, 2n ** 53n])
  assert.match(String(await witnessedBy([], [never])), /is not its own$/)
  const short = `${plain.noteAt(3)}\u2014 w.example/1 ${Buffer.from(`${witness.key.key_id}00`, 'hex').toString('base64')}\n`
  assert.match(String(await witnessedBy([], [short])), /is not its own$/)
  // The larger size comes first whatever its name; a later look at the same size counts, even at time zero.
  assert.deepEqual(
    await witnessedBy([note(3, [witness, 9n])], [note(2, [other, 0n]), note(3, [witness, 5n])]),
    {
      size: 3,
      by: [at('w.example/1', 3, 9), at('a.example', 2, 0)],
      is_vouched: true,
    },
  )
})

test('lines of others are not those of a witness, though they share its name or its id', async () => {
  const stranger = newKey(witness.name, 4)
  const namesake = cosigned(plain.noteAt(3), witness.name, stranger, 1n)
  const same_id = cosigned(plain.noteAt(3), 'other', { ...stranger, key_id: witness.key.key_id }, 1n)
  for (const note of [namesake, same_id]) {
    const lines = [...plain.lines.slice(0, 4), JSON.stringify({ checkpoint: note })]
    const { ok, witnessed } = await verifyExport(lines, { witnessKeys: [witnessKey(witness)] })
    assert.deepEqual([ok, witnessed], [true, { size: 0, by: [] }])
  }
})

test('witnesses of one size are in order of name, whatever the order of their keys', async () => {
  const pair = [witness, other] as const
  const note = pair.reduce((text, { name, key: own }) => cosigned(text, name, own, 1n), plain.noteAt(3))
  const lines = [...plain.lines.slice(0, 4), JSON.stringify({ checkpoint: note })]
  for (const witnesses of [pair, pair.toReversed()]) {
    const { witnessed } = await verifyExport(lines, { witnessKeys: witnesses.map((one) => witnessKey(one)) })
    assert.deepEqual(
      witnessed?.by.map(({ name }) => name),
      ['a.example', 'w.example/1'],
    )
  }
})

test('the primitives that are given check witnesses too', async () => {
  const primitives = platformPrimitives()
  let count = 0
  const checkerOf: typeof primitives.checkerOf = (public_key) => {
    count++
    return primitives.checkerOf(public_key)
  }
  await judgeExport(plain.lines, { witnessKeys: [witnessKey(witness)] }, { ...primitives, checkerOf })
  assert.equal(count, 2)
})

test('keys and numbers of witnesses have one form', async () => {
  const faultWith = (witnessKeys: unknown[], witnessesNeeded?: unknown) =>
    faultOf(plain.lines, { witnessKeys, witnessesNeeded } as ExportOptions)
  const valid = witnessKey(witness)
  for (const needed of [-1, 0.5, '1', null])
    assert.deepEqual(await faultWith([valid], needed), ['the witnesses needed are no number'])
  const no_key = (shown: string) => [
    `${shown} is no key of a witness; it reads name+id+key, as the witness shows it`,
  ]
  for (const text of ['x', 7, [valid], `x ${valid}`, `${valid}x`, witnessKey(witness, 1)])
    assert.deepEqual(await faultWith([text]), no_key(JSON.stringify(text)))
  const long = 'x'.repeat(200)
  assert.deepEqual(await faultWith([long]), no_key(JSON.stringify(long).slice(0, 120)))
  const renamed = witnessKey({ ...witness, name: 'w' })
  assert.deepEqual(await faultWith([renamed]), [
    'the key of the witness w has another id than its bytes give',
  ])
  const many = (count: number) =>
    Array.from({ length: count }, () => witnessKey({ name: 'w', key: newKey('w', 4) }))
  assert.equal(await faultWith(many(64)), undefined)
  assert.deepEqual(await faultWith(many(65)), ['more than 64 keys of witnesses are given'])
  assert.deepEqual(await faultWith([valid, valid], 2), [
    '2 witnesses are needed, and the keys of 1 are given',
  ])
})
