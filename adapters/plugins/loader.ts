// Follows the plugin folder: each plugin is read, judged, loaded and routed, replaced or removed, while calls go on.
// Only a scan decides and stores; slow work runs beside it, and the next scan finds the result.

import { join } from 'node:path'
import type { PluginLoaderConfig } from '@svc/contract/foreign/plugin-manifest'
import type { Declaration } from '@svc/contract/protocol'
import { HostedPlugins, type PluginRoutes } from './hosted.ts'
import { type LoadedPlugin, loadPlugin } from './loaded-plugin.ts'
import { PluginLoads, type Wanted } from './loads.ts'
import { listFolders, lookAt } from './look-at.ts'
import { inOrder, keyOf, type Look, namesOfFolder, type Outcome, type Settled } from './looks.ts'
import {
  awaitsEnable,
  disabled,
  held_twice,
  isSame,
  type Keeping,
  keepOutcome,
  registered,
} from './outcomes.ts'
import { type PluginPackage, Rejected, readPluginFolder } from './plugin-folder.ts'
import { keepRemoved, listPlugins, type StoredPlugin } from './plugin-store.ts'

export interface LoaderOptions extends Keeping {
  readonly config: PluginLoaderConfig
  /** The default folder need not exist. */
  readonly may_be_absent: boolean
  readonly svc_version: string
  readonly abi_level: string
  readonly processes_max: number
  readonly known: readonly Declaration[]
  readonly routes: PluginRoutes
  /** Tests about time and order bring one that needs no processes. */
  readonly load?: typeof loadPlugin
}

const plugins_max = 64
/** Longer than the clock step of most file systems: a folder being copied or swapped is not read early. */
const settle_ms = 2_000
const failures_max = 3
const retry_ms = 60_000

// A class because it must be closed.
export class PluginLoader {
  readonly #options: LoaderOptions
  readonly #hosted: HostedPlugins
  readonly #loads: PluginLoads
  /** By folder. */
  readonly #settled = new Map<string, Settled>()
  /** Builds that broke while they served. */
  readonly #broken = new Map<string, { readonly digest: string; readonly why: string }>()
  #gone_since_ms: ReadonlyMap<string, number> = new Map()
  #scanning: Promise<void> | undefined
  #again = false
  #closed = false
  #is_started = false
  #problem: string | undefined = 'the plugin folder was not looked at yet'

  constructor(options: LoaderOptions) {
    const { routes, config, log } = options
    this.#options = options
    this.#hosted = new HostedPlugins({ routes, directory: config.directory, log })
    this.#loads = new PluginLoads({
      read: readPluginFolder,
      make: (plugin, load_request) => this.#make(plugin, load_request),
      onDone: () => void this.scan(),
    })
  }

  /** Undefined while the loader works; a faulty plugin is not the loader's fault. */
  get problem(): string | undefined {
    return this.#problem
  }

  get isLoading(): boolean {
    return this.#loads.isBusy
  }

  /** Undefined if the circuit belongs to no plugin. */
  isHealthy(circuit: string): Promise<boolean> | undefined {
    return this.#hosted.isHealthy(circuit)
  }

  /** One at a time; changes meanwhile are scanned again. */
  scan(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    if (this.#scanning) this.#again = true
    this.#scanning ??= this.#scanAll().finally(() => {
      this.#scanning = undefined
    })
    return this.#scanning
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#loads.close()
    await this.#scanning
    this.#loads.close()
    await this.#hosted.close()
  }

  async #scanAll(): Promise<void> {
    do {
      this.#again = false
      try {
        await this.#scanOnce()
        // A balancer waits for the plugins found at the start; later ones may take their time.
        this.#is_started ||= !this.#loads.isBusy
        this.#problem = this.#is_started ? undefined : 'the plugins are being loaded'
      } catch (error) {
        const problem = (error as Error).message
        if (problem !== this.#problem)
          this.#options.log.error({ err: error }, 'the plugin folder cannot be followed')
        this.#problem = problem
      }
    } while (this.#again && !this.#closed)
  }

  async #scanOnce(): Promise<void> {
    const plugins = await listPlugins(this.#options.db)
    const broken = this.#dropFallen(plugins)
    const folders = await this.#folders()
    const looks: Look[] = []
    for (const folder of folders ?? []) {
      if (this.#closed) return
      looks.push(await this.#look(folder, plugins))
    }
    for (const folder of this.#settled.keys()) if (!folders?.includes(folder)) this.#settled.delete(folder)
    const keys_seen = new Set<string>()
    let fault: unknown
    // If one plugin cannot be stored, the others are still processed.
    for (const look of looks.sort(inOrder(plugins, this.#settled)))
      await this.#settle(look, plugins, keys_seen).catch((error) => {
        fault ??= error
      })
    for (const { serves } of this.#settled.values()) if (serves) keys_seen.add(serves)
    this.#loads.keepOnly(keys_seen)
    await this.#removeGone(folders ? plugins : [], keys_seen)
    await this.#hosted.readConfigs()
    if (fault) throw fault
    for (const [key, fall] of broken) if (this.#broken.get(key) === fall) this.#broken.delete(key)
  }

  /** First, whatever their folders hold by now: a disabled or broken plugin answers nobody. */
  #dropFallen(stored_plugins: readonly StoredPlugin[]) {
    for (const plugin of stored_plugins) if (plugin.enabled === false) this.#hosted.drop(keyOf(plugin))
    for (const [key, { digest }] of this.#broken)
      if (this.#hosted.get(key)?.digest === digest) this.#hosted.drop(key)
    return [...this.#broken]
  }

  async #folders(): Promise<string[] | undefined> {
    const { config, may_be_absent } = this.#options
    try {
      return await listFolders(config.directory)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && may_be_absent) return undefined
      throw error
    }
  }

  #look(folder: string, stored_plugins: readonly StoredPlugin[]): Promise<Look> {
    const { config, known, clock, svc_version } = this.#options
    const { directory } = config
    const now_ms = clock.monotonic_ms()
    const looking = {
      directory,
      folder,
      kept: stored_plugins,
      known,
      now_ms,
      rules: { ...config, svc_version },
    }
    return lookAt(looking, this.#settled.get(folder), (before) => this.#stands(before))
  }

  #stands({ look, outcome, waits }: Settled): boolean {
    if (this.#broken.has(keyOf(look))) return false
    return waits ? waits() : outcome !== undefined && this.#isSure(look)
  }

  /** It was unchanged for long enough. */
  #isSure({ since_ms }: Look): boolean {
    return this.#options.clock.monotonic_ms() - since_ms >= settle_ms
  }

  async #settle(look: Look, stored_plugins: readonly StoredPlugin[], keys_seen: Set<string>): Promise<void> {
    const { folder } = look
    const before = this.#settled.get(folder)
    const is_double = keys_seen.has(keyOf(look))
    const names = is_double ? namesOfFolder(folder) : look
    keys_seen.add(keyOf(names))
    if (before?.look === look && is_double === (before.outcome === held_twice)) return
    const is_known = before?.look.digest === look.digest && before.look.words === look.words
    const failures = is_known ? before.failures : 0
    const came: Come = is_double ? { outcome: held_twice } : this.#decide(look, stored_plugins, failures)
    // A rejected folder may still be incomplete.
    const is_early = came.outcome instanceof Rejected && !this.#isSure(look)
    const outcome = is_early ? undefined : came.outcome
    // Stored before it serves, so that it is known even if this process ends.
    if (outcome && !(is_known && isSame(outcome, before.outcome)))
      await keepOutcome(this.#options, { ...look, ...names }, outcome).catch(async (error) => {
        await came.made?.close()
        throw error
      })
    if (came.made) this.#hosted.host(keyOf(look), came.made)
    else if (came.outcome && !is_double) this.#loads.drop(keyOf(look))
    const serves = [!is_double && keyOf(look), before?.serves].find((key) => key && this.#hosted.get(key))
    const waits = is_early ? undefined : came.waits
    this.#settled.set(folder, {
      look,
      outcome,
      waits,
      serves: serves || undefined,
      failures: came.failures ?? failures,
    })
  }

  /** The outcome to store, and the plugin itself if it is to serve from now on. */
  #decide(look: Look, stored_plugins: readonly StoredPlugin[], failures: number): Come {
    const { config } = this.#options
    const { name, digest, declaration, rejected } = look
    const key = keyOf(look)
    const word = stored_plugins.find((each) => keyOf(each) === key)?.enabled
    if (word === false) return { outcome: disabled }
    if (rejected || !declaration) return { outcome: rejected }
    if (!config.auto_discover && word !== true) return { outcome: awaitsEnable(key) }
    const fall = this.#broken.get(key)
    if (fall?.digest === digest) return this.#failed('cannot be started', fall.why, failures)
    if (this.#hosted.get(key)?.digest === digest) return { outcome: registered }
    const hindrance = () => this.#hindrance(key, declaration)
    const hindered = hindrance()
    if (hindered) return { outcome: hindered, waits: () => hindrance() !== undefined }
    const path = join(config.directory, look.folder)
    const load = this.#loads.take({ key, name, path, digest, declaration })
    if (load.state === 'made') return { outcome: registered, made: load.made }
    if (load.state === 'failed') return this.#failed('cannot be loaded', load.why, failures)
    return { outcome: undefined, waits: () => this.#loads.isUnderWay(key) }
  }

  /** What prevents it now, and may pass. */
  #hindrance(key: string, declaration: Declaration): Rejected | undefined {
    const taken = this.#hosted.taken(key, declaration)
    if (taken) return new Rejected('version taken', taken)
    if (this.#hosted.get(key) || this.#hosted.keys.length < plugins_max) return undefined
    return new Rejected('too many plugins', `At most ${plugins_max} plugins are loaded at once.`)
  }

  /** An overloaded machine may be the reason, so it is retried a few times. */
  #failed(reason: string, why: string, before: number): Come {
    const { clock } = this.#options
    const failures = before + 1
    const outcome: Outcome = { state: 'Error', reason, why }
    const until_ms = clock.monotonic_ms() + retry_ms * failures
    if (failures >= failures_max) return { outcome, failures }
    return { outcome, failures, waits: () => clock.monotonic_ms() < until_ms }
  }

  async #make(plugin: PluginPackage, { key, name, digest, declaration }: Wanted): Promise<LoadedPlugin> {
    const { load = loadPlugin, abi_level, processes_max, clock, log } = this.#options
    await this.#hosted.readConfig(name)
    return load(plugin, declaration, {
      processes_max,
      abi_level,
      clock,
      log,
      config: () => this.#hosted.configOf(name),
      onBroken: (why) => {
        this.#broken.set(key, { digest, why })
        void this.scan()
      },
    })
  }

  /** Two renames swap a folder: it counts as removed only when it stays away. */
  async #removeGone(stored_plugins: readonly StoredPlugin[], keys_seen: ReadonlySet<string>): Promise<void> {
    const { clock, db } = this.#options
    const now_ms = clock.monotonic_ms()
    const here = stored_plugins.filter(({ state }) => state !== 'Removed').map(keyOf)
    const gone = [...new Set([...here, ...this.#hosted.keys])].filter((key) => !keys_seen.has(key))
    this.#gone_since_ms = new Map(gone.map((key) => [key, this.#gone_since_ms.get(key) ?? now_ms]))
    for (const [key, since_ms] of this.#gone_since_ms) {
      if (now_ms - since_ms < settle_ms) continue
      this.#hosted.drop(key)
      const [name, version] = [key.slice(0, key.lastIndexOf('@')), key.slice(key.lastIndexOf('@') + 1)]
      await keepRemoved(db, { name, version }, new Date(clock.now_ms()).toISOString())
    }
  }
}

interface Come {
  readonly outcome: Outcome | Rejected | undefined
  readonly made?: LoadedPlugin
  readonly failures?: number
  readonly waits?: () => boolean
}
