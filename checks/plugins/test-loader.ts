// A loader on its own folder and database, with plugins that need no process, for tests of order and time.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PluginRoutes } from '@svc/adapters/plugins/hosted'
import type { LoadParts, loadPlugin } from '@svc/adapters/plugins/loaded-plugin'
import { type LoaderOptions, PluginLoader } from '@svc/adapters/plugins/loader'
import { keyOf, namesOf } from '@svc/adapters/plugins/looks'
import { listPlugins, type SeenPlugin } from '@svc/adapters/plugins/plugin-store'
import type { Database } from '@svc/contract/database'
import { type OpenRegistry, openRegistry } from '@svc/engine/routing/registry'
import type { Endpoint } from '@svc/engine/routing/routing'
import { type ManualClock, manualClock } from '../rehearsal/manual-clock.ts'
import { publisher } from './written-plugin.ts'

export interface TestLoader {
  readonly loader: PluginLoader
  readonly directory: string
  readonly clock: ManualClock
  readonly rejected: SeenPlugin[]
  /** Loaded and not closed, by key. */
  readonly alive: Map<string, LoadParts & { readonly digest: string }>
  /** Every load, in order. */
  readonly loads: string[]
  /** Makes loading wait or fail. */
  onLoad: (key: string) => Promise<void>
  /** Scans and waits for pending loads. */
  settle(): Promise<void>
  /** The same, after enough time for a folder to count as stable. */
  later(): Promise<void>
  states(): Promise<Record<string, string>>
  /** Protocols routed to a plugin. */
  routed(): string[]
  close(): Promise<void>
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

interface Choices extends Partial<Omit<LoaderOptions, 'config'>> {
  readonly config?: Partial<LoaderOptions['config']>
}

export function openTestLoader(db: Database, choices: Choices = {}): TestLoader {
  const directory = choices.config?.directory ?? mkdtempSync(join(tmpdir(), 'svc-loader-'))
  const clock = manualClock('2026-11-16T08:00:00Z', directory)
  const registry = openRegistry()
  const rejected: SeenPlugin[] = []
  const [alive, loads]: [TestLoader['alive'], string[]] = [new Map(), []]
  const load = loadInto(alive, loads, (key) => scene.onLoad(key))
  const onRejected = async (_: Database, plugin: SeenPlugin) => void rejected.push(plugin)
  const own = { routes: routesOf(registry), db, clock, load, onRejected }
  const config = { ...config_default, directory, ...choices.config }
  const loader = new PluginLoader({ ...options_default, ...own, ...choices, config })
  const scene: TestLoader = {
    loader,
    directory,
    clock,
    rejected,
    alive,
    loads,
    onLoad: async () => {},
    async settle() {
      await loader.scan()
      while (loader.isLoading) await new Promise(setImmediate)
      await loader.scan()
    },
    async later() {
      await scene.settle()
      clock.advance(2_000)
      await scene.settle()
    },
    states: () => statesIn(db),
    routed: () =>
      registry
        .ids()
        .flatMap((id) => versionsOf(registry, id))
        .sort(),
    async close() {
      await loader.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return scene
}

const config_default = {
  auto_discover: true,
  allowed_sources: ['wasm' as const],
  watch_interval_ms: 5_000,
  require_signatures: true,
  trusted_publishers: [publisher.did],
}

const options_default = {
  may_be_absent: false,
  svc_version: '1.4.0',
  abi_level: '37.0.0',
  processes_max: 1,
  known: [],
  log: quiet,
}

function loadInto(
  alive: TestLoader['alive'],
  loads: string[],
  onLoad: (key: string) => Promise<void>,
): typeof loadPlugin {
  return async (plugin, declaration, parts) => {
    const { digest } = plugin
    const key = keyOf(namesOf(plugin.manifest))
    loads.push(key)
    await onLoad(key)
    const live = { ...parts, digest }
    alive.set(key, live)
    const close = async () => void (alive.get(key) === live && alive.delete(key))
    const endpoint = { id: `plugin:${key}`, kind: 'wasm', healthy: true, in_flight: 0 } as Endpoint
    return { key, digest, declaration, endpoint, isHealthy: async () => true, retire: close, close }
  }
}

function routesOf(registry: OpenRegistry): PluginRoutes {
  return {
    taken: (id, version) =>
      versionsOf(registry, id).includes(`${id} ${version}`) ? `${id} ${version} is served.` : undefined,
    host: (declaration, endpoint) => registry.register(declaration, [endpoint]),
    unhost: (id, version) => registry.unregister(id, version),
  }
}

function versionsOf(registry: OpenRegistry, id: string): string[] {
  return registry.versions(id)?.map(({ version }) => `${id} ${version}`) ?? []
}

async function statesIn(db: Database): Promise<Record<string, string>> {
  const rows = await listPlugins(db)
  const words = (row: SeenState) => [row.state, row.reason].filter(Boolean).join(': ')
  return Object.fromEntries(rows.map((row) => [keyOf(row), words(row)]))
}
type SeenState = Pick<SeenPlugin, 'state' | 'reason'>
