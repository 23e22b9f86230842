// A plugin is called continuously while its folder is replaced: no call fails, each is answered by an
// installed build, and no old build remains.
import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Answer, dispatch } from '../engines/running-engine.ts'
import { type PluginScene, startPluginScene } from '../plugins/plugin-scene.ts'
import { watPlugin } from '../plugins/wat-plugin.ts'
import { publisher, writePlugin } from '../plugins/written-plugin.ts'
import { until } from '../suite/eventually.ts'
import { is_long, report } from './scene/chance.ts'

const calls_min = is_long ? 10_000 : 500
const callers = 4

let scene: PluginScene
before(async () => {
  scene = await startPluginScene({
    SVC_PLUGIN_WATCH_INTERVAL_MS: '100',
    SVC_TRUSTED_PUBLISHERS: publisher.did,
  })
})
after(() => scene?.stop())

async function put(folder: string, version: string, build: string, signed_at?: string): Promise<void> {
  const component = await watPlugin({ answer: `{"build":"${build}"}` })
  const more = signed_at === undefined ? {} : { signed_at }
  writePlugin(join(scene.data_dir, 'plugins', folder), { version, component, ...more })
}

const call = () => dispatch(scene.engine, { protocol: 'GREET', operation: 'run', input: {} })

/** Processes that run this engine's plugins. */
function sandboxPids(): number[] {
  const own = new Set([scene.engine.process.pid])
  const host_pids: number[] = []
  // A child has a higher pid than its parent, unless pids wrapped around.
  const pids = globSync('/proc/[0-9]*').map((path) => Number(path.slice(6)))
  for (const pid of pids.sort((a, b) => a - b)) {
    const [parent, words] = [parentOf(pid), wordsOf(pid)]
    if (parent === undefined || !own.has(parent)) continue
    own.add(pid)
    if (/plugins\/sandbox\/program\.ts/.test(words) && !words.startsWith('/bin/sh')) host_pids.push(pid)
  }
  return host_pids
}

const sandboxes = () => sandboxPids().length

function parentOf(pid: number): number | undefined {
  const stat = readProc(pid, 'stat')
  return stat ? Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) : undefined
}

function wordsOf(pid: number): string {
  return readProc(pid, 'cmdline').replaceAll('\0', ' ')
}

/** CPU time in hundredths of a second. */
function ticksOf(pid: number): number {
  return Number(readProc(pid, 'stat').split(' ')[13] ?? 0)
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

const descriptors = () => readdirSync(`/proc/${scene.engine.process.pid}/fd`).length

interface Tally {
  calls: number
  readonly builds: Map<string, number>
  readonly failed: unknown[]
  last: string | undefined
}

function count(tally: Tally, { status, body }: Answer): void {
  tally.calls++
  const build = body.output?.build
  if (status !== 200 || typeof build !== 'string') tally.failed.push([status, body.error ?? body.output])
  else tally.builds.set(build, (tally.builds.get(build) ?? 0) + 1)
  tally.last = build
}

test('a plugin is replaced under load: no call fails, and nothing of the old build remains', async (t) => {
  t.diagnostic(`N=${calls_min}`)
  await put('first', '1.0.0', 'a')
  await until('it serves', async () => (await call()).status === 200)
  const at_rest = { sandboxes: sandboxes(), descriptors: descriptors() }
  assert.ok(at_rest.sandboxes >= 1, 'the process of the plugin is found')
  const tally: Tally = { calls: 0, builds: new Map(), failed: [], last: undefined }
  let is_over = false
  const load = Array.from({ length: callers }, async () => {
    while (!is_over || tally.calls < calls_min) count(tally, await call())
  })
  const share = (part: number) => until('enough calls', () => tally.calls >= calls_min * part)
  await share(0.2)
  await put('second', '1.1.0', 'b')
  await until('the new version answers', () => tally.last === 'b')
  await share(0.4)
  await put('second', '1.1.0', 'c', '2026-11-02T00:00:00Z')
  await until('the new build answers', () => tally.last === 'c')
  await share(0.6)
  await put('second', '1.1.0', 'd', '2026-11-03T00:00:00Z')
  await until('the newest build answers', () => tally.last === 'd')
  await share(0.8)
  rmSync(join(scene.data_dir, 'plugins/second'), { recursive: true })
  await until('the old version answers again', () => tally.last === 'a')
  is_over = true
  await Promise.all(load)
  assert.deepEqual(tally.failed, [], `${tally.failed.length} of ${tally.calls} failed`)
  assert.deepEqual([...tally.builds.keys()].sort(), ['a', 'b', 'c', 'd'])
  await until('their processes are gone', () => sandboxes() <= at_rest.sandboxes + 1)
  await until('what they held is given back', () => descriptors() <= at_rest.descriptors + slack)
  const { calls, failed } = tally
  report(t, {
    calls,
    failed: failed.length,
    sandboxes: sandboxes(),
    descriptors: descriptors() - at_rest.descriptors,
  })
})

/** The callers' connections, and one spare process of the plugin while there is work. */
const slack = 16

test('SIGTERM: a call in a plugin is answered, then plugins are unloaded, and the engine exits', async () => {
  const spin = `(local $left i64) (local.set $left (i64.const 600000000))
    (loop $again (local.set $left (i64.sub (local.get $left) (i64.const 1)))
      (br_if $again (i64.gt_u (local.get $left) (i64.const 0))))
    i32.const 64`
  const component = await watPlugin({ invoke: spin, answer: '{"done":true}' })
  writePlugin(join(scene.data_dir, 'plugins/slow'), { name: 'slow', protocol: 'SLOW', component })
  await scene.untilState('slow', 'Registered')
  const own = sandboxPids()
  const before = new Map(own.map((pid) => [pid, ticksOf(pid)]))
  const answer = dispatch(scene.engine, { protocol: 'SLOW', operation: 'run', input: {} })
  await until('it is at work', () => own.some((pid) => ticksOf(pid) > (before.get(pid) ?? 0) + 3))
  scene.engine.process.kill('SIGTERM')
  const { status, body } = await answer
  assert.deepEqual([status, body.output], [200, { done: true }], JSON.stringify(body))
  assert.equal(await scene.engine.exited, 0)
  assert.ok(own.length > 0)
  await until('every process of a plugin is gone', () => own.every((pid) => wordsOf(pid) === ''))
})
