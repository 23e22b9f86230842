// Follows a folder of plugins: each is read, judged, loaded and routed, replaced or taken away, while calls go on.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '@svc/contract/operation-context'
import type { PluginLoaderConfig } from '@svc/contract/plugin-manifest'
import type { Declaration } from '@svc/contract/protocol'
import type { Clock, Log } from '@svc/engine/ports'
import type { Endpoint } from '@svc/engine/routing'
import { declarePlugin } from './declare.ts'
import { judgePlugin } from './judge.ts'
import { type LoadedPlugin, loadPlugin } from './loaded-plugin.ts'
import { describe, inOrder, keyOf, knownOf, type Look, namesOf, wordsOn } from './looks.ts'
import { readPluginConfig } from './plugin-config.ts'
import { fingerprintOf, type PluginPackage, Rejected, readPluginFolder } from './plugin-folder.ts'
import { type KeptPlugin, keepSeen, listPlugins, type PluginState, type SeenPlugin } from './plugin-store.ts'

export interface PluginRoutes {
  /** Why this version cannot be a plugin's, undefined where it can. */
  taken(id: string, version: string): string | undefined
  host(declaration: Declaration, endpoint: Endpoint): void
  unhost(id: string, version: string): void
}

export interface LoaderOptions {
  readonly config: PluginLoaderConfig
  /** A folder that nobody named need not be there. */
  readonly may_be_absent: boolean
  readonly svc_version: string
  readonly abi_level: string
  readonly processes_max: number
  readonly known: readonly Declaration[]
  readonly routes: PluginRoutes
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  onRejected(plugin: SeenPlugin): void
}

const folders_max = 256
const plugins_max = 64

// A class because it must be closed.
export class PluginLoader {
  readonly #options: LoaderOptions
  readonly #looks = new Map<string, Look & { words: string }>()
  readonly #loaded = new Map<string, LoadedPlugin>()
  readonly #configs = new Map<string, Readonly<Record<string, unknown>>>()
  #scanning: Promise<void> | undefined
  #again = false
  #closed = false
  #problem: string | undefined = 'the plugin folder was not looked at yet'

  constructor(options: LoaderOptions) {
    this.#options = options
  }

  /** Undefined where the loader does its work; a plugin that is wrong is that plugin's matter. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Undefined where the endpoint is no plugin's. */
  isHealthy(endpoint_id: string): Promise<boolean> | undefined {
    return [...this.#loaded.values()].find(({ endpoint }) => endpoint.id === endpoint_id)?.isHealthy()
  }

  /** One at a time; what changes meanwhile is looked at again. */
  scan(): Promise<void> {
    if (this.#scanning) this.#again = true
    this.#scanning ??= this.#scanAll().finally(() => {
      this.#scanning = undefined
    })
    return this.#scanning
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#scanning
    for (const loaded of this.#loaded.values()) await loaded.close()
  }

  async #scanAll(): Promise<void> {
    do {
      this.#again = false
      try {
        await this.#scanOnce()
        this.#problem = undefined
      } catch (error) {
        const problem = (error as Error).message
        if (problem !== this.#problem)
          this.#options.log.error({ err: error }, 'the plugin folder cannot be followed')
        this.#problem = problem
      }
    } while (this.#again && !this.#closed)
  }

  async #scanOnce(): Promise<void> {
    const { db } = this.#options
    const kept = await listPlugins(db)
    const folders = await this.#folders()
    const seen = new Set<string>()
    const looks: Look[] = []
    for (const folder of folders) {
      if (this.#closed) return
      looks.push(await this.#look(folder, kept))
    }
    for (const look of looks.sort(inOrder(kept))) {
      const double = seen.has(keyOf(look))
      seen.add(double ? keyOf({ name: look.folder, version: '' }) : keyOf(look))
      if (double) await this.#keep({ ...look, name: look.folder, version: '' }, held_twice)
      else await this.#settle(look, kept)
    }
    for (const folder of this.#looks.keys()) if (!folders.includes(folder)) this.#looks.delete(folder)
    for (const plugin of kept)
      if (!seen.has(keyOf(plugin)) && plugin.state !== 'Removed') await this.#remove(plugin)
    await this.#readConfigs()
  }

  async #folders(): Promise<string[]> {
    const { config, may_be_absent } = this.#options
    try {
      const entries = await readdir(config.directory, { withFileTypes: true })
      const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      if (folders.length > folders_max) throw new Error(`There are more than ${folders_max} plugin folders.`)
      return folders.map(({ name }) => name).sort()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' && may_be_absent) return []
      throw code ? new Error(`The plugin folder ${config.directory} cannot be read (${code}).`) : error
    }
  }

  /** Only what changed is read; of the rest no byte is held. */
  async #look(folder: string, kept: readonly KeptPlugin[]): Promise<Look> {
    const path = join(this.#options.config.directory, folder)
    const before = this.#looks.get(folder)
    let fingerprint = ''
    try {
      fingerprint = await fingerprintOf(path)
      if (before?.fingerprint === fingerprint && before.words === wordsOn(before, kept)) return before
      const plugin = await readPluginFolder(path)
      return { folder, fingerprint, ...namesOf(plugin.manifest), plugin }
    } catch (error) {
      const why = (error as Error).message
      const rejected =
        error instanceof Rejected ? error : new Rejected('unreadable', `It cannot be read (${why}).`)
      const names = rejected.manifest ? namesOf(rejected.manifest) : { name: folder, version: '' }
      return { folder, fingerprint, ...names, rejected }
    }
  }

  async #settle(look: Look, kept: readonly KeptPlugin[]): Promise<void> {
    const { folder, plugin, rejected, fingerprint, name, version } = look
    if (this.#looks.get(folder) === look) return
    const outcome = rejected ?? (await this.#admit(plugin!, kept))
    await this.#keep(look, outcome)
    const serves = outcome === registered
    // Its bytes are not kept: only that they were looked at.
    this.#looks.set(folder, {
      folder,
      fingerprint,
      name,
      version,
      rejected,
      serves,
      words: wordsOn(look, kept),
    })
  }

  /** Loads it where nothing speaks against it, and answers what came of it. */
  async #admit(plugin: PluginPackage, kept: readonly KeptPlugin[]): Promise<Outcome | Rejected> {
    const { config, routes, svc_version } = this.#options
    const { name, version } = plugin.manifest.plugin
    const key = `${name}@${version}`
    const word = kept.find((each) => keyOf(each) === key)
    const loaded = this.#loaded.get(key)
    try {
      judgePlugin(plugin, knownOf(name, kept), { ...config, svc_version })
      const declaration = declarePlugin(plugin, this.#options.known)
      if (word?.enabled === false) return this.#disable(key)
      if (!config.auto_discover && word?.enabled !== true)
        return {
          state: 'Pending',
          reason: 'awaits enable',
          why: `Turn it on: svc-engine plugin enable ${key}`,
        }
      const taken = loaded ? undefined : routes.taken(declaration.id, declaration.version)
      if (taken) throw new Rejected('version taken', taken)
      if (this.#loaded.size >= plugins_max && !loaded)
        throw new Rejected('too many plugins', `At most ${plugins_max} plugins are loaded at once.`)
      if (loaded?.digest !== plugin.digest) await this.#load(key, plugin, declaration)
      return registered
    } catch (error) {
      const served = loaded ? ' What was loaded before goes on serving.' : ''
      if (error instanceof Rejected) return new Rejected(error.reason, `${error.message}${served}`)
      return { state: 'Error', reason: 'cannot be loaded', why: `${(error as Error).message}${served}` }
    }
  }

  async #load(key: string, plugin: PluginPackage, declaration: Declaration): Promise<void> {
    const { config, routes, abi_level, processes_max, clock, log } = this.#options
    const { manifest, digest } = plugin
    const { name } = manifest.plugin
    // Without its bytes: this lives as long as the plugin is loaded.
    const described = { manifest, digest }
    this.#configs.set(name, await readPluginConfig(config.directory, name))
    const made: LoadedPlugin = await loadPlugin(plugin, declaration, {
      processes_max,
      abi_level,
      clock,
      log,
      config: () => this.#configs.get(name) ?? {},
      onBroken: (why) => void this.#broken(made, described, why),
    })
    const old = this.#loaded.get(key)
    this.#loaded.set(key, made)
    const moved =
      old && (old.declaration.id !== declaration.id || old.declaration.version !== declaration.version)
    if (moved) routes.unhost(old.declaration.id, old.declaration.version)
    routes.host(declaration, made.endpoint)
    log.info({ plugin: key, protocol: declaration.id, version: declaration.version }, 'a plugin serves')
    void old?.retire()
  }

  #disable(key: string): Outcome {
    this.#unload(key)
    return { state: 'Disabled', reason: 'disabled', why: 'The operator turned it off.' }
  }

  #unload(key: string): void {
    const loaded = this.#loaded.get(key)
    if (!loaded) return
    this.#loaded.delete(key)
    this.#options.routes.unhost(loaded.declaration.id, loaded.declaration.version)
    void loaded.retire()
  }

  /** It served, and cannot be started any more. */
  async #broken(loaded: LoadedPlugin, plugin: Described, why: string): Promise<void> {
    if (this.#closed || this.#loaded.get(loaded.key) !== loaded) return
    this.#unload(loaded.key)
    const outcome: Outcome = { state: 'Error', reason: 'cannot be started', why }
    await this.#keep({ ...namesOf(plugin.manifest), plugin }, outcome).catch((error) =>
      this.#options.log.error({ err: error, plugin: loaded.key }, 'the state of a plugin could not be kept'),
    )
  }

  async #remove(plugin: KeptPlugin): Promise<void> {
    this.#unload(keyOf(plugin))
    const { clock, db } = this.#options
    const gone = { state: 'Removed', reason: 'removed', why: 'Its folder is not there any more.' } as const
    await keepSeen(db, { ...plugin, ...gone }, new Date(clock.now_ms()).toISOString())
  }

  async #keep(
    {
      name,
      version,
      plugin,
      rejected,
    }: Pick<Look, 'name' | 'version' | 'rejected'> & { plugin?: Described | undefined },
    outcome: Outcome | Rejected,
  ): Promise<void> {
    const { clock, db, log, onRejected } = this.#options
    const manifest = plugin?.manifest ?? rejected?.manifest
    const seen: SeenPlugin = {
      name,
      version,
      digest: plugin?.digest ?? '',
      ...(outcome instanceof Rejected
        ? { state: 'Pending', reason: outcome.reason, why: outcome.message }
        : outcome),
      ...describe(manifest),
    }
    const changed = await keepSeen(db, seen, new Date(clock.now_ms()).toISOString())
    if (!changed) return
    if (outcome instanceof Rejected) onRejected(seen)
    if (seen.state !== 'Registered') log.warn({ plugin: keyOf(seen), state: seen.state, why: seen.why }, 'a plugin does not serve') // biome-ignore format: one thought
  }

  async #readConfigs(): Promise<void> {
    const { config, log } = this.#options
    for (const name of new Set([...this.#loaded.keys()].map((key) => key.split('@')[0]!))) {
      try {
        this.#configs.set(name, await readPluginConfig(config.directory, name))
      } catch (error) {
        log.warn(
          { plugin: name, why: (error as Error).message },
          'the configuration of a plugin stays as it was',
        )
      }
    }
  }
}

type Described = Pick<PluginPackage, 'manifest' | 'digest'>

interface Outcome {
  readonly state: PluginState
  readonly reason: string
  readonly why: string
}

const registered: Outcome = { state: 'Registered', reason: '', why: '' }
const held_twice = new Rejected('twice', 'Another folder holds the same plugin and version.')
