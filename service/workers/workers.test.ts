import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { prometheus } from '@svc/adapters/telemetry/prometheus'
import { figure, foldCounters, metricsPage } from '@svc/adapters/telemetry/summed-metrics'
import { measure } from '../assembly/metrics.ts'
import { findOrphaned, workerFolder } from './journal-folders.ts'
import { superviseWorkers, workerCount } from './workers.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const env = {
  SVC_AGENT_DID: `did:oas:operator:service:${'a'.repeat(64)}`,
  SVC_TENANT_ID: 'operator',
  SVC_DB_URL: 'postgresql://db/svc',
  SVC_MASTER_KEY: 'ab'.repeat(32),
  SVC_REDIS_URL: 'redis://cache:6379',
}

test('the number of workers: a number, or the number of cores', () => {
  assert.deepEqual([workerCount('1'), workerCount('64')], [1, 64])
  assert.equal(workerCount('auto'), Math.min(64, availableParallelism()))
  for (const text of ['0', '65', '-1', '1.5', 'many', '', '1e1', ' 2'])
    assert.throws(() => workerCount(text), {
      message: `--workers is ${text}; it must be a number from 1 to 64, or auto.`,
    })
})

test('what several workers cannot share is refused in one sentence before one is started', async () => {
  await assert.rejects(superviseWorkers({ ...env, SVC_RATE_LIMIT_BACKEND: 'memory' }, 2), {
    name: 'ConfigError',
    message: '2 workers cannot share limits counted in memory; set SVC_RATE_LIMIT_BACKEND=redis, or run one.',
  })
  await assert.rejects(
    superviseWorkers({ ...env, SVC_MCP_PORT: '0' }, 2),
    /set SVC_MCP_PORT to a port, or to off/,
  )
  await assert.rejects(
    superviseWorkers({}, 2),
    /^ConfigError: svc-engine serve needs SVC_DB_URL, .*SVC_AGENT_DID/,
  )
})

function worker(calls: number, pending: number, state: number) {
  const meters = prometheus(quiet)
  for (let i = 0; i < calls; i++) meters.dispatched('MOTET', 'emit', 'success', 'ok', 1, 'acme')
  meters.gauge('svc_audit_pending_bytes', 'Journalled.', () => pending)
  meters.gauge('svc_audit_state', '0 normal, 1 buffering, 2 overflow.', () => state)
  return measure(meters)
}

test("workers' metrics are summed, states shown at their worst, and counts outlive a worker", async () => {
  const [first, second] = [await worker(2, 10, 0), await worker(3, 20, 2)]
  const shown = (page: string, name: string) =>
    Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(page)?.[1])
  const both = await metricsPage([[], first, second, figure('svc_workers', 'Workers.', 'gauge', 2)])
  const names = [
    'svc_dispatch_total',
    'svc_dispatch_seconds_count',
    'svc_audit_pending_bytes',
    'svc_audit_state',
  ]
  assert.deepEqual(
    [...names, 'svc_workers'].map((name) => shown(both.text, name)),
    [5, 5, 30, 2, 2],
  )
  assert.match(both.type, /^text\/plain/)
  // As over the real channel, which carries only JSON.
  const gone = foldCounters(foldCounters([], JSON.parse(JSON.stringify(second))), await worker(10, 5, 1))
  const after = await metricsPage([gone, first])
  assert.deepEqual(
    names.map((name) => shown(after.text, name)),
    [15, 15, 10, 0],
  )
})

test('orphaned journals are found: of workers that are gone, and of an engine that ran alone', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-left-'))
  t.after(() => rmSync(dir, { recursive: true }))
  assert.deepEqual(findOrphaned(join(dir, 'not there'), new Set()), [])
  for (const name of ['worker-1', 'worker-2', 'worker-10', 'worker-x', 'other']) {
    mkdirSync(join(dir, name))
    writeFileSync(join(dir, name, 'id'), '')
  }
  mkdirSync(join(dir, 'worker-3'))
  mkdirSync(join(dir, 'worker-4'))
  writeFileSync(join(dir, 'worker-4', 'removing'), '')
  const in_use = new Set([workerFolder(dir, 1)])
  const left = ['worker-10', 'worker-2', 'worker-4'].map((name) => join(dir, name))
  assert.deepEqual(findOrphaned(dir, in_use).sort(), left)
  writeFileSync(join(dir, 'id'), '')
  assert.deepEqual(findOrphaned(dir, in_use).sort(), [dir, ...left])
})
