// The folders and files of the embedded PostgreSQL: created once, reused by every later start.
import { execFile } from 'node:child_process'
import { chown, mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { promisify } from 'node:util'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import type { Log } from '@svc/engine/ports'
import { system_clock } from '../clock/system.ts'
import { canReach, findPostgresBinaries, type PostgresBinaries, system_dir } from './postgres-binaries.ts'
import { readPidFile, stopPostmaster } from './postmaster.ts'

const initdb_timeout_ms = 120_000
const partial_prefix = 'data.partial-'
/** Beside a database that is stored elsewhere: its owner. */
const owner_note = 'data-folder'
const orphan_age_ms_min = 3_600_000
const orphans_at_once_max = 2

// Nothing of the caller's environment: PGDATA, PGPORT or a foreign locale would change the server's behaviour.
export const server_environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export interface Cluster {
  readonly binaries: PostgresBinaries
  /** Exactly as the server is started: a running server is recognised by it. */
  readonly pgdata: string
  readonly password: string
  readonly password_file: string
  readonly port_file: string
  readonly log_file: string
}

/** Notes beside the database, in the data folder itself wherever the database is. */
export function notesOf(data_dir: string) {
  return {
    password_file: join(data_dir, 'postgres-password'),
    port_file: join(data_dir, 'postgres-port'),
    log_file: join(data_dir, 'postgres.log'),
  }
}

/** Finds or creates the database files of a data folder. Must run under the start lock. */
export async function openCluster(data_dir: string, durable: boolean, log: Log): Promise<Cluster> {
  const binaries = await findPostgresBinaries()
  const home = await placeFor(data_dir, binaries, log)
  const pgdata = join(home, 'data')
  const notes = notesOf(data_dir)
  const { password_file } = notes
  const stored_password = (await readFile(password_file, 'utf8').catch(() => '')).trim()
  if (stored_password === '' && (await isInitialised(pgdata))) await setAside(home, data_dir, log)
  const password = stored_password || (await createPassword(password_file))
  await removePartials(home)
  if (!(await isInitialised(pgdata))) await initialise(binaries, home, password, durable)
  await refuseOtherVersion(pgdata, binaries)
  return { binaries, pgdata, password, ...notes }
}

/** In the data folder, or elsewhere if root's unprivileged user cannot reach that. A database is never moved. */
async function placeFor(data_dir: string, { user }: PostgresBinaries, log: Log): Promise<string> {
  const inside = join(data_dir, 'postgres')
  if (!user) return await madeFolder(inside)
  const outside = join(system_dir, 'data', sha256Hex(data_dir).slice(0, 16))
  if (await isInitialised(join(outside, 'data'))) return outside
  if (await canReach(user, data_dir)) return await madeFolder(inside)
  if (!(await isInitialised(join(inside, 'data')))) return await madeOutside(outside, data_dir, log)
  throw new Error(
    `PostgreSQL runs as user ${user.uid} here and cannot reach its database in ${inside} any more; ` +
      'give the folders above it the right to be passed through (chmod o+x).',
  )
}

async function madeOutside(place: string, data_dir: string, log: Log): Promise<string> {
  await removeOrphans(join(system_dir, 'data'), log)
  const made = await madeFolder(place)
  await writeFile(join(made, owner_note), data_dir)
  return made
}

/**
 * A database of a removed temporary folder is deleted some time later, the oldest first and a few per start: removing
 * thousands of files takes time.
 */
async function removeOrphans(places: string, log: Log): Promise<void> {
  const names = await readdir(places).catch(() => [])
  const orphans = await Promise.all(names.map((name) => orphanAt(join(places, name))))
  const oldest = orphans.filter((orphan) => orphan !== undefined).sort((a, b) => a.made_ms - b.made_ms)
  for (const { place } of oldest.slice(0, orphans_at_once_max)) {
    try {
      await removePlace(place)
      log.info({ place }, 'a database was removed: its temporary data folder is gone')
    } catch (error) {
      log.warn({ err: error, place }, 'a database whose data folder is gone could not be removed')
    }
  }
}

/** If a folder is missing and was not temporary, its disk may be unmounted. */
async function orphanAt(place: string): Promise<{ place: string; made_ms: number } | undefined> {
  const note = join(place, owner_note)
  const made = await stat(note).catch(() => undefined)
  if (!made || system_clock.now_ms() - made.mtimeMs < orphan_age_ms_min) return undefined
  // Another start may be removing it.
  const owner = await readFile(note, 'utf8').catch(() => '')
  const is_orphan = owner.startsWith((await realpath(tmpdir())) + sep) && !(await isThere(owner))
  return is_orphan ? { place, made_ms: made.mtimeMs } : undefined
}

async function removePlace(place: string): Promise<void> {
  const pgdata = join(place, 'data')
  const noted = await readPidFile(pgdata)
  if (noted) await stopPostmaster(pgdata, noted.pid)
  for (const path of [place, `${place}.old`]) await rm(path, { recursive: true, force: true })
}

async function madeFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true })
  return await realpath(path)
}

function isInitialised(pgdata: string): Promise<boolean> {
  return isThere(join(pgdata, 'PG_VERSION'))
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

/** Removing the data folder means starting over; its files elsewhere are set aside, one generation deep. */
async function setAside(home: string, data_dir: string, log: Log): Promise<void> {
  if (home.startsWith(join(data_dir, 'postgres'))) {
    throw new Error(
      `The database in ${home} is there but its password file ${join(data_dir, 'postgres-password')} is not; ` +
        'put the file back, or remove the data folder to begin anew.',
    )
  }
  const pgdata = join(home, 'data')
  const noted = await readPidFile(pgdata)
  if (noted) await stopPostmaster(pgdata, noted.pid)
  const old_home = `${home}.old`
  await rm(old_home, { recursive: true, force: true })
  await rename(pgdata, old_home)
  log.warn(
    { kept: old_home },
    'the data folder was removed, so its database was set aside and a new one begins',
  )
}

async function createPassword(password_file: string): Promise<string> {
  const password = system_clock.randomBytes(24).toString('hex')
  await writeFile(password_file, password, { mode: 0o600 })
  return password
}

async function initialise(
  binaries: PostgresBinaries,
  home: string,
  password: string,
  durable: boolean,
): Promise<void> {
  const { user } = binaries
  // A unique name: the initdb of a killed starter may still be writing.
  const partial = join(home, partial_prefix + system_clock.randomBytes(6).toString('hex'))
  const handed_over = `${partial}.password`
  await mkdir(partial, { mode: 0o700 })
  await writeFile(handed_over, password, { mode: 0o600 })
  // Only these two change owner: root never writes where the other user could have placed a link.
  if (user) await Promise.all([partial, handed_over].map((path) => chown(path, user.uid, user.gid)))
  const options = ['-D', partial, '-U', 'svc', '-A', 'scram-sha-256', `--pwfile=${handed_over}`, '-E', 'UTF8']
  try {
    await promisify(execFile)(
      binaries.initdb,
      [...options, '--locale=C', ...(durable ? [] : ['--no-sync', '--set=scram_iterations=1'])],
      { cwd: home, env: server_environment, timeout: initdb_timeout_ms, ...user },
    )
  } catch (cause) {
    const message = (cause as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? String(cause)
    throw new Error(`PostgreSQL could not make its database files in ${home}: ${message}`, { cause })
  } finally {
    await rm(handed_over, { force: true })
  }
  // Renamed last, so that incomplete files are never taken for a database.
  await rename(partial, join(home, 'data'))
}

/** Incomplete files of killed starters. Those still being written to are left to the next start. */
async function removePartials(home: string): Promise<void> {
  const left = (await readdir(home)).filter((name) => name.startsWith(partial_prefix))
  for (const name of left) await rm(join(home, name), { recursive: true, force: true }).catch(() => {})
}

async function refuseOtherVersion(pgdata: string, binaries: PostgresBinaries): Promise<void> {
  const cluster_version = (await readFile(join(pgdata, 'PG_VERSION'), 'utf8')).trim()
  if (cluster_version === binaries.major) return
  throw new Error(
    `The database in ${pgdata} was made by PostgreSQL ${cluster_version}, and this is PostgreSQL ${binaries.major}; ` +
      'dump it with the old version, or choose another data folder.',
  )
}
