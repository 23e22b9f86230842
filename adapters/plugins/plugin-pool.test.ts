import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { quiet_host, translateHere } from '../../checks/plugins/hostile/run-case.ts'
import { host_imports, type WatPlugin, watPlugin } from '../../checks/plugins/wat-plugin.ts'
import { childrenOf, commandOf } from '../../checks/security/process-memory.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { system_clock } from '../clock/system.ts'
import { PluginPool, type PoolOptions } from './plugin-pool.ts'
import type { CallHost } from './plugin-process.ts'

const ms_max = 20_000
const silent = { debug() {}, info() {}, warn() {}, error() {} } as unknown as PoolOptions['log']
const asking = (tenant_id: string, operation = 'run') => ({
  tenant_id,
  operation,
  payload: '{}',
  context: '{}',
  config: '{}',
})

async function opened(t: TestContext, plugin: WatPlugin, more: Partial<PoolOptions> = {}) {
  const code = await translateHere(await watPlugin(plugin))
  const broken: string[] = []
  const pool = new PluginPool({
    plugin: 'test@1.0.0',
    code,
    wasi: [],
    operations: ['run'],
    processes_max: 1,
    clock: system_clock,
    log: silent,
    onBroken: (reason) => broken.push(reason),
    ...more,
  })
  t.after(async () => {
    pool.close()
    await code.close()
  })
  return { pool, broken, code }
}

/** Counts its calls in its memory and returns the count: shared memory between tenants would be visible. */
const counting: WatPlugin = {
  fields: '(global $n (mut i32) (i32.const 47))',
  answer: '0',
  invoke: `(global.set $n (i32.add (global.get $n) (i32.const 1)))
    (i32.store8 (i32.const 256) (global.get $n)) (i32.const 64)`,
}
/** Calls its host, and so stays busy until that answers. */
const waiting: WatPlugin = {
  imports: host_imports.call,
  invoke: `(call $call (i32.const 192) (i32.const 3) (i32.const 192) (i32.const 3)
    (i32.const 256) (i32.const 11) (i32.const 2048)) (i32.const 2048)`,
}

function gate(): { host: CallHost; open: () => void; entered: Promise<void> } {
  const [opening, entering] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const call = async () => {
    entering.resolve()
    await opening.promise
    return { ok: '{}' }
  }
  return { host: { ...quiet_host, call }, open: opening.resolve, entered: entering.promise }
}

test('each tenant has its own instance, in any order of calls', async (t) => {
  const { pool } = await opened(t, counting)
  await pool.warm()
  const answers = []
  for (const tenant of ['alpha', 'beta', 'alpha', 'beta', 'gamma', 'alpha'])
    answers.push(await pool.run(asking(tenant), quiet_host, ms_max))
  const counts = answers.map((answer) => ('answered' in answer ? answer.answered : answer))
  assert.deepEqual(counts, ['0', '0', '1', '1', '0', '2'])
})

test('calls queue for a process, and a call that waits too long is told to retry', async (t) => {
  const { pool } = await opened(t, waiting)
  await pool.warm()
  const { host, open, entered } = gate()
  const first = pool.run(asking('alpha'), host, ms_max)
  await entered
  await assert.rejects(pool.run(asking('alpha'), host, 30), {
    code: 'no_endpoint_available',
    message: /had no process free within 30 ms/,
  })
  const second = pool.run(asking('beta'), host, ms_max)
  open()
  assert.deepEqual(await Promise.all([first, second]), [{ answered: '{}' }, { answered: '{}' }])
})

test('the queue is bounded', async (t) => {
  const { pool } = await opened(t, waiting)
  await pool.warm()
  const { host, open, entered } = gate()
  const all = [pool.run(asking('alpha'), host, ms_max)]
  await entered
  for (let i = 0; i < 256; i++) all.push(pool.run(asking('alpha'), host, ms_max))
  await assert.rejects(pool.run(asking('alpha'), host, ms_max), { message: /has a full line of calls/ })
  open()
  assert.equal((await Promise.all(all)).length, 257)
})

test('a tenant with many calls does not delay another one behind them', async (t) => {
  const { pool } = await opened(t, waiting)
  await pool.warm()
  const { host, open, entered } = gate()
  const order: string[] = []
  const run = async (tenant: string) => {
    await pool.run(asking(tenant), host, ms_max)
    order.push(tenant)
  }
  const all = [run('hog')]
  await entered
  for (let i = 0; i < 256; i++) all.push(run('hog'))
  const turned_away = Promise.allSettled(all)
  all.push(run('other'))
  open()
  await all.at(-1)
  assert.ok(order.length <= 3, `${order.length} calls came before it`)
  const refused = (await turned_away).filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 1, 'the queue was full, and the tenant with most calls in it gave way')
})

test('a dead process is replaced, even if it died while idle', async (t) => {
  const others = new Set(sandboxes())
  const { pool } = await opened(t, { imports: host_imports.config, ...counting })
  await pool.warm()
  assert.deepEqual(await pool.run(asking('alpha'), quiet_host, ms_max), { answered: '0' })
  const [pid] = sandboxes().filter((child) => !others.has(child))
  process.kill(pid!, 'SIGKILL')
  // Its pid is free once this process has seen its exit.
  await eventually(() => assert.equal(existsSync(`/proc/${pid}`), false))
  assert.deepEqual(await pool.run(asking('alpha'), quiet_host, ms_max), { answered: '0' })
})

test('a late call ends its process, and the next call gets another', async (t) => {
  const { pool } = await opened(
    t,
    {
      names: ['loop', 'run'],
      invoke:
        '(if (i32.eq (i32.load8_u (local.get $a)) (i32.const 108)) (then (loop $l (br $l)))) (i32.const 64)',
    },
    { operations: ['loop', 'run'] },
  )
  await pool.warm()
  assert.deepEqual(Object.keys(await pool.run(asking('alpha', 'loop'), quiet_host, 50)), ['late_ms'])
  assert.deepEqual(await pool.run(asking('alpha'), quiet_host, ms_max), { answered: '{"ok":true}' })
})

test('a component that is not the one its manifest describes does not start', async (t) => {
  const more = await opened(t, { names: ['run', 'walk'] })
  await assert.rejects(more.pool.warm(), /disagree: it also serves walk/)
  const less = await opened(t, {}, { operations: ['run', 'walk'] })
  await assert.rejects(less.pool.warm(), /disagree: it does not serve walk/)
  assert.equal(await less.pool.isHealthy(), false)
})

test('a plugin that repeatedly cannot be started is reported as broken, and nobody keeps waiting', async (t) => {
  const { pool, broken } = await opened(t, { operations: 'unreachable' })
  await assert.rejects(pool.run(asking('alpha'), quiet_host, ms_max), {
    code: 'no_endpoint_available',
    message: /cannot be started/,
  })
  assert.equal(broken.length, 1)
  assert.match(broken[0]!, /unreachable/)
})

test('after closing, waiting and new calls are refused', async (t) => {
  const { pool } = await opened(t, waiting)
  await pool.warm()
  const { host, open, entered } = gate()
  const first = pool.run(asking('alpha'), host, ms_max)
  await entered
  const second = pool.run(asking('alpha'), host, ms_max)
  pool.close()
  await assert.rejects(second, /was unloaded/)
  await assert.rejects(pool.run(asking('alpha'), host, ms_max), /was unloaded/)
  assert.equal(await pool.isHealthy(), false)
  open()
  assert.deepEqual(await first, { answered: '{}' })
})

/** The sandboxes below this process, without the shells that watch them. */
function sandboxes(): number[] {
  return childrenOf(process.pid).filter((pid) => commandOf(pid).startsWith(process.execPath))
}
