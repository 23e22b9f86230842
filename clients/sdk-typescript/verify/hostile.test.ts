// Any input gets a verdict with a reason: nothing is thrown, and nothing passes as valid.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { verifyExport } from './export.ts'
import { readNote } from './note.ts'
import { platformPrimitives, webPrimitives } from './primitives.ts'
import { judgeReceipt, verifyReceipt } from './receipt.ts'

const public_key = 'A'.repeat(43)
const keys = [{ key_id: '00000000', public_key, from_seq: 1, until_seq: null }]
const header = {
  format: 'svc-audit-export/1',
  tenant_id: 'dev',
  origin: 'svc/dev',
  keys,
  from_seq: 1,
  to_seq: 1,
  previous_hash: '0'.repeat(64),
}
const throwing = new Proxy(
  {},
  {
    get: () => {
      throw new Error('looked at')
    },
  },
)

async function refused(lines: unknown, options?: unknown): Promise<string> {
  const verdict = await verifyExport(lines as string[], options as undefined)
  assert.equal(verdict.ok, false)
  assert.equal(typeof verdict.reason, 'string')
  return verdict.reason!
}

test('texts that are not exports', async () => {
  const deep = '['.repeat(100_000)
  const odd = [
    undefined,
    null,
    7,
    {},
    '',
    'text',
    [],
    [''],
    ['[]'],
    ['null'],
    [7],
    [throwing],
    throwing,
    [deep],
  ]
  for (const lines of odd) await refused(lines)
  for (const options of [null, 7, throwing, { checkpoints: 7 }, { heads: 7 }, { trustedKeys: 7 }])
    await refused([JSON.stringify(header)], options)
  assert.match(await refused([`"${'x'.repeat(5_000_000)}"`]), /longer than 4194304 characters/)
})

test('a size that a number cannot hold exactly is no size of a note', () => {
  const note = (size: string) => `svc/dev\n${size}\n${'A'.repeat(43)}=\n\n\u2014 svc/dev ${'A'.repeat(92)}\n`
  assert.equal(readNote(note('9007199254740991'))?.size, Number.MAX_SAFE_INTEGER)
  assert.equal(readNote(note('9007199254740993')), undefined)
})

test('a source that fails is distinguished from an invalid log', async () => {
  async function* broken() {
    yield JSON.stringify(header)
    throw new Error('the disk is gone')
  }
  assert.match(await refused(broken()), /another id than its bytes give/)
  // biome-ignore lint/correctness/useYield: it breaks before the first line
  async function* empty(): AsyncGenerator<string> {
    throw Object.create(null)
  }
  assert.match(await refused(empty()), /cannot be read: something that cannot be said/)
})

test('headers with one field of another type', async () => {
  const field = fc.constantFrom(...Object.keys(header), 'keys.0')
  const property = fc.asyncProperty(field, fc.jsonValue(), async (name, value) => {
    const changed = name === 'keys.0' ? { ...header, keys: [value] } : { ...header, [name]: value }
    await refused([JSON.stringify(changed)])
  })
  await fc.assert(property, { numRuns: 300 })
})

test('values that are not receipts', async () => {
  const record = { tenant_id: 'dev', seq: 1, previous_hash: '', record_hash: '' }
  const receipts = [undefined, null, 7, [], {}, throwing, { record: throwing }, { record: null }, { record }]
  const loop: Record<string, unknown> = { ...record }
  loop.meta = loop
  const unsayable = { toString: 1 }
  for (const field of ['previous_hash', 'record_hash', 'tenant_id'])
    receipts.push({ record: { ...record, [field]: unsayable } } as never)
  for (const receipt of [...receipts, { record: loop }, { record: { ...record, at: new Date(0) } }]) {
    for (const trusted of [[], [public_key], ['!'], [7], null, throwing]) {
      const verdict = await verifyReceipt(receipt as never, trusted as never)
      assert.equal(verdict.ok, false)
      assert.equal(typeof verdict.reason, 'string')
      assert.doesNotMatch(verdict.reason!, /Cannot convert/)
    }
  }
})

test('a platform without Ed25519 proves nothing, and says why', async () => {
  const body = '{"seq":1,"tenant_id":"dev"}'
  const { createHash } = process.getBuiltinModule('node:crypto')
  const sha256 = (...parts: (string | Buffer)[]) =>
    createHash('sha256')
      .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
      .digest()
  const record_hash = sha256(body).toString('hex')
  const root = sha256(Buffer.of(0), Buffer.from(record_hash, 'hex')).toString('base64')
  const checkpoint = `svc/dev\n1\n${root}\n\n\u2014 svc/dev ${Buffer.alloc(68).toString('base64')}\n`
  const record = { ...JSON.parse(body), previous_hash: '', record_hash }
  const receipt = { record, inclusion_path: [], tree_size: 1, checkpoint }
  const { subtle } = crypto
  const old = { digest: subtle.digest.bind(subtle), importKey: () => Promise.reject(new Error('no Ed25519')) }
  const verdict = await judgeReceipt(receipt, [public_key], webPrimitives(old as unknown as SubtleCrypto))
  assert.deepEqual(verdict, { ok: false, reason: 'the receipt cannot be read: no Ed25519' })
  const trusted = await verifyReceipt(receipt as never, [public_key])
  assert.equal(trusted.reason, 'the checkpoint is not signed by a key you trust')
})

test('a page without WebCrypto is told so; with it nothing of Node is needed', async (t) => {
  const { process, crypto } = globalThis
  t.after(() => Object.assign(globalThis, { process, crypto }))
  Object.defineProperty(globalThis, 'process', { value: undefined, configurable: true, writable: true })
  const digest = await platformPrimitives().sha256('abc')
  assert.equal(digest[0], 0xba)
  Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true, writable: true })
  const record = { tenant_id: 'dev', previous_hash: '', record_hash: '' }
  const { reason } = await verifyReceipt({ record } as never, [])
  Object.defineProperty(globalThis, 'process', { value: process, configurable: true, writable: true })
  assert.match(reason ?? '', /no WebCrypto here, which a page has only over https/)
})
