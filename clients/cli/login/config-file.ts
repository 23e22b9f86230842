// The config file: written atomically, readable by the owner only, changed only while holding its lock.
import { randomUUID } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SvcError } from '@svc/sdk/errors'
import { type ConfigFile, configPath } from '@svc/sdk/settings'
import type { Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { writeWhole } from '../private-file.ts'
import { hostOf } from '../settings.ts'

const owner_only_file = 0o600
const owner_only_folder = 0o700
const lock_poll_ms = 50
/** Longer than a refresh takes: a lock held longer is stale. */
const lock_wait_ms_max = 45_000

/** The fields of the file, in the order they are written. */
const fields = [
  'auth_url',
  'api_url',
  'agent_did',
  'access_token',
  'refresh_token',
  'api_key',
  'private_key',
  'tenant_id',
] as const satisfies (keyof ConfigFile)[]

export function configPathOf(terminal: Terminal, profile: string | undefined): string {
  const path = configPath(profile, hostOf(terminal))
  if (path !== undefined) return path
  throw new SvcError({
    code: 'not_configured',
    message: 'There is no home directory to store a login in; set HOME.',
  })
}

/** A reader sees the old file or the new one, never half of either. */
export async function writeConfig(path: string, config: ConfigFile): Promise<void> {
  const text = JSON.stringify(Object.fromEntries(fields.map((name) => [name, config[name]])), null, 2)
  try {
    await makeFolders(path)
    await writeWhole(path, [`${text}\n`])
  } catch (error) {
    throw fileFault(error, path)
  }
}

/** Permissions, a full disk, a file instead of a folder: the person has to fix it. */
function fileFault(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string') return error
  return new UsageError(
    `${path} cannot be written (${code}); check its permissions, its folder and the free disk space.`,
  )
}

/** `.svc` and, for a profile, the folder in it; made owner-only even if they exist. */
async function makeFolders(path: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: owner_only_folder })
  await chmod(folder, owner_only_folder)
  if (basename(folder) === 'profiles') await chmod(dirname(folder), owner_only_folder)
}

/** Serializes read-modify-write: a refresh token used twice revokes the whole login. */
export async function withLock<Result>(
  path: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const lock = `${path}.lock`
  const mine = `${hostname()} ${process.pid} ${randomUUID()}`
  try {
    await makeFolders(path)
    await takeLock(lock, mine, signal)
  } catch (error) {
    throw signal.aborted ? error : fileFault(error, path)
  }
  try {
    return await work()
  } finally {
    if ((await readLock(lock)) === mine) await rm(lock, { force: true })
  }
}

async function takeLock(lock: string, mine: string, signal: AbortSignal): Promise<void> {
  let last_holder: string | undefined
  let seen_since_ms = performance.now()
  while (!(await tryLock(lock, mine))) {
    const holder = await readLock(lock)
    if (holder !== last_holder) [last_holder, seen_since_ms] = [holder, performance.now()]
    const forgotten = performance.now() - seen_since_ms > lock_wait_ms_max
    if (holder !== undefined && (forgotten || isGone(holder))) await breakLock(lock, holder)
    else await sleep(lock_poll_ms, undefined, { signal })
  }
}

async function tryLock(lock: string, mine: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', owner_only_file)
    await file.writeFile(mine).finally(() => file.close())
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function readLock(lock: string): Promise<string | undefined> {
  try {
    return await readFile(lock, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A lock of a dead process on this machine is stale; for another machine we cannot know. */
function isGone(holder: string): boolean {
  const [host, pid] = holder.split(' ')
  if (host !== hostname() || !/^\d{1,10}$/.test(pid ?? '')) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Moved aside and checked before it is deleted, so that two processes do not delete each other's new lock. */
async function breakLock(lock: string, holder: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`
  try {
    await rename(lock, aside)
    if ((await readLock(aside)) !== holder) await link(aside, lock)
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    await rm(aside, { force: true })
  }
}

export async function removeConfig(path: string): Promise<void> {
  await rm(path, { force: true })
}
