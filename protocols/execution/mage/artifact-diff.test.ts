// What changed between two contents, and who may see it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { WorkerPool } from '@svc/adapters/compute/worker-pool'
import { computation } from '@svc/contract/needs/computation'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { type Compared, type Comparison, compute } from './diff-job.ts'
import { mage } from './mage.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let stage: Rehearsal
const ann = newIdentity(test_tenant, 'agent').did
const stranger = newIdentity('other', 'agent').did

const comparing = computation<Compared, Comparison>(new URL('./diff-job.ts', import.meta.url))
const pools = [new WorkerPool(system_clock, 1), new WorkerPool(system_clock, 1, 24)] as const
const [roomy, cramped] = pools

before(async () => {
  stage = await rehearse(mage, { ports: { compute: cramped.compute } })
})
after(async () => {
  await stage?.close()
  for (const pool of pools) await pool.close()
})

const done = (operation: string, input: unknown, did = ann): Promise<Fields> =>
  stage.run(operation, input, { did })

async function versions(contents: readonly Fields[], more: Fields = {}): Promise<Fields> {
  const [first, ...others] = contents
  const draft = await done('draft', { kind: 'document', title: 'Notes', ...more, ...first })
  for (const [at, content] of others.entries())
    await done('draft', { draft_id: draft.draft_id, expected_version: at + 1, ...content })
  return { ref: draft.ref, from: { ref: draft.ref, version: 1 }, to: { ref: draft.ref, version: 2 } }
}

test('texts are compared line by line, as a unified diff of whole hunks', async () => {
  const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at} ${'x'.repeat(40)}`)
  const changed = lines.map((line, at) => (at % 20 === 0 ? `${line}!` : line))
  const { ref, from, to } = await versions([{ content: lines.join('\n') }, { content: changed.join('\n') }])
  const whole = await done('diff', { from, to })
  assert.deepEqual([whole.format, whole.same, whole.cut], ['text', false, false])
  assert.match(
    whole.unified,
    /^--- mage:.*@1\n\+\+\+ mage:.*@2\n@@ -1,4 \+1,4 @@\n-line 0 x+\n\+line 0 x+!\n/m,
  )
  assert.equal(whole.unified.match(/^@@/gm).length, 100)
  const part = await done('diff', { from, to, bytes_max: 4_096 })
  assert.equal(part.cut, true)
  assert.ok(Buffer.byteLength(part.unified) <= 4_096 && whole.unified.startsWith(part.unified.trimEnd()))
  const same = await done('diff', { from, to: from })
  assert.deepEqual([same.same, same.format, same.cut, same.unified], [true, 'bytes', false, undefined])
  const newest = await done('diff', { from, to: { ref } })
  assert.equal(newest.to.version, 2)
})

test('JSON is compared by paths, and bytes by size and hash alone', async () => {
  const json = (value: unknown) => ({ content: JSON.stringify(value) })
  const one = { 'a/b': 1, list: [1, 2, { deep: 'x' }], gone: null, same: { y: [] } }
  const other = { 'a/b': '1', list: [1, 3, { deep: 'y' }, 4], same: { y: [] }, '': { z: 1 } }
  const { from, to } = await versions([json(one), json(other)], { kind: 'dataset' })
  const { format, changes, cut } = await done('diff', { from, to })
  assert.deepEqual([format, cut], ['json', false])
  assert.deepEqual(changes, [
    { path: '/a~1b', change: 'changed', from: 1, to: '1' },
    { path: '/list/1', change: 'changed', from: 2, to: 3 },
    { path: '/list/2/deep', change: 'changed', from: 'x', to: 'y' },
    { path: '/list/3', change: 'added', to: 4 },
    { path: '/gone', change: 'removed', from: null },
    { path: '/', change: 'added', to: { z: 1 } },
  ])
  const binary = (byte: number) => ({
    content: Buffer.from([0, byte, 255]).toString('base64'),
    encoding: 'base64',
  })
  const bytes = await versions([binary(1), binary(2)], { kind: 'binary' })
  const compared = await done('diff', { from: bytes.from, to: bytes.to })
  assert.deepEqual([compared.format, compared.same, compared.cut], ['bytes', false, false])
  assert.notEqual(compared.from.content_hash, compared.to.content_hash)
})

test('contents with little in common, or too many changes, are cut', () => {
  const names = ['a', 'b'] as const
  const text = (start: string) => Array.from({ length: 6_000 }, (_, at) => `${start}${at}`).join('\n')
  const limits = { names, bytes_max: 10_000, changes_max: 10 }
  assert.deepEqual(compute({ format: 'text', from: text('a'), to: text('b'), ...limits }), {
    format: 'bytes',
    cut: true,
  })
  const list = (start: number) => JSON.stringify(Array.from({ length: 50 }, (_, at) => at + start))
  const many = compute({ format: 'json', from: list(0), to: list(1), ...limits })
  assert.ok(many.format === 'json' && many.cut && many.changes.length === 10)
  const faulty = compute({ format: 'json', from: '{', to: '[]', ...limits })
  assert.equal(faulty.format, 'text', 'what is no JSON is compared as text')
  const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  assert.ok(compute({ format: 'json', from: nested, to: '[[1]]', ...limits }).cut, 'too deep to be told')
})

test('JSON that is nested deeper than an answer may be is compared as text', async () => {
  const nested = (depth: number, inner = '') => ({
    content: `{"a": ${'['.repeat(depth)}${inner}${']'.repeat(depth)}}`,
  })
  for (const [depth, format] of [
    [99, 'json'],
    [100, 'text'],
    [50_000, 'text'],
  ] as const) {
    const { from, to } = await versions([nested(depth), nested(depth, '1')], { kind: 'dataset' })
    const compared = await done('diff', { from, to })
    assert.deepEqual(
      [compared.format, compared.cut, compared.same],
      [format, false, false],
      `${depth} levels`,
    )
  }
  const { from, to } = await versions([{ content: '{}' }, nested(5_000)], { kind: 'dataset' })
  assert.match((await done('diff', { from, to })).unified, /^-\{\}$/m)
})

test('a list of a million values is compared in the memory of a worker, or told by size and hash', async () => {
  const million = (last: number) => `[${'1,'.repeat(1_000_000)}${last}]`
  const compared = { names: ['a', 'b'], bytes_max: 10_000, changes_max: 10 } as const
  const lists = { format: 'json', from: million(1), to: million(2), ...compared } as const
  assert.deepEqual(await roomy.compute(comparing, lists, 60_000), {
    format: 'json',
    changes: [{ path: '/1000000', change: 'changed', from: 1, to: 2 }],
    cut: false,
  })
  const digits = (step: number) => ({
    content: Array.from({ length: 250_000 }, (_, at) => (at * step) % 9).join('\n'),
  })
  const { from, to } = await versions([digits(2), digits(5)])
  const large = await done('diff', { from, to })
  assert.deepEqual([large.format, large.cut, large.same], ['bytes', true, false])
})

test('both sides are read by the rules of each: a stranger learns nothing, and nothing redacted is compared', async () => {
  const { ref, from, to } = await versions([{ content: 'one' }, { content: 'two' }])
  await assertRefused(done('diff', { from, to }, stranger), 'invalid_payload', 'not_found')
  await assertRefused(done('diff', { from, to: { ref, version: 9 } }), 'invalid_payload', 'not_found')
  const own = await done('draft', { kind: 'document', title: 'Theirs', content: 'three' }, stranger)
  const theirs = { ref: own.ref }
  await assertRefused(done('diff', { from: theirs, to }, stranger), 'invalid_payload', 'not_found')
  assert.equal((await done('diff', { from: theirs, to: theirs }, stranger)).same, true)
  const draft_id = ref.slice('mage://draft/'.length)
  const publication = { draft_id, version: 2, license: 'Apache-2.0', visibility: 'tenant' }
  const { artifact_ref } = await done('publish', publication)
  assert.match((await done('diff', { from, to: { ref: artifact_ref } })).unified, /-one\n.*\n?\+two/s)
  const hidden = done('diff', { from: theirs, to: { ref: artifact_ref } }, stranger)
  await assertRefused(hidden, 'invalid_payload', 'not_found')
})
