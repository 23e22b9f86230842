import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { inspectProcess, waitForExit, waitUntil } from './os-process.ts'

test('a living process is told by its arguments and its start', async () => {
  const child = spawn('sleep', ['61'])
  try {
    const found = await inspectProcess(child.pid ?? 0)
    assert.deepEqual(found?.arguments, ['sleep', '61'])
    assert.ok(found?.started)
    assert.deepEqual(await inspectProcess(child.pid ?? 0), found)
  } finally {
    child.kill('SIGKILL')
  }
})

test('a process that ended is gone, and numbers that are no pid are nobody', async () => {
  const child = spawn('sleep', ['60'])
  assert.equal(await waitForExit(child.pid ?? 0, 30), false)
  child.kill('SIGKILL')
  assert.ok(await waitForExit(child.pid ?? 0, 10_000))
  for (const nobody of [0, -1, 1.5, Number.NaN]) assert.equal(await inspectProcess(nobody), undefined)
})

test('a zombie counts as gone although its pid still exists', async () => {
  // The shell becomes a sleep that never asks after the child it started before.
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const zombie = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)))
    assert.ok(await waitUntil(async () => (await inspectProcess(zombie)) === undefined, 10_000))
    assert.ok(process.kill(zombie, 0))
  } finally {
    parent.kill('SIGKILL')
  }
})
