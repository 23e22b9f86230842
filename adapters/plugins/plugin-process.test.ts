import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { codeOf, quiet_host, translateHere } from '../../checks/plugins/hostile/run-case.ts'
import { host_imports, type WatPlugin, watPlugin } from '../../checks/plugins/wat-plugin.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { type CallHost, PluginProcess, sandbox_limits } from './plugin-process.ts'

const ms_max = 10_000
const call = { tenant_id: 'alpha', operation: 'run', payload: '{}', context: '{}', config: '{}' }

/** Started, and ended after the test. */
async function started(t: { after(work: () => unknown): void }, plugin: WatPlugin, limits = sandbox_limits) {
  const code = await translateHere(await watPlugin(plugin))
  const { process: sandbox, operations } = await PluginProcess.start(code, [], limits)
  t.after(async () => {
    sandbox.kill('the test is over')
    await code.close()
  })
  return { sandbox, operations }
}

async function startedGlue(t: { after(work: () => unknown): void }, glue: string) {
  const code = await codeOf([['plugin.js', Buffer.from(glue)]])
  t.after(() => code.close())
  return PluginProcess.start(code, [])
}

function isThere(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('it reports its operations, answers, and can be called again', async (t) => {
  const { sandbox, operations } = await started(t, { names: ['run', 'walk'] })
  assert.deepEqual(operations, ['run', 'walk'])
  for (let i = 0; i < 3; i++)
    assert.deepEqual(await sandbox.invoke(call, quiet_host, ms_max), { answered: '{"ok":true}' })
  assert.equal(sandbox.isDead, false)
})

test('it has no environment, its own limits, and a lower priority than the engine', async (t) => {
  const { sandbox } = await started(t, {})
  const read = (name: string) => readFileSync(`/proc/${sandbox.pid}/${name}`, 'utf8')
  // The shell that starts it may set PWD.
  assert.match(read('environ'), /^((PWD|OLDPWD|SHLVL|_)=[^\0]*\0)*$/)
  assert.match(read('limits'), /^Max core file size +0 /m)
  assert.match(read('limits'), /^Max file size +0 /m)
  assert.match(read('limits'), /^Max data size +1073741824 /m)
  assert.ok(Number(read('stat').split(') ')[1]!.split(' ')[16]) > 0, 'its niceness is higher')
  if (process.getuid?.() === 0) assert.match(read('status'), /^Uid:\s+65534\s+65534/m)
})

test('its requests to the host are answered, and a refusal arrives unchanged', async (t) => {
  const passes_on = `(call $call (i32.const 192) (i32.const 3) (i32.const 192) (i32.const 3)
    (i32.const 256) (i32.const 11) (i32.const 2048)) (i32.const 2048)`
  const { sandbox } = await started(t, { imports: host_imports.call, invoke: passes_on })
  const heard: unknown[] = []
  const host: CallHost = {
    ...quiet_host,
    async call(...words) {
      heard.push(words)
      return { ok: '{"found":7}' }
    },
  }
  assert.deepEqual(await sandbox.invoke(call, host, ms_max), { answered: '{"found":7}' })
  assert.deepEqual(heard, [['run', 'run', '{"ok":true}']])
  const refused = { code: 'policy-denied', message: 'No.', reason: 'a rule', details: '{"a":1}' }
  const denying = { ...quiet_host, call: async () => ({ refused }) }
  assert.deepEqual(await sandbox.invoke(call, denying, ms_max), { refused })
})

test('a trap ends the instance and not the process', async (t) => {
  const once = '(global $n (mut i32) (i32.const 0))'
  const count = `(global.set $n (i32.add (global.get $n) (i32.const 1)))
    (if (i32.eq (global.get $n) (i32.const 2)) (then unreachable)) (i32.const 64)`
  const { sandbox } = await started(t, { fields: once, invoke: count })
  const ways = []
  for (let i = 0; i < 4; i++) ways.push(...Object.keys(await sandbox.invoke(call, quiet_host, ms_max)))
  assert.deepEqual(ways, ['answered', 'trapped', 'answered', 'trapped'])
})

test('a late process is killed with its group, and stays dead', async (t) => {
  const { sandbox } = await started(t, { invoke: '(loop $l (br $l)) unreachable' })
  assert.deepEqual(await sandbox.invoke(call, quiet_host, 50), { late_ms: 50 })
  assert.equal(sandbox.isDead, true)
  await eventually(() => assert.equal(isThere(sandbox.pid), false))
  assert.deepEqual(await sandbox.invoke(call, quiet_host, ms_max), { died: 'it did not answer in time' })
})

test('after its exit its pid is not signalled again', async (t) => {
  const { sandbox } = await started(t, {})
  process.kill(sandbox.pid, 'SIGKILL')
  await eventually(() => assert.equal(sandbox.isDead, true))
  const kill = t.mock.method(process, 'kill', () => true)
  sandbox.kill('again')
  sandbox.kill('and again')
  assert.equal(kill.mock.callCount(), 0)
})

test('a live process is killed once, with its whole group', async (t) => {
  const { sandbox } = await started(t, {})
  const kill = t.mock.method(process, 'kill')
  sandbox.kill('enough')
  assert.deepEqual(kill.mock.calls[0]?.arguments, [-sandbox.pid, 'SIGKILL'])
  await eventually(() => assert.equal(isThere(sandbox.pid), false))
})

test('messages against the protocol end it: out of turn, during a request, or unknown', async (t) => {
  const serving = (invoke: string) =>
    `export const instantiate = (core, imports) => ({ operations: () => ['run'], invoke() { ${invoke} } })`
  const promised = await startedGlue(t, serving('return Promise.resolve("{}")'))
  assert.deepEqual(await promised.process.invoke(call, quiet_host, ms_max), {
    died: 'it said what no sandbox says',
  })
  const odd = await startedGlue(t, serving(`imports['svc:plugin/host'].call(1, {}, null)`))
  assert.deepEqual(await odd.process.invoke(call, quiet_host, ms_max), {
    died: 'it said what no sandbox says',
  })
  await assert.rejects(
    startedGlue(t, 'export const instantiate = () => ({ operations: () => ({ length: 9 }) })'),
    /it said what no sandbox says/,
  )
})
