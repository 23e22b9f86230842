// An engine's chain whose key changes, and a witness that follows: what the one sends is what the other takes.
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { AuditLog } from '@svc/audit/audit-log'
import { currentKeys } from '@svc/audit/chain/keys'
import { queryOf } from '@svc/audit/query/query'
import {
  asOwner,
  entryOf,
  exportLines,
  newFolder,
  openTestAuditLog,
  rotateTestKey,
  test_root_keys,
} from '@svc/audit/test-audit-log'
import { overwrite, storedRecords } from '@svc/audit/test-stored'
import { type CosigningKey, verifierKeyOf } from '@svc/audit/witness/cosign'
import { feedCheckpoint, type SendToWitness, type WitnessReply } from '@svc/audit/witness/witness-feed'
import { listLogs, trustLog } from '@svc/audit/witness/witness-store'
import type { WitnessHandler } from '@svc/gateway/witness/witness-handler'
import { verifyExport } from '@svc/sdk/verify/export'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { openWitness } from './witness-handler.ts'

let opened: TestStore
let audit_log: AuditLog

before(async () => {
  opened = await openTestStore()
  audit_log = await openTestAuditLog(opened.database.url, await newFolder())
})
after(async () => {
  await audit_log?.close()
  await opened?.close()
})

async function write(tenant_id: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) audit_log.record(entryOf(tenant_id))
  await audit_log.flush()
}

function newCosigningKey(): CosigningKey {
  const { privateKey: private_key } = generateKeyPairSync('ed25519')
  const public_key = Buffer.from(private_key.export({ format: 'jwk' }).x!, 'base64url')
  return { name: `w.example/${randomUUID()}`, private_key, public_key }
}

/** What the operator's audit log has of changes. */
async function recordedBy(operator: string): Promise<Record<string, unknown>[]> {
  audit_log.outboxChanged()
  await audit_log.flush()
  const records = await asOwner(opened.database.url, (client) => storedRecords(client, operator))
  return records.map(({ body }) => JSON.parse(body!).meta)
}

/** A chain of five records, and a witness of another name that trusts its key. */
async function newScene(tenant_id: string) {
  const db = opened.store.engine
  const query = queryOf(db)
  const key = newCosigningKey()
  const verifier_key = verifierKeyOf(key)
  const operator = `operator-of-${tenant_id}`
  const start = () =>
    openWitness({
      db,
      clock: manualClock('2026-11-15T10:00:00.000Z'),
      log: { debug() {}, info() {}, warn() {}, error() {} },
      own: { tenant_id: operator, did: 'engine' },
      key: async () => key,
    })
  await write(tenant_id, 5)
  const currentKey = async () => {
    const keys = await currentKeys(query, test_root_keys, [tenant_id])
    return keys.get(tenant_id)!.public_key.toString('base64url')
  }
  await trustLog(query, `svc/${tenant_id}`, await currentKey())
  let witness: WitnessHandler = start()
  const sent: string[] = []
  const send: SendToWitness = async (body, route) => {
    const reply = await (route === 'add-rotation' ? witness.addRotation(body) : witness.addCheckpoint(body))
    sent.push(`${route} ${reply.status}`)
    return reply
  }
  const witness_asked = {
    witness_name: key.name,
    key_id: verifier_key.split('+')[1]!,
    verifier_key,
    url: 'x',
  }
  return {
    query,
    sent,
    currentKey,
    restart() {
      witness = start()
    },
    feed: (cosigned_size: number, way: SendToWitness = send) =>
      feedCheckpoint(query, { ...witness_asked, tenants: null }, { tenant_id, cosigned_size }, way),
    send,
    rotate: () => rotateTestKey(opened.database.url, tenant_id),
    witnessed: async () => {
      const options = { witnessKeys: [verifier_key], witnessesNeeded: 1, trustedKeys: [await currentKey()] }
      const verdict = await verifyExport(await exportLines(opened.database.url, tenant_id), options)
      return [verdict.verified, verdict.witnessed?.size, verdict.reason]
    },
    trusted: async () => {
      const logs = await listLogs(query, key.name)
      return logs
        .find(({ origin }) => origin === `svc/${tenant_id}`)
        ?.keys.filter(({ until_seq }) => until_seq === null)
        .map(({ public_key }) => public_key)
    },
    recorded: () => recordedBy(operator),
  }
}

test('a witness follows several changes since it last heard of a log, one after another', async () => {
  const scene = await newScene('several')
  const first = await scene.currentKey()
  assert.deepEqual(await scene.feed(0), { kind: 'cosigned', size: 5 })
  const changes = [await scene.rotate(), await scene.rotate()]
  await write('several', 3)
  changes.push(await scene.rotate())
  await write('several', 1)
  scene.sent.length = 0
  assert.deepEqual(await scene.feed(5), { kind: 'cosigned', size: 12 })
  const shown = ['add-checkpoint 403', 'add-rotation 200']
  assert.deepEqual(scene.sent, [...shown, ...shown, ...shown, 'add-checkpoint 200'])
  assert.deepEqual(await scene.trusted(), [await scene.currentKey()])
  assert.deepEqual(await scene.witnessed(), [true, 12, undefined])
  const expected = changes.map(({ seq, new_public_key, record_hash }, i) => ({
    gate: 'witness',
    command: 'witness follow',
    origin: 'svc/several',
    public_key: new_public_key,
    old_public_key: i === 0 ? first : changes[i - 1]!.new_public_key,
    seq,
    record_hash,
  }))
  assert.deepEqual(await scene.recorded(), expected)
  scene.restart()
  await write('several', 1)
  assert.deepEqual(await scene.feed(12), { kind: 'cosigned', size: 13 })
})

test('it follows where the change is the newest record, was cosigned already, or its answer was lost', async () => {
  const scene = await newScene('newest')
  await scene.rotate()
  assert.deepEqual(await scene.feed(0), { kind: 'cosigned', size: 6 }, 'the old key signed it')
  await write('newest', 1)
  const losing: SendToWitness = async (body, route) => {
    const reply = await scene.send(body, route)
    if (route === 'add-rotation') throw new Error('too slow')
    return reply
  }
  assert.deepEqual(await scene.feed(6, losing), { kind: 'failed', why: 'too slow' })
  await scene.rotate()
  await write('newest', 1)
  assert.deepEqual(await scene.feed(0), { kind: 'cosigned', size: 9 }, 'from a size that it does not hold')
  assert.deepEqual(await scene.witnessed(), [true, 9, undefined])
  assert.equal((await scene.recorded()).length, 2)
})

test('more changes than are shown in one round go on in the next', async () => {
  const scene = await newScene('many')
  for (let n = 0; n < 18; n++) await scene.rotate()
  await write('many', 1)
  assert.deepEqual(await scene.feed(0), { kind: 'cosigned', size: 21 })
  assert.deepEqual(await scene.feed(21), { kind: 'cosigned', size: 24 })
  assert.deepEqual(await scene.trusted(), [await scene.currentKey()])
})

test('a witness of others gets no rotation, and its answer stays untrusted', async () => {
  const scene = await newScene('others')
  await scene.rotate()
  await write('others', 1)
  const routes: string[] = []
  const refusing = (reply: WitnessReply) => async (_: string, route: string) => {
    routes.push(route)
    return reply
  }
  const body = 'no such key\n'
  for (const type of ['text/plain; charset=utf-8', undefined]) {
    const fed = await scene.feed(0, refusing({ status: 403, type: type!, body }))
    assert.deepEqual(fed, { kind: 'untrusted', why: 'no such key' })
  }
  assert.deepEqual(routes, ['add-checkpoint', 'add-checkpoint'])
  const asking = { status: 403, type: 'text/x.svc.rotation', body }
  assert.deepEqual(await scene.feed(0, refusing(asking)), { kind: 'untrusted' })
})

test('where no key of the log is trusted any more, nothing is followed', async () => {
  const scene = await newScene('gone')
  const first = await scene.currentKey()
  await scene.rotate()
  await write('gone', 1)
  await scene.query("UPDATE witness_log_keys SET until_seq = 3 WHERE origin = 'svc/gone'", [])
  const why = 'It is not signed by a key trusted for this log.'
  assert.deepEqual(await scene.feed(0), { kind: 'untrusted', why })
  await scene.query('DELETE FROM witness_log_keys WHERE public_key = $1', [first])
  assert.deepEqual(await scene.feed(0), { kind: 'unknown' })
})

test('a rotation whose record was changed in the database is not followed', async () => {
  const scene = await newScene('changed')
  const { seq } = await scene.rotate()
  await write('changed', 1)
  await asOwner(opened.database.url, (client) =>
    overwrite(client, 'changed', seq, ({ body }) => ({ body: body!.replace('tester', 'nobody') })),
  )
  const why = 'The change of keys is not proved: the record does not have the hash it states.'
  assert.deepEqual(await scene.feed(0), { kind: 'untrusted', why })
  assert.deepEqual(await scene.recorded(), [])
})
