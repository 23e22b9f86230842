// The disk of the audit buffer turns read-only, as a file system does on an internal error, and is replaced.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { dispatch } from '../engines/running-engine.ts'
import { eventually, until } from '../suite/eventually.ts'
import { stopwatch } from '../suite/real-time.ts'
import { assertCounted, assertKept, readAuditLogs } from './scene/audit-log-check.ts'
import { type Answered, foreign, query, slowSort, startCallers } from './scene/callers.ts'
import { announce, is_long, openChance, report } from './scene/chance.ts'
import { openScene, slow_engine } from './scene/scene.ts'

const count = slowSort('count', {})
const answers_meanwhile = 1_000

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}

interface Disk {
  /** Remounts read-only, as on an internal error. */
  break(): void
  unmount(): void
}

/** A file system in an image file: a tmpfs cannot become read-only while a file is open. */
function mountDisk(image: string, path: string): Disk {
  run('truncate', '-s', '16M', image)
  run('mkfs.ext4', '-q', '-F', image)
  run('mount', '-o', 'loop,errors=remount-ro', image, path)
  const device = run('losetup', '-n', '-O', 'NAME', '-j', image).split('\n')[0]!.trim()
  const trigger = `/sys/fs/ext4/${basename(device)}/trigger_fs_error`
  if (!existsSync(trigger)) throw new Error('this kernel cannot be made to find a fault')
  return { break: () => writeFileSync(trigger, 'by a test'), unmount: () => run('umount', '-l', path) }
}

function whyNot(): string | false {
  if (!is_long) return 'only in npm run assurance'
  const dir = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  try {
    mkdirSync(join(dir, 'disk'))
    mountDisk(join(dir, 'image'), join(dir, 'disk')).unmount()
    return false
  } catch {
    return 'needs root, loop devices and ext4'
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

test('a disk that turns read-only refuses state changes; a new disk is used automatically', {
  skip: whyNot(),
  timeout: 300_000,
}, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, 1, chance)
  const disks: Disk[] = []
  // Runs before the scene is cleaned up: its folder cannot be removed while a disk is mounted in it.
  t.after(() => {
    for (const disk of disks) disk.unmount()
  })
  const scene = openScene(t)
  const path = join(scene.dir, 'disk')
  mkdirSync(path)
  const disk = mountDisk(join(scene.dir, 'first'), path)
  disks.push(disk)
  const env = { SVC_AUDIT_BUFFER_DIR: join(path, 'audit'), SVC_LOG: 'silent' }
  const engine = await scene.start('engine', { node_args: slow_engine, env })
  const callers = startCallers(engine, 8, [count, query, foreign], chance)
  const last = () => callers.answered.findLast(({ sort }) => sort === count)?.status
  await until('calls flow', () => callers.answered.length > 200)
  disk.break()
  const broken_for_ms = stopwatch()
  await until('state changes are refused', () => last() === 429 || last() === 500)
  const noticed_ms = broken_for_ms()
  await until('/ready says so and stays ready', async () => {
    const ready = await fetch(`${engine.api_url}/ready`)
    return ready.status === 200 && (await ready.text()).includes('"audit":{"state":"overflow"}')
  })
  const before = callers.answered.length
  await until('calls go on', () => callers.answered.length > before + answers_meanwhile)
  const replacing_for_ms = stopwatch()
  disks.push(mountDisk(join(scene.dir, 'second'), path))
  await until('state changes are taken again', () => last() === 200)
  const recovered_ms = replacing_for_ms()
  await callers.stop()
  assert.equal(callers.unanswered, 0)
  // Counted refusals are recorded as a sum within a second.
  await eventually(() => assertNoneUnrecorded(callers.answered))
  report(t, { answered: callers.answered.length, noticed_ms, recovered_ms, unrecorded_changes: 0 })

  async function assertNoneUnrecorded(answered: readonly Answered[]): Promise<void> {
    // What could not be recorded was answered as an internal error; nothing else may be missing.
    const served = answered.filter(({ code }) => code !== 'internal')
    const audit_logs = await readAuditLogs(engine, { data_dir: scene.dataDir('engine') })
    assertKept(served, audit_logs)
    assertCounted(served, audit_logs)
    const changed = await dispatch(engine, { protocol: 'SLOW', operation: 'counted', input: {} })
    const confirmed = served.filter(({ sort, status }) => sort === count && status === 200).length
    const doubtful = answered.filter(({ sort, code }) => sort === count && code === 'internal').length
    const { changes } = changed.body.output
    assert.ok(
      changes >= confirmed && changes <= confirmed + doubtful,
      `${changes}, ${confirmed}, ${doubtful}`,
    )
  }
})
