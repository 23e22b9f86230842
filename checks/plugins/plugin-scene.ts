import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PluginState } from '@svc/adapters/plugins/plugin-store'
import { lockDirectory } from '@svc/audit/journal/journal-directory'
import { plugin } from '@svc/service/plugin'
import { type RunningEngine, startEngine } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'

const root = join(import.meta.dirname, '../..')
const build_wait_ms_max = 120_000

export interface Answered {
  readonly exit: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: rows of every shape
  readonly rows: any[]
}

/** `svc-engine plugin …` in this process; a failure's sentence is thrown. */
export async function runPlugin(args: string[], env: Record<string, string> = {}): Promise<Answered> {
  let text = ''
  const write = async (part: string) => {
    text += part
  }
  const exit = await plugin(args, env, { input: (async function* () {})(), write })
  const rows = args.includes('--json')
    ? text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []
  return { exit, text, rows }
}

export const greeting = join(root, 'examples/plugins/greeting')

/** The unsigned output of `build` for a source folder, copied to `into`; the same source is built once. */
export async function buildOnce(source: string, into: string): Promise<string> {
  const cache = join(tmpdir(), `svc-built-plugin-${hashOf(source)}`)
  mkdirSync(cache, { recursive: true })
  const unlock = await lockDirectory(cache, build_wait_ms_max)
  try {
    const done = join(cache, 'done')
    if (!existsSync(done)) {
      const copy = join(cache, 'source')
      rmSync(copy, { recursive: true, force: true })
      cpSync(source, copy, { recursive: true, filter: (path) => !/\/(dist|node_modules)$/.test(path) })
      const [built] = (await runPlugin(['build', copy, '--json'])).rows
      cpSync(built.folder, done, { recursive: true })
    }
    cpSync(done, into, { recursive: true })
    return into
  } finally {
    unlock()
  }
}

/** The build includes the kit and the compiler. */
function hashOf(source: string): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const folder of [source, join(root, 'clients/plugin-typescript'), join(root, 'service/plugin')]) {
    for (const file of globSync('**/*.{ts,toml,wit,rs}', { cwd: folder }).sort()) {
      if (/(^|\/)(dist|node_modules|target)\//.test(file)) continue
      hash.update(`${file}\n`).update(readFileSync(join(folder, file)))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

export interface PluginScene {
  readonly engine: RunningEngine & { readonly mcp_url: string }
  /** Its plugin folder, beside its data. */
  readonly folder: string
  readonly data_dir: string
  /** A command for this engine. */
  run(...args: string[]): Promise<Answered>
  /** Waits until the engine reports the state; returns its data on the plugin. */
  untilState(name: string, state: PluginState): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

export async function startPluginScene(env: Record<string, string> = {}): Promise<PluginScene> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-plugins-'))
  const data_dir = join(folder, 'data')
  const engine = (await startEngine({ data_dir, env })) as PluginScene['engine']
  const run = (...args: string[]) => runPlugin([...args, '--data-dir', data_dir], env)
  return {
    engine,
    folder,
    data_dir,
    run,
    untilState: (name, state) =>
      until(`${name} is ${state}`, async () => {
        const { rows } = await run('list', '--json')
        return rows.find((row) => row.name === name && row.state === state)
      }),
    async stop() {
      await engine.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
