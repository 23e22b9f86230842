// The engine as users get it: packed, installed by npm into an empty folder, and started by `npx svc-engine
// up`.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { pack } from '../../clients/packing/pack.ts'
import type { Packed } from '../../clients/packing/package-folder.ts'
import { type Addresses, freePorts } from '../engines/running-engine.ts'
import { arrives } from '../suite/eventually.ts'
import { stopwatch } from '../suite/real-time.ts'

export const run = promisify(execFile)
export const step_ms_max = 300_000
const said_chars_max = 20_000

export interface Installed {
  readonly packed: Packed
  /** Where npm installed it; it was empty before. */
  readonly folder: string
  /** Contains all of this. */
  readonly home: string
}

export async function installEngine(): Promise<Installed> {
  const home = await mkdtemp(join(tmpdir(), 'svc-packed-engine-'))
  const [packed] = await pack(join(home, 'dist'), ['svc-engine'])
  const folder = join(home, 'empty')
  await mkdir(folder)
  await npmInstall(folder, packed!.tarball)
  return { packed: packed!, folder, home }
}

export async function npmInstall(folder: string, name: string): Promise<void> {
  const quietly = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  await run('npm', ['install', ...quietly, name], { cwd: folder, timeout: step_ms_max })
}

export interface StartedEngine extends Addresses {
  readonly mcp_url: string
  readonly console_url: string
  /** Until its first line, which names its address. */
  readonly start_ms: number
  /** Like Ctrl-C: signals its whole group. Returns the output since then. */
  stop(): Promise<string>
}

/** With the Node in the folder `node_bin`, and only the path to npm from this process's environment. */
export async function npxUp(
  { folder }: Installed,
  node_bin: string,
  env: Record<string, string> = {},
): Promise<StartedEngine> {
  const port = String(await freePorts())
  const elapsed_ms = stopwatch()
  // Without --no, npx would install a stranger's package of that name if it is missing.
  const child = spawn('npx', ['--no', 'svc-engine', 'up', '--json', '--port', port], {
    cwd: folder,
    env: { ...environment(node_bin), ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr_text = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr_text = (stderr_text + text).slice(-said_chars_max)
  })
  // npx exits first; until the engine has closed the inherited pipes, the group still belongs to it.
  let is_closed = false
  const closed = once(child, 'close').then(() => {
    is_closed = true
  })
  const signal = (name: NodeJS.Signals) => void (is_closed || process.kill(-child.pid!, name))
  /** What hangs is killed, with all its processes. */
  const arrivesOrDies = <Value>(name: string, promise: Promise<Value>) =>
    arrives(name, promise).catch((error) => {
      signal('SIGKILL')
      throw error
    })
  const first = once(createInterface({ input: child.stdout }), 'line')
  const line = await arrivesOrDies('the first line of npx svc-engine up', Promise.race([first, closed]))
  if (!line) throw new Error(`npx svc-engine up said nothing: ${stderr_text}`)
  return {
    ...JSON.parse(line[0]),
    start_ms: elapsed_ms(),
    async stop() {
      signal('SIGTERM')
      await arrivesOrDies('the end of npx svc-engine up', closed)
      return stderr_text
    },
  }
}

/** Runs one of its commands to its end. */
export async function npxEngine({ folder }: Installed, node_bin: string, ...args: string[]): Promise<string> {
  const options = { cwd: folder, env: environment(node_bin), timeout: step_ms_max }
  return (await run('npx', ['--no', 'svc-engine', ...args], options)).stdout
}

function environment(node_bin: string): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH: `${node_bin}${delimiter}${PATH}`, HOME, NO_COLOR: '1' }
}

export async function filesBelow(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}
