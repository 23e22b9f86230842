import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { computation } from '@svc/contract/computation'
import { Refusal } from '@svc/contract/refusal'
import { system_clock } from '../clock/system.ts'
import { WorkerPool } from './worker-pool.ts'

const pool = new WorkerPool(system_clock, 2, 48)
let job: ReturnType<typeof computation<{ do: string; n: number }, unknown>>

before(async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'svc-compute-')), 'job.mjs')
  writeFileSync(
    file,
    `export function compute({ do: what, n }, host) {
      if (what === 'spin') for (;;) host.elapsed_ms()
      if (what === 'throw') throw new RangeError('too much of ' + n)
      if (what === 'grow') { const all = []; for (;;) all.push(new Array(10000).fill(n)) }
      return { twice: n * 2, counts: host.elapsed_ms() >= 0 }
    }`,
  )
  job = computation(pathToFileURL(file))
})
after(() => pool.close())

test('many jobs share a few threads, and each gets its own answer', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => pool.compute(job, { do: 'double', n }, 60_000)),
  )
  assert.deepEqual(
    answers,
    Array.from({ length: 50 }, (_, n) => ({ twice: n * 2, counts: true })),
  )
})

test('a job past its deadline is ended with its thread, and the next one runs', async () => {
  const stuck = [0, 1, 2].map((n) => pool.compute(job, { do: 'spin', n }, 300))
  for (const one of stuck) await assert.rejects(one, { code: 'timeout' })
  assert.deepEqual(await pool.compute(job, { do: 'double', n: 4 }, 60_000), { twice: 8, counts: true })
})

test('what a job throws arrives as it was thrown', async () => {
  await assert.rejects(pool.compute(job, { do: 'throw', n: 3 }, 60_000), {
    name: 'RangeError',
    message: 'too much of 3',
  })
})

test('a job that eats memory ends alone, with a sentence', async () => {
  const [grown, doubled] = await Promise.allSettled([
    pool.compute(job, { do: 'grow', n: 1 }, 60_000),
    pool.compute(job, { do: 'double', n: 1 }, 60_000),
  ])
  assert.ok(grown.status === 'rejected' && grown.reason instanceof Refusal)
  assert.equal(grown.reason.details.reason, 'memory limit')
  assert.equal(doubled.status, 'fulfilled')
})
