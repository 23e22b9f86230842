import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { computation } from '@svc/contract/needs/computation'
import { Refusal } from '@svc/contract/refusal'
import { eventually } from '../../checks/suite/eventually.ts'
import { system_clock } from '../clock/system.ts'
import { tenant_waiting_max } from './fair-queue.ts'
import { WorkerPool, workersFor } from './worker-pool.ts'

const pool = new WorkerPool(system_clock, 2, 48)
const tenant = (tenant_id: string) => ({ tenant_id })
let job: ReturnType<typeof computation<{ do: string; n: number; gate?: string }, unknown>>

before(async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'svc-compute-')), 'job.mjs')
  writeFileSync(
    file,
    `import { existsSync, writeFileSync } from 'node:fs'
    const pause = new Int32Array(new SharedArrayBuffer(4))
    export function compute({ do: what, n, gate }, host) {
      if (what === 'wait') {
        writeFileSync(gate + '/arrived-' + n, '')
        while (!existsSync(gate + '/open')) Atomics.wait(pause, 0, 0, 5)
      }
      if (gate && what === 'spin') writeFileSync(gate + '/pid', String(process.pid))
      if (what === 'spin') for (;;) host.elapsed_ms()
      if (what === 'start') { const since_start = performance.now(); return host.elapsed_ms() >= since_start }
      if (what === 'throw') throw new RangeError('too much of ' + n)
      if (what === 'collect') { const all = new Set(); for (let i = 0; ; i++) all.add('name' + i) }
      if (what === 'name') { const all = {}; for (let i = 0; ; i++) all['name' + i] = { i } }
      if (what === 'grow') { const all = []; for (;;) all.push(new Array(10000).fill(n)) }
      return { twice: n * 2, counts: host.elapsed_ms() >= 0 }
    }`,
  )
  job = computation(pathToFileURL(file))
})
after(() => pool.close())

test('many jobs share a few workers, and each gets its own answer', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => pool.compute(job, { do: 'double', n }, 60_000)),
  )
  assert.deepEqual(
    answers,
    Array.from({ length: 50 }, (_, n) => ({ twice: n * 2, counts: true })),
  )
})

test('a job past its deadline is ended with its worker, and the next one runs', async () => {
  const stuck = [0, 1, 2].map((n) => pool.compute(job, { do: 'spin', n }, 300))
  for (const one of stuck) await assert.rejects(one, { code: 'timeout' })
  assert.deepEqual(await pool.compute(job, { do: 'double', n: 4 }, 60_000), { twice: 8, counts: true })
})

test('an error of a job arrives unchanged', async () => {
  await assert.rejects(pool.compute(job, { do: 'throw', n: 3 }, 60_000), {
    name: 'RangeError',
    message: 'too much of 3',
  })
})

test('a job that exhausts memory ends alone, with a sentence, in every way that can happen', async () => {
  // On some of these V8 aborts the whole process.
  for (const way of ['grow', 'collect', 'name']) {
    const [grown, doubled] = await Promise.allSettled([
      pool.compute(job, { do: way, n: 1 }, 600_000),
      pool.compute(job, { do: 'double', n: 1 }, 600_000),
    ])
    assert.ok(grown.status === 'rejected' && grown.reason instanceof Refusal)
    assert.equal(grown.reason.details.reason, 'memory limit')
    assert.equal(doubled.status, 'fulfilled')
  }
})

test('the number of workers follows cores and memory', () => {
  const gib = 1024 ** 3
  assert.deepEqual(
    [workersFor(1), workersFor(8), workersFor(8, gib), workersFor(8, 2 * gib), workersFor(2, 64 * gib)],
    [3, 9, 3, 6, 3],
  )
})

/** A gate that jobs wait at: counts arrivals, and lets all of them through. */
function openGate() {
  const gate = mkdtempSync(join(tmpdir(), 'svc-gate-'))
  const arrived = () => readdirSync(gate).filter((name) => name.startsWith('arrived')).length
  return { gate, arrived, open: () => writeFileSync(join(gate, 'open'), '') }
}

test('a tenant with its maximum of long work leaves a worker to another', async (t) => {
  const two_cores = new WorkerPool(system_clock, workersFor(2))
  const { gate, open, arrived } = openGate()
  t.after(async () => {
    open()
    await two_cores.close()
  })
  const hogs = Array.from({ length: tenant_waiting_max + 1 }, (_, n) =>
    two_cores.compute(job, { do: 'wait', n, gate }, 600_000, tenant('hog')),
  )
  const one_more = two_cores.compute(job, { do: 'wait', n: 0, gate }, 600_000, tenant('hog'))
  await assert.rejects(one_more, {
    code: 'rate_limited',
    details: { reason: 'compute share full', waiting_max: 64, retry_after_ms: 1000 },
  })
  await eventually(() => assert.equal(arrived(), 1))
  // None of the first tenant's jobs can end before the gate opens, so the others run beside it.
  assert.deepEqual(await two_cores.compute(job, { do: 'double', n: 1 }, 600_000, tenant('b')), {
    twice: 2,
    counts: true,
  })
  assert.deepEqual(await two_cores.compute(job, { do: 'double', n: 2 }, 5_000, tenant('c')), {
    twice: 4,
    counts: true,
  })
  assert.deepEqual(await two_cores.compute(job, { do: 'double', n: 3 }, 5_000, tenant('hog')), {
    twice: 6,
    counts: true,
  })
  assert.equal(arrived(), 1, 'one long job of the hog runs; the others wait for it')
  open()
  assert.equal((await Promise.all(hogs)).length, tenant_waiting_max + 1)
})

test('a job that found no worker in time says so', async (t) => {
  const single = new WorkerPool(system_clock, 1)
  const { gate, open } = openGate()
  t.after(async () => {
    open()
    await single.close()
  })
  const first = single.compute(job, { do: 'wait', n: 0, gate }, 600_000, tenant('a'))
  const late = single.compute(job, { do: 'double', n: 0 }, 20, tenant('b'))
  await assert.rejects(late, { code: 'timeout', details: { reason: 'compute queue wait', deadline_ms: 20 } })
  open()
  await first
})

test('the start of a worker counts as time of the job that it is started for', async (t) => {
  const single = new WorkerPool(system_clock, 1)
  t.after(() => single.close())
  assert.equal(await single.compute(job, { do: 'start', n: 0 }, 60_000), true)
  assert.equal(await single.compute(job, { do: 'start', n: 0 }, 60_000), false)
})

test('running and waiting jobs are told that the engine stops when the pool is closed', async (t) => {
  const single = new WorkerPool(system_clock, 1)
  t.after(() => single.close())
  const { gate, arrived } = openGate()
  const all = [0, 1].map((n) => single.compute(job, { do: 'wait', n, gate }, 600_000))
  const refused = Promise.all(all.map((one) => assert.rejects(one, { code: 'draining' })))
  await eventually(() => assert.equal(arrived(), 1))
  await single.close()
  await refused
})

test('a worker that never ends its job ends with the engine, however that ends', async (t) => {
  const { gate } = openGate()
  const script = `import { WorkerPool } from '${import.meta.resolve('./worker-pool.ts')}'
    import { system_clock } from '${import.meta.resolve('../clock/system.ts')}'
    new WorkerPool(system_clock, 1).compute(${JSON.stringify(job)}, { do: 'spin', n: 0, gate: '${gate}' }, 600_000)`
  const engine = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' })
  t.after(() => engine.kill('SIGKILL'))
  const pid = await eventually(() => Number(readFileSync(join(gate, 'pid'), 'utf8')))
  assert.ok(process.kill(pid, 0), 'it runs')
  engine.kill('SIGKILL')
  await eventually(() => assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }))
})
