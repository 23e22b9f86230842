import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { after, before, test } from 'node:test'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type ExportVerdict, verifyExport } from '@svc/sdk/verify/export'
import { Client } from 'pg'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { queryOf } from '../query/query.ts'
import { testRootKeys } from '../sealing/test-root-keys.ts'
import {
  asOwner,
  entryOf,
  exportLines,
  newFolder,
  openTestAuditLog,
  recordIds,
  rotateTestKey,
  test_root_keys,
  verifyChain,
} from '../test-audit-log.ts'
import { checkpointOrigin, keyId, signCheckpoint } from '../tree/checkpoint.ts'
import { appendLeaf, type Frontier, leafHash, rootOf } from '../tree/merkle.ts'
import { currentKeys, probeKeys } from './keys.ts'
import { rotateKey } from './rotate.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

/** A chain with a rotation after each of these numbers of records. */
async function writeRotated(tenant_id: string, parts: readonly number[]): Promise<void> {
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  for (const [i, part] of parts.entries()) {
    if (i > 0) await rotateTestKey(database.url, tenant_id)
    for (let n = 0; n < part; n++) audit_log.record(entryOf(tenant_id))
    await audit_log.flush()
  }
  await audit_log.close()
}

test('a rotation that fills a page sends one statement at a time: its connection is not pipelined', async () => {
  await writeRotated('filled', [255])
  const { id, correlation_id, timestamp, tenant_id, caller_did } = entryOf('filled')
  await asOwner(database.url, async (client) => {
    const query = client.query.bind(client)
    let under_way = 0
    const watched = Object.assign(Object.create(client), {
      async query(...args: Parameters<typeof query>) {
        assert.equal(under_way++, 0, 'a statement is sent while another one runs')
        return await Promise.resolve(query(...args)).finally(() => under_way--)
      },
    })
    const order = { id, correlation_id, timestamp, tenant_id, caller_did, meta: {} }
    await rotateKey(watched, test_root_keys, order)
    const { rows } = await client.query('SELECT page FROM audit_pages WHERE tenant_id = $1', ['filled'])
    assert.equal(rows.length, 1)
  })
  assert.equal((await verifyChain(database.url, 'filled')).records, 256)
})

test('a chain with several rotations verifies, whole and from any record on, and names who requested them', async () => {
  await writeRotated('several', [3, 0, 5, 1])
  const lines = await exportLines(database.url, 'several')
  const { keys } = JSON.parse(lines[0]!)
  assert.deepEqual(
    keys.map((key: { from_seq: number; until_seq: number }) => [key.from_seq, key.until_seq]),
    [
      [1, 4],
      [5, 5],
      [6, 11],
      [12, null],
    ],
  )
  const verdict = await verifyExport(lines)
  assert.deepEqual([verdict.ok, verdict.records], [true, 12])
  for (let from_seq = 2; from_seq <= 12; from_seq++) {
    const part = await verifyExport(await exportLines(database.url, 'several', { from_seq }))
    assert.equal(part.ok, true, `${part.reason}`)
  }
  for (let to_seq = 1; to_seq <= 12; to_seq++) {
    const older = await verifyExport(await exportLines(database.url, 'several', { to_seq }))
    assert.equal(older.ok && older.roots_checked, true, `${older.reason}`)
  }
  const { record } = JSON.parse(lines[4]!)
  assert.equal(record.event_type, 'AuditKeyRotated')
  assert.equal(record.meta.os_user, 'tester')
})

test('the retired private key is deleted and the new one signs', async () => {
  await writeRotated('retired', [2, 2])
  await asOwner(database.url, async (client) => {
    const { rows } = await client.query(
      `SELECT until_seq IS NULL AS current, sealed_private IS NULL AS gone FROM audit_keys
       WHERE tenant_id = 'retired' ORDER BY from_seq`,
    )
    assert.deepEqual(rows, [
      { current: false, gone: true },
      { current: true, gone: false },
    ])
    const good = await probeKeys(queryOf(client), test_root_keys)
    assert.deepEqual(good.unopened, [])
    const bad = await probeKeys(queryOf(client), testRootKeys(Buffer.alloc(32, 8)))
    assert.equal(bad.unopened.length, bad.keys + bad.salts)
  })
})

test('an empty chain begins with the change', async () => {
  assert.equal((await rotateTestKey(database.url, 'fresh')).seq, 1)
  assert.equal((await rotateTestKey(database.url, 'fresh')).seq, 2)
  const verdict = await verifyChain(database.url, 'fresh')
  assert.deepEqual([verdict.ok, verdict.records], [true, 2])
})

test('a sealed chain and a wrong master key are refused, and nothing changes', async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  t.after(() => audit_log.close())
  audit_log.record(entryOf('sealing'))
  audit_log.record(entryOf('sealing', { event_type: 'ChainSealed' }))
  audit_log.record(entryOf('wrong-key'))
  await audit_log.flush()
  await assert.rejects(rotateTestKey(database.url, 'sealing'), /sealed/)
  const { id, correlation_id, timestamp, caller_did, tenant_id } = entryOf('wrong-key')
  const order = { id, correlation_id, timestamp, caller_did, tenant_id, meta: {} }
  await asOwner(database.url, async (client) => {
    await assert.rejects(rotateKey(client, testRootKeys(Buffer.alloc(32, 9)), order), /does not open/)
    // The connection is left as it was: outside any transaction.
    await client.query('BEGIN; ROLLBACK')
  })
  assert.equal((await recordIds(database.url, 'wrong-key')).length, 1)
  await audit_log.close()
})

test('concurrent writers and rotations leave one valid chain with everything', async () => {
  const audit_logs = await Promise.all(
    [1, 2].map(async () => openTestAuditLog(database.url, await newFolder())),
  )
  for (const audit_log of audit_logs) audit_log.record(entryOf('busy'))
  for (const audit_log of audit_logs) await audit_log.flush()
  const writing = audit_logs.map(async (audit_log) => {
    const ids: string[] = []
    for (let turn = 0; turn < 60; turn++) {
      const entry = entryOf('busy')
      audit_log.record(entry)
      await audit_log.written()
      if (turn % 10 === 0) await audit_log.flush()
      ids.push(entry.id)
    }
    await audit_log.flush()
    return ids
  })
  const rotating = Array.from({ length: 6 }, () => rotateTestKey(database.url, 'busy'))
  const [rotations, ...written] = await Promise.all([Promise.all(rotating), ...writing])
  assert.equal(new Set(rotations.map((rotation) => rotation.seq)).size, 6)
  const record_ids = new Set(await recordIds(database.url, 'busy'))
  assert.equal(record_ids.size, 2 + 120 + 6)
  assert.ok(written.flat().every((id) => record_ids.has(id)))
  const verdict = await verifyChain(database.url, 'busy')
  assert.equal(verdict.ok, true, `${verdict.reason}`)
  for (const audit_log of audit_logs) await audit_log.close()
})

test('a kill during a rotation leaves the old key, and the next one succeeds', async (t) => {
  await writeRotated('killed', [3])
  const statements = 10
  for (let survived = 1; survived < statements; survived++) {
    const client = new Client({ connectionString: database.url })
    t.after(() => client.end())
    client.on('error', () => {})
    await client.connect()
    const { id, correlation_id, timestamp, caller_did, tenant_id } = entryOf('killed')
    const order = { id, correlation_id, timestamp, caller_did, tenant_id, meta: {} }
    const dying = diesAfter(client, survived)
    await assert.rejects(rotateKey(dying, test_root_keys, order))
    await client.end().catch(() => {})
    const verdict = await verifyChain(database.url, 'killed')
    assert.deepEqual([verdict.ok, verdict.records], [true, 3], `${verdict.reason}`)
  }
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  t.after(() => audit_log.close())
  audit_log.record(entryOf('killed'))
  await audit_log.flush()
  assert.equal((await rotateTestKey(database.url, 'killed')).seq, 5)
  assert.equal((await verifyChain(database.url, 'killed')).ok, true)
  await audit_log.close()
})

/** A connection whose socket breaks before its nth statement. */
function diesAfter(client: Client, statements: number): Client {
  let requests = 0
  return new Proxy(client, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name)
      return (...args: [never]) => {
        // pg keeps its socket there; no public API cuts a connection this way.
        if (requests++ === statements) (target as never as { connection: Client }).connection.end()
        return target.query(...args)
      }
    },
  })
}

/** A forger with the current key rewrites the chain so that every link and note matches. */
async function forge(
  tenant_id: string,
  change: (record: { seq: number; meta: Record<string, unknown>; event_type: string }) => void,
  changeHeader: (header: { keys: Record<string, unknown>[] }) => void = () => {},
): Promise<ExportVerdict> {
  const lines = await exportLines(database.url, tenant_id)
  const header = JSON.parse(lines[0]!)
  changeHeader(header)
  const key = await asOwner(database.url, async (client) =>
    (await currentKeys(queryOf(client), test_root_keys, [tenant_id])).get(tenant_id),
  )
  const forged = [JSON.stringify(header)]
  const frontier: Frontier = []
  let previous = '0'.repeat(64)
  for (const line of lines.slice(1)) {
    const { record, checkpoint } = JSON.parse(line)
    if (!record) {
      const size = Number(checkpoint.split('\n')[1])
      const note =
        size === header.to_seq ? signCheckpoint(tenant_id, size, rootOf(frontier), key!) : checkpoint
      forged.push(JSON.stringify({ checkpoint: note }))
      continue
    }
    change(record)
    previous = sha256Hex(previous + canonicalJson(record))
    forged.push(canonicalJson({ record, record_hash: previous }))
    appendLeaf(frontier, record.seq - 1, leafHash(Buffer.from(previous, 'hex')), () => {})
  }
  return verifyExport(forged)
}

test('a rotation that is missing, unsigned, or signed for something else is refused', async () => {
  await writeRotated('forged', [3, 3])
  assert.equal((await forge('forged', () => {})).ok, true, 'the forger changes nothing yet')
  const rotation_seq = 4
  const changed = (change: (meta: Record<string, unknown>) => void) =>
    forge('forged', (record) => record.seq === rotation_seq && change(record.meta))
  const missing = await forge('forged', (record) => {
    if (record.seq === rotation_seq) record.event_type = 'ProtocolInvocation'
  })
  assert.deepEqual([missing.ok, missing.first_bad_seq], [false, rotation_seq])
  assert.match(missing.reason ?? '', /no record tells of the change/)
  for (const name of ['old_signature', 'new_signature', 'old_key_id', 'new_key_id', 'new_public_key']) {
    for (const value of [undefined, null, 1, '', 'AAAA', Buffer.alloc(64, 1).toString('base64url')]) {
      const verdict = await changed((meta) => {
        meta[name] = value
        if (value === undefined) delete meta[name]
      })
      assert.deepEqual([verdict.ok, verdict.first_bad_seq], [false, rotation_seq], `${name} ${value}`)
      assert.match(verdict.reason ?? '', /is not signed by the key before it and the key after it/)
    }
  }
  const swapped = await changed((meta) => {
    ;[meta.old_signature, meta.new_signature] = [meta.new_signature, meta.old_signature]
  })
  assert.equal(swapped.ok, false)
  const unknown = await forge('forged', (record) => {
    if (record.seq === 5) record.event_type = 'AuditKeyRotated'
  })
  assert.match(unknown.reason ?? '', /a change of keys that the header does not know/)
})

test('a key that only its own holder vouches for does not follow the old one', async () => {
  await writeRotated('usurped', [3, 3])
  const { privateKey } = generateKeyPairSync('ed25519')
  const public_key = privateKey.export({ format: 'jwk' }).x ?? ''
  const key_id = keyId(checkpointOrigin('usurped'), Buffer.from(public_key, 'base64url'))
  const statementOf = (key: KeyObject, statement: object) =>
    sign(null, Buffer.from(`svc-audit-v1\n${canonicalJson(statement)}`), key).toString('base64url')
  const verdict = await forge(
    'usurped',
    (record) => {
      if (record.seq !== 4) return
      const { old_key_id } = record.meta
      const place = { seq: 4, tenant_id: 'usurped' }
      record.meta.new_key_id = key_id
      record.meta.new_public_key = public_key
      record.meta.new_signature = statementOf(privateKey, { ...place, new_key_id: key_id, old_key_id })
      const old_statement = { ...place, old_key_id, new_public_key: public_key }
      record.meta.old_signature = statementOf(privateKey, old_statement)
    },
    (header) => Object.assign(header.keys[1]!, { key_id, public_key }),
  )
  assert.deepEqual([verdict.ok, verdict.first_bad_seq], [false, 4])
})

test('checkpoints signed by the wrong key for their size are refused on either side of a rotation', async () => {
  await writeRotated('sides', [3, 3])
  const lines = await exportLines(database.url, 'sides')
  const header = JSON.parse(lines[0]!)
  for (const shift of [-1, 1]) {
    const [old_key, new_key] = header.keys
    const keys = [
      { ...old_key, until_seq: old_key.until_seq + shift },
      { ...new_key, from_seq: new_key.from_seq + shift },
    ]
    const verdict = await verifyExport([JSON.stringify({ ...header, keys }), ...lines.slice(1)])
    assert.equal(verdict.ok, false)
  }
  const without = lines.filter((line) => !line.startsWith('{"checkpoint":"svc/sides\\n4\\n'))
  assert.equal(without.length, lines.length - 1)
  assert.match((await verifyExport(without)).reason ?? '', /no checkpoint of the old key covers/)
})
