import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { eventually, hang_ms_max } from '../../checks/suite/eventually.ts'
import { inspectProcess, waitForExit } from './os-process.ts'

test('a live process is identified by its arguments and its start time', async () => {
  const child = spawn('sleep', ['610'])
  try {
    // Right after its start the system does not know its arguments yet.
    const process_facts = await eventually(async () => {
      const facts = await inspectProcess(child.pid ?? 0)
      assert.deepEqual(facts?.arguments, ['sleep', '610'])
      return facts
    })
    assert.ok(process_facts?.started)
    assert.deepEqual(await inspectProcess(child.pid ?? 0), process_facts)
  } finally {
    child.kill('SIGKILL')
  }
})

test('a process that ended is gone, and invalid pids match nobody', async (t) => {
  const child = spawn('sleep', ['600'])
  t.after(() => child.kill('SIGKILL'))
  assert.equal(await waitForExit(child.pid ?? 0, 30), false)
  child.kill('SIGKILL')
  assert.ok(await waitForExit(child.pid ?? 0, hang_ms_max))
  for (const nobody of [0, -1, 1.5, Number.NaN]) assert.equal(await inspectProcess(nobody), undefined)
})

test('a zombie counts as gone although its pid still exists', async () => {
  // The shell becomes a sleep that never reaps the child started before, which ends on request.
  const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  })
  try {
    const zombie = Number(await new Promise((resolve) => parent.stdout?.once('data', resolve)))
    await eventually(async () => {
      assert.equal((await inspectProcess(parent.pid ?? 0))?.arguments[0], 'sleep')
    })
    assert.ok(await inspectProcess(zombie))
    ;(parent.stdio[3] as Duplex).end()
    await eventually(async () => assert.equal(await inspectProcess(zombie), undefined))
    assert.ok(process.kill(zombie, 0))
  } finally {
    parent.kill('SIGKILL')
  }
})
