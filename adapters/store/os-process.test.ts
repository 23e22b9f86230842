import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { inspectProcess, type ProcessFacts, waitForExit, waitUntil } from './os-process.ts'

test('a live process is identified by its arguments and its start time', async () => {
  const child = spawn('sleep', ['61'])
  try {
    // Right after its start the system does not know its arguments yet.
    let process_facts: ProcessFacts | undefined
    await waitUntil(async () => {
      process_facts = await inspectProcess(child.pid ?? 0)
      return process_facts?.arguments.length !== 0
    }, 10_000)
    assert.deepEqual(process_facts?.arguments, ['sleep', '61'])
    assert.ok(process_facts?.started)
    assert.deepEqual(await inspectProcess(child.pid ?? 0), process_facts)
  } finally {
    child.kill('SIGKILL')
  }
})

test('a process that ended is gone, and invalid pids match nobody', async () => {
  const child = spawn('sleep', ['60'])
  assert.equal(await waitForExit(child.pid ?? 0, 30), false)
  child.kill('SIGKILL')
  assert.ok(await waitForExit(child.pid ?? 0, 10_000))
  for (const nobody of [0, -1, 1.5, Number.NaN]) assert.equal(await inspectProcess(nobody), undefined)
})

test('a zombie counts as gone although its pid still exists', async () => {
  // The shell becomes a sleep that never reaps the child started before, which ends on request.
  const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  })
  try {
    const zombie = Number(await new Promise((resolve) => parent.stdout?.once('data', resolve)))
    await waitUntil(async () => (await inspectProcess(parent.pid ?? 0))?.arguments[0] === 'sleep', 10_000)
    assert.ok(await inspectProcess(zombie))
    ;(parent.stdio[3] as Duplex).end()
    assert.ok(await waitUntil(async () => (await inspectProcess(zombie)) === undefined, 10_000))
    assert.ok(process.kill(zombie, 0))
  } finally {
    parent.kill('SIGKILL')
  }
})
