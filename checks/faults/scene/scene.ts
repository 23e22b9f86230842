// One test's engines, databases and folders. They end with the test, also when it fails.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@svc/adapters/store/embedded-postgres'
import { waitForExit } from '@svc/adapters/store/os-process'
import { isPostmasterOf, readPidFile } from '@svc/adapters/store/postmaster'
import { type EngineOptions, type RunningEngine, startEngine } from '../../engines/running-engine.ts'
import { type TestDatabase, testDatabase } from '../../rehearsal/test-database.ts'

const quit_ms_max = 5_000

/** Passed to Node before the engine's program, it runs instead of it, with the same command line. */
export const slow_engine = [fileURLToPath(new URL('./slow-engine.ts', import.meta.url))]

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

export interface Scene {
  readonly dir: string
  /** A real engine on the folder of this name. */
  start(name: string, more?: Omit<EngineOptions, 'data_dir'>): Promise<RunningEngine>
  dataDir(name: string): string
  /** A PostgreSQL without a supervising engine, so that it stays down when it is stopped. */
  startDatabase(name: string): Promise<EmbeddedPostgres>
  /** A database on the shared test server, for faults of an engine alone: quick to create. */
  borrowDatabase(): Promise<string>
  /** A separate file system for the folder, removed with the scene. */
  mount(path: string, options: string): void
}

export function openScene(t: TestContext): Scene {
  const dir = mkdtempSync(join(tmpdir(), 'svc-faults-'))
  // As root the database runs as another user, which needs access to the folder.
  chmodSync(dir, 0o755)
  const engines: RunningEngine[] = []
  const folders = new Set<string>()
  const borrowed: TestDatabase[] = []
  const mounts: string[] = []
  t.after(async () => {
    for (const { process: child } of engines) child.kill('SIGKILL')
    await Promise.all(engines.map((engine) => engine.exited))
    for (const folder of folders) await endDatabase(folder)
    for (const database of borrowed) await database.close()
    for (const path of mounts) run('umount', '-l', path)
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  })
  const dataDir = (name: string) => {
    const folder = join(dir, name)
    folders.add(join(folder, 'postgres'))
    return folder
  }
  return {
    dir,
    dataDir,
    async start(name, more = {}) {
      const engine = await startEngine({ data_dir: dataDir(name), ...more })
      engines.push(engine)
      return engine
    },
    async startDatabase(name) {
      const folder = join(dir, name)
      folders.add(folder)
      return await startEmbeddedPostgres({ data_dir: folder, log: quiet })
    },
    async borrowDatabase() {
      const database = await testDatabase()
      borrowed.push(database)
      return database.url
    },
    mount(path, options) {
      run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', path)
      mounts.push(path)
    },
  }
}

/** Whether this user may mount a disk; root alone is not enough, so it is tried. */
export function canMount(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'svc-mount-'))
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir)
    run('umount', dir)
    return true
  } catch {
    return false
  } finally {
    rmdirSync(dir)
  }
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'ignore' })
}

/** The server process of a database folder, if one runs. */
export async function postmasterOf(folder: string): Promise<number | undefined> {
  const pgdata = join(folder, 'postgres', 'data')
  const noted = await readPidFile(pgdata)
  return noted && (await isPostmasterOf(pgdata, noted.pid)) ? noted.pid : undefined
}

/** A server and its backends, so that all can be halted. */
export function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.trim().split(' ').filter(Boolean).map(Number)]
}

/** Ignores processes that are already gone. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

async function endDatabase(folder: string): Promise<void> {
  const pid = await postmasterOf(folder)
  if (pid === undefined) return
  if (process.platform === 'linux') signal(familyOf(pid), 'SIGCONT')
  signal([pid], 'SIGQUIT')
  if (await waitForExit(pid, quit_ms_max)) return
  signal([pid], 'SIGKILL')
  await waitForExit(pid, quit_ms_max)
}
