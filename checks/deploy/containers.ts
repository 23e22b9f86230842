// Builds and runs containers with Debian's own tools, as root and without a daemon or a registry: an image of Debian is
// bootstrapped once, and images and containers are in a store of the test's own, which it removes.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { is_long } from '../faults/scene/chance.ts'

const programs = [
  'buildah',
  'podman',
  'runc',
  'mmdebstrap',
  'iptables',
  'catatonit',
  '/usr/lib/podman/netavark',
]
const packages = [
  'buildah',
  'podman',
  'runc',
  'mmdebstrap',
  'iptables',
  'catatonit',
  'netavark',
  'aardvark-dns',
]
const command_ms_max = 900_000
const output_bytes_max = 64 * 1024 * 1024
/** Kept between runs: bootstrapping takes minutes. */
const cache = join(tmpdir(), `svc-test-debian-${process.getuid?.() ?? 0}`)
const debian = join(cache, 'trixie.tar')
/** As in Debian's slim images. */
const left_out = ['doc', 'man', 'info', 'locale'].map((folder) => `path-exclude=/usr/share/${folder}/*`)

export const base_image = 'localhost/svc-test-debian'

/** Why no container can run here, in a sentence; undefined if one can. `npm run assurance` installs what is missing. */
export function findContainersMissing(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'Containers are built and run as root on Linux.'
  if (!is_long) return 'Building and running containers takes minutes; npm run assurance does it.'
  if (missingPrograms().length > 0 && runs('apt-get', 'update'))
    runs('apt-get', 'install', '--yes', '--no-install-recommends', ...packages)
  const missing = missingPrograms()
  if (missing.length > 0)
    return `${missing.join(', ')} not found; npm run assurance installs them on Debian, or apt-get install ${packages.join(' ')}.`
  return undefined
}

const missingPrograms = () => programs.filter((program) => !runs(program, '--version'))

function runs(program: string, ...args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync(program, args, { env, stdio: 'ignore', timeout: command_ms_max }).status === 0
}

export interface Containers {
  /** Its output; throws it if the command fails. */
  podman(...args: string[]): string
  /** Runs in the background. */
  start(name: string, args: readonly string[]): void
  /** Runs to its end, without a network. */
  run(...args: string[]): string
  /** An image of these lines of a Dockerfile. */
  build(tag: string, lines: string): void
  /** Where the other containers reach it, and this process. */
  addressOf(name: string): string
  close(): void
}

/** The limits of this machine may be lower than those a container gets by default. */
const rlimits = ['--ulimit=nofile=1024:1024', '--ulimit=nproc=1024:1024']
/** What the chart's pods and the services of compose run with. */
export const confined = ['--read-only', '--tmpfs=/tmp', '--cap-drop=all', '--security-opt=no-new-privileges']

export function openContainers(): Containers {
  const folder = mkdtempSync(join(tmpdir(), 'svc-containers-'))
  const settings = writeSettings(folder)
  // Also for the builder that packing starts.
  Object.assign(process.env, settings)
  const podman = (...args: string[]) => call('podman', args)
  importDebian()
  return {
    podman,
    start: (name, args) => void podman('run', '--detach', '--name', name, ...rlimits, ...args),
    run: (...args) => podman('run', '--rm', '--no-healthcheck', '--network=none', ...rlimits, ...args),
    build(tag, lines) {
      const file = join(folder, 'Dockerfile')
      writeFileSync(file, lines)
      call('buildah', ['build', '--quiet', '--tag', tag, '--file', file, join(folder, 'networks')])
    },
    addressOf: (name) =>
      podman('inspect', '--format={{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}', name).split(
        ' ',
      )[0]!,
    close() {
      podman('rm', '--all', '--force', '--volumes', '--time=0')
      podman('volume', 'prune', '--force')
      podman('network', 'prune', '--force')
      call('buildah', ['rm', '--all'])
      podman('rmi', '--all', '--force')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function writeSettings(folder: string): Record<string, string> {
  const files = {
    CONTAINERS_STORAGE_CONF: `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/images"\nrunroot = "${folder}/run"\n`,
    CONTAINERS_CONF: [
      '[network]',
      'network_backend = "netavark"',
      `network_config_dir = "${folder}/networks"`,
      '[engine]',
      'runtime = "runc"',
      'cgroup_manager = "cgroupfs"',
      'events_logger = "none"',
      `tmp_dir = "${folder}/tmp"`,
      `volume_path = "${folder}/volumes"`,
      `static_dir = "${folder}/static"`,
      '',
    ].join('\n'),
  }
  mkdirSync(join(folder, 'networks'))
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text)
    return [name, join(folder, name)]
  })
  return { ...Object.fromEntries(paths), BUILDAH_ISOLATION: 'chroot' }
}

function importDebian(): void {
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  // The name can be guessed, so another user's folder is not used.
  if (lstatSync(cache).uid !== process.getuid?.()) throw new Error(`${cache} is not ours.`)
  if (!existsSync(debian)) {
    const options = left_out.map((option) => `--dpkgopt=${option}`)
    call('mmdebstrap', ['--variant=minbase', '--include=libatomic1', ...options, 'trixie', `${debian}.new`])
    renameSync(`${debian}.new`, debian)
  }
  const container = call('buildah', ['from', 'scratch']).trim()
  call('buildah', ['add', '--quiet', container, debian, '/'])
  call('buildah', ['commit', '--quiet', '--rm', container, base_image])
}

function call(command: string, args: readonly string[]): string {
  return execFileSync(command, args, {
    encoding: 'utf8',
    timeout: command_ms_max,
    maxBuffer: output_bytes_max,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
