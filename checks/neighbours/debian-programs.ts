// Programs of Debian that the machine does not have, or in other versions: bootstrapped once into a folder, and run there as root
// would run them with chroot. Each run has mounts of its own, which end with it.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { is_long } from '../faults/scene/chance.ts'
import { findOrInstall } from '../suite/install.ts'

/** What is bootstrapped into one folder, so that who needs one of them does not wait for all. */
export interface DebianPrograms {
  readonly name: string
  readonly packages: readonly string[]
  readonly folder: string
  /** The processes' user inside. */
  readonly user: string
}

const release = 'trixie'
const patroni_programs: DebianPrograms = {
  name: 'Patroni and what it needs',
  packages: ['patroni', 'etcd-server', 'haproxy', 'pgbouncer', 'postgresql-17', 'python3-etcd'],
  folder: `${release}-1`,
  user: 'postgres',
}
export const prometheus_programs: DebianPrograms = {
  name: 'Prometheus',
  packages: ['prometheus'],
  folder: `${release}-prometheus-1`,
  user: 'prometheus',
}
/** Of every Linux. */
const with_own_mounts = 'unshare'
const within = 'chroot'
const bootstrap_ms_max = 900_000
/** Kept between runs: bootstrapping takes minutes. */
const cache = join(tmpdir(), `svc-test-programs-${process.getuid?.() ?? 0}`)
const bootstrap = {
  name: 'mmdebstrap',
  places: ['/usr/bin/mmdebstrap'],
  package: 'mmdebstrap',
  variable: 'SVC_TEST_MMDEBSTRAP',
}
const left_out = ['doc', 'man', 'info', 'locale'].map(
  (folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`,
)

/** Why they cannot run here, in a sentence; undefined if they can. */
export function findProgramsMissing(programs = patroni_programs): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'Programs of Debian are bootstrapped and run as root on Linux.'
  if (spawnSync(with_own_mounts, ['--mount', 'true']).status !== 0)
    return 'This root may not mount, which running programs of Debian in a folder needs.'
  if (!existsSync(rootOf(programs)) && !is_long)
    return `${programs.name}: not bootstrapped from Debian yet, which takes minutes; npm run assurance does it once.`
  return undefined
}

const rootOf = ({ folder }: DebianPrograms) => join(cache, folder)

/** Fills the folder if needed, and hands `dir` to the user of the programs. They see it as /srv. */
export function openPrograms(dir: string, programs = patroni_programs): void {
  mkdirSync(cache, { recursive: true, mode: 0o755 })
  // The name can be guessed, so another user's folder is not used.
  if (lstatSync(cache).uid !== process.getuid?.()) throw new Error(`${cache} is not ours.`)
  const root = rootOf(programs)
  if (!existsSync(root)) fill(programs)
  const own = execFileSync(within, [root, 'id', '-u', programs.user], { encoding: 'utf8' }).trim()
  execFileSync('chown', ['-R', own, dir])
}

/** Named last: a partly filled folder is never used. */
function fill(programs: DebianPrograms): void {
  const root = rootOf(programs)
  const partial = `${root}.${process.pid}`
  const options = [
    '--variant=minbase',
    `--include=${programs.packages.join(',')}`,
    ...left_out,
    release,
    partial,
  ]
  try {
    execFileSync(findOrInstall(bootstrap), options, { stdio: 'ignore', timeout: bootstrap_ms_max })
    renameSync(partial, root)
  } catch (cause) {
    const tried = `mmdebstrap --include=${programs.packages.join(',')} ${release}`
    throw new Error(`${programs.name} could not be installed from Debian (${tried}).`, { cause })
  } finally {
    rmSync(partial, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Runs one with `dir` as /srv; what it says is in `log`. The child's id is the program's own. */
export function startProgram(
  dir: string,
  log: string,
  command: readonly string[],
  programs = patroni_programs,
): ChildProcess {
  const root = rootOf(programs)
  const memory = `mount -t tmpfs -o mode=1777 tmpfs ${root}/dev/shm`
  const mounts = `mount --rbind /proc ${root}/proc && mount --bind "$0" ${root}/srv && ${memory}`
  const enter = `${mounts} && exec ${within} --userspec=${programs.user} ${root} "$@"`
  const out = openSync(join(dir, log), 'a')
  try {
    return spawn(
      with_own_mounts,
      ['--mount', '--propagation', 'private', 'sh', '-c', enter, dir, ...command],
      {
        stdio: ['ignore', out, out],
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', HOME: '/srv' },
      },
    )
  } finally {
    closeSync(out)
  }
}
