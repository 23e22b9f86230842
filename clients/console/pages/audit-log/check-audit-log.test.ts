// A small real audit log, signed and witnessed in this file, and the page's verdicts on it.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import { canonicalText } from '@svc/sdk/verify/canonical'
import { checkAuditLog } from './check-audit-log.ts'
import { fingerprintOf } from './fingerprint.ts'
import { counterpartOf, hashRecord, othersNamedIn, proveRecords } from './record-proof.ts'
import type { AuditLogRecord } from './search.ts'
import { readCheckpoint } from './signers.ts'
import { no_trust, readTrust, type TrustTexts } from './trust.ts'
import { verdictWords } from './verdict-words.ts'

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const origin = 'svc/dev'
const log = newKey(origin, 1)
const witness = newKey('witness.example/w', 4)
const records = chainOf(3)
const note = signedNote(records)
const header = {
  format: 'svc-audit-export/1',
  tenant_id: 'dev',
  origin,
  keys: [{ key_id: log.key_id, public_key: log.public_key, from_seq: 1, until_seq: null }],
  from_seq: 1,
  to_seq: 3,
  previous_hash: '0'.repeat(64),
}

function newKey(name: string, type: number) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const public_key = publicKey.export({ format: 'jwk' }).x!
  const typed = Buffer.concat([Buffer.of(type), Buffer.from(public_key, 'base64url')])
  const key_id = sha256(`${name}\n`, typed).subarray(0, 4).toString('hex')
  return {
    name,
    key_id,
    public_key,
    private_key: privateKey,
    text: `${name}+${key_id}+${typed.toString('base64')}`,
  }
}

function chainOf(length: number): AuditLogRecord[] {
  const chain: AuditLogRecord[] = []
  for (let seq = 1; seq <= length; seq++) {
    const body = {
      id: `00000000-0000-4000-8000-00000000000${seq}`,
      seq,
      event_type: 'custom.x',
      correlation_id: '00000000-0000-4000-8000-000000000000',
      timestamp: '2026-11-16T10:00:00.000Z',
      tenant_id: 'dev',
      caller_did: 'did',
      outcome: 'success' as const,
      latency_ms: 0.5,
      meta: { seq },
    }
    const previous_hash = chain.at(-1)?.record_hash ?? '0'.repeat(64)
    const record_hash = sha256(previous_hash, canonicalText(body)).toString('hex')
    chain.push({ ...body, previous_hash, record_hash })
  }
  return chain
}

function leaf({ record_hash }: AuditLogRecord): Buffer {
  return sha256(Buffer.of(0), Buffer.from(record_hash, 'hex'))
}
function pair(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(Buffer.of(1), left, right)
}

function signedNote([a, b, c]: readonly AuditLogRecord[]): string {
  const root = pair(pair(leaf(a!), leaf(b!)), leaf(c!))
  const text = `${origin}\n3\n${root.toString('base64')}\n`
  const line = (name: string, key_id: string, ...rest: Uint8Array[]) =>
    `\u2014 ${name} ${Buffer.concat([Buffer.from(key_id, 'hex'), ...rest]).toString('base64')}\n`
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(1_700_000_000n)
  const signedBy = (key: KeyObject, message: string) => sign(null, Buffer.from(message), key)
  const cosigned = signedBy(witness.private_key, `cosignature/v1\ntime 1700000000\n${text}`)
  return `${text}\n${line(origin, log.key_id, signedBy(log.private_key, text))}${line(witness.name, witness.key_id, time, cosigned)}`
}

function linesOf(chain: readonly AuditLogRecord[]): string[] {
  const lines = chain.map(({ previous_hash: _, record_hash, ...record }) =>
    canonicalText({ record, record_hash }),
  )
  return [JSON.stringify(header), ...lines, JSON.stringify({ checkpoint: note })]
}

async function* from(lines: readonly string[]) {
  yield* lines
}

async function check(lines: readonly string[], texts: Partial<TrustTexts> = {}) {
  const progress: [number, number][] = []
  const watching = {
    signal: new AbortController().signal,
    onProgress: (done: number, total: number) => void progress.push([done, total]),
  }
  const checked = await checkAuditLog(from(lines), readTrust({ ...no_trust, ...texts }), watching)
  return { checked, progress, words: verdictWords(checked, 'Read here.') }
}

test('a valid audit log: what was checked, and against what', async () => {
  const plain = await check(linesOf(records))
  assert.equal(plain.words.state, 'consistent')
  const doubt = 'Consistent, but signed by a key that only this log vouches for'
  assert.equal(plain.words.title, `${doubt}: 3 records of dev, 1 to 3.`)
  assert.match(plain.words.sentences.join(' '), /keys in the log itself.*no earlier checkpoint.*no witness/)
  assert.equal(plain.checked.newest_note, note)
  assert.deepEqual(plain.progress.at(-1), [4, 3])
  const own = await check(linesOf(records), {
    keys: log.public_key,
    notes: note,
    witnesses: witness.text,
    witnesses_needed: '1',
  })
  assert.equal(own.words.state, 'verified')
  assert.equal(own.words.title, 'Verified against a key you trust: 3 records of dev, 1 to 3.')
  const text = own.words.sentences.join(' ')
  assert.match(text, /keys you gave.*the checkpoint you kept.*Witnessed up to record 3: witness.example\/w/)
})

test('an invalid audit log: the record and the reason are named', async () => {
  const lines = linesOf(records)
  const altered = lines.with(2, lines[2]!.replace('success', 'refused'))
  const { words, checked } = await check(altered)
  assert.equal(words.state, 'broken')
  assert.match(
    words.title,
    /^The audit log of dev is broken at record 2: its hash does not match its content/,
  )
  assert.equal(checked.newest_note, undefined)
  const foreign = await check(lines, { keys: newKey(origin, 1).public_key })
  assert.match(foreign.words.title, /is not among the keys you trust/)
  const cut = await check([lines[0]!.replace('"to_seq":3', '"to_seq":2'), ...lines.slice(1, 3)], {
    notes: note,
  })
  assert.equal(cut.words.state, 'broken')
  assert.match((await check(['nonsense'])).words.title, /^The audit log is broken: a line is not JSON/)
})

test('lines that cannot be read give no verdict', async () => {
  async function* failing() {
    yield JSON.stringify(header)
    throw new Error('the engine does not answer')
  }
  const watching = { signal: new AbortController().signal, onProgress() {} }
  await assert.rejects(checkAuditLog(failing(), readTrust(no_trust), watching), /the engine does not answer/)
  const stopped = { signal: AbortSignal.abort(new Error('stopped')), onProgress() {} }
  await assert.rejects(checkAuditLog(from(linesOf(records)), readTrust(no_trust), stopped), /stopped/)
})

test('one record: its text, its hash and its path', async () => {
  const [a, b, c] = records as [AuditLogRecord, AuditLogRecord, AuditLogRecord]
  const path = [leaf(a), leaf(c)].map((node) => node.toString('hex'))
  const page = {
    records: [b],
    head: c.record_hash,
    proofs: [{ seq: 2, tree_size: 3, inclusion_path: path }],
    checkpoints: [{ size: 3, note }],
    keys: header.keys,
  }
  const [proved] = await proveRecords(page, [])
  assert.deepEqual([proved?.receipt, proved?.is_sound, proved?.computed], [{ ok: true }, true, b.record_hash])
  assert.equal(proved?.state, 'consistent', 'under the keys that the engine names nothing is verified')
  const states = await Promise.all(
    [[log.public_key], [log.public_key, newKey(origin, 1).public_key]].map(async (keys) => {
      const [one] = await proveRecords(page, keys)
      return one?.state
    }),
  )
  assert.deepEqual(states, ['verified', 'verified'])
  const [foreign] = await proveRecords(page, [newKey(origin, 1).public_key])
  assert.deepEqual([foreign?.receipt.ok, foreign?.state], [false, 'broken'])
  const [changed] = await proveRecords({ ...page, records: [{ ...b, latency_ms: 1 }] }, [])
  assert.deepEqual([changed?.receipt.ok, changed?.is_sound], [false, false])
  const [bare] = await proveRecords({ ...page, proofs: [] }, [])
  assert.match(bare?.receipt.reason ?? '', /no path/)
  assert.equal((await hashRecord({ ...b, event_type: '\ud800' })).text, undefined)
})

test('other participants are read from the records, not from supplied content', () => {
  const [a] = records as [AuditLogRecord]
  const counterpart = { tenant_id: 'globex', record_hash: 'f'.repeat(64) }
  const named = [
    { ...a, meta: { target_tenant: 'acme', caller_tenant: 'dev' } },
    { ...a, meta: { counterpart } },
  ]
  assert.deepEqual(othersNamedIn(named, 'dev'), ['acme', 'globex'])
  assert.deepEqual(counterpartOf({ counterpart }), counterpart)
  assert.equal(counterpartOf({ supplied: { counterpart } }), undefined)
  assert.equal(counterpartOf({}), undefined)
})

test('a checkpoint shows its signers, and which of them were checked', async () => {
  const states = async (keys: string[], witnesses: string[], text = note) =>
    (await readCheckpoint(text, { keys, witnesses }))?.signers.map(({ state }) => state)
  assert.deepEqual(await states([], []), ['not checked', 'not checked'])
  assert.deepEqual(await states([log.public_key], [witness.text]), ['verified', 'verified'])
  const forged = note.replace('\n3\n', '\n4\n')
  assert.deepEqual(await states([log.public_key], [witness.text], forged), ['broken', 'broken'])
  const read = await readCheckpoint(note, { keys: [], witnesses: [] })
  assert.equal(read?.signers[1]?.at_seconds, 1_700_000_000)
  assert.equal(await readCheckpoint('no note', { keys: [], witnesses: [] }), undefined)
})

test('a fingerprint depends on the key alone', async () => {
  const expected = sha256(Buffer.from(log.public_key, 'base64url')).toString('hex')
  assert.equal((await fingerprintOf(log.public_key)).replaceAll(' ', ''), expected)
  assert.equal(await fingerprintOf('short'), 'not an Ed25519 key')
})
