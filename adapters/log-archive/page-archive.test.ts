import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageStore } from '@svc/audit/archive/page-store'
import type { ArchivedPage } from '@svc/contract/audit/page-archive'
import { Refusal } from '@svc/contract/refusal'
import { until } from '../../checks/suite/eventually.ts'
import { CachedArchive, type PageArchiveOptions } from './page-archive.ts'

interface Waiting {
  readonly page: ArchivedPage
  answer(bytes?: Buffer): void
  fail(error: Error): void
}

/** An archive that answers when the test says so, and what was logged. */
function openScene(options: Partial<PageArchiveOptions> = {}) {
  const waiting: Waiting[] = []
  const logged: string[] = []
  const get: PageStore['get'] = (page) => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>()
    waiting.push({ page, answer: resolve, fail: reject })
    return promise
  }
  const say = (_details: object, message: string) => void logged.push(message)
  const log = { info: say, warn: say, error: say }
  const archive = new CachedArchive({ pages: { place: 'here', get }, log, ...options })
  return { archive, waiting, logged }
}

const page = (name: number) => ({ sha256: `${name}`, bytes: 10 })
const bytes = (name: number) => Buffer.alloc(10, name)

test('a page is fetched once, however many ask, and then read from memory', async () => {
  const { archive, waiting } = openScene()
  const reads = [archive.read(page(1)), archive.read(page(1)), archive.read(page(1))]
  assert.equal(waiting.length, 1)
  waiting[0]!.answer(bytes(1))
  for (const read of reads) assert.deepEqual(await read, bytes(1))
  assert.deepEqual(await archive.read(page(1)), bytes(1))
  assert.deepEqual([waiting.length, archive.cached_bytes, archive.counts.read], [1, 10, 1])
})

test('the cache is bounded by bytes, and forgets what was used longest ago', async () => {
  const { archive, waiting } = openScene({ cache_bytes_max: 30 })
  const read = async (name: number) => {
    const reading = archive.read(page(name))
    waiting.at(-1)?.answer(bytes(name))
    await reading
  }
  for (const name of [1, 2, 3, 1, 4]) await read(name)
  assert.equal(archive.cached_bytes, 30)
  const fetched = waiting.length
  await read(1)
  assert.equal(waiting.length, fetched, 'used again lately')
  await read(2)
  assert.equal(waiting.length, fetched + 1, 'forgotten')
})

test('a page larger than the cache is read and not remembered', async () => {
  const { archive, waiting } = openScene({ cache_bytes_max: 9 })
  const reading = archive.read(page(1))
  waiting[0]!.answer(bytes(1))
  assert.deepEqual(await reading, bytes(1))
  assert.equal(archive.cached_bytes, 0)
})

test('eight pages are fetched at once, the others in turn', async () => {
  const { archive, waiting } = openScene()
  const reads = Array.from({ length: 30 }, (_, name) => archive.read(page(name)))
  assert.equal(waiting.length, 8)
  for (let answered = 0; answered < 30; answered++) {
    const next = await until('another fetch begins', () => waiting[answered])
    assert.ok(waiting.length <= answered + 8)
    next.answer(bytes(Number(next.page.sha256)))
  }
  for (const [name, read] of reads.entries()) assert.deepEqual(await read, bytes(name))
})

test('what is missing or altered is not remembered: once it is put right, it is read', async () => {
  const { archive, waiting, logged } = openScene()
  const first = archive.read(page(1))
  waiting[0]!.answer(undefined)
  assert.equal(await first, undefined)
  assert.match(logged[0]!, /missing in the archive or was changed there/)
  const second = archive.read(page(1))
  waiting[1]!.answer(undefined)
  assert.equal(await second, undefined)
  assert.deepEqual([logged.length, archive.counts.unreadable], [1, 2], 'logged once, counted each time')
  const third = archive.read(page(1))
  waiting[2]!.answer(bytes(1))
  assert.deepEqual(await third, bytes(1))
})

test('an archive that fails or is too slow refuses, is logged once, and is asked again', async () => {
  const { archive, waiting, logged } = openScene({ answer_ms_max: 1 })
  const isRefused = (error: unknown) => error instanceof Refusal && error.code === 'unavailable'
  await assert.rejects(archive.read(page(1)), isRefused)
  const failing = archive.read(page(2))
  waiting[1]!.fail(new Error('ECONNRESET'))
  await assert.rejects(failing, isRefused)
  assert.equal(logged.length, 1)
  assert.match(logged[0]!, /does not answer: no answer within 1 ms; reads of old records are refused/)
  // The slow answer arrives in the end, and serves whoever asks next.
  waiting[0]!.answer(bytes(1))
  await until('it is cached', () => archive.cached_bytes === 10)
  assert.deepEqual(await archive.read(page(1)), bytes(1))
  assert.match(logged[1]!, /answers again/)
  assert.equal(archive.counts.failed, 2)
})
