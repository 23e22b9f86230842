// The plugins that serve: routed, replaced and removed while calls go on, each with its operator's configuration.

import type { Declaration } from '@svc/contract/protocol'
import type { Log } from '@svc/engine/ports'
import type { Endpoint } from '@svc/engine/routing/routing'
import { endpointOf } from '@svc/engine/routing/routing'
import type { LoadedPlugin } from './loaded-plugin.ts'
import { readPluginConfig } from './plugin-config.ts'

export interface PluginRoutes {
  /** Why a plugin cannot have this version; undefined if it can. */
  taken(id: string, version: string): string | undefined
  host(declaration: Declaration, endpoint: Endpoint): void
  unhost(id: string, version: string): void
}

type Config = Readonly<Record<string, unknown>>

interface Parts {
  readonly routes: PluginRoutes
  readonly directory: string
  readonly log: Log
}

// A class because it must be closed.
export class HostedPlugins {
  readonly #parts: Parts
  readonly #loaded = new Map<string, LoadedPlugin>()
  readonly #retiring = new Set<LoadedPlugin>()
  readonly #configs = new Map<string, Config>()
  readonly #complaints = new Map<string, string>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get(key: string): LoadedPlugin | undefined {
    return this.#loaded.get(key)
  }

  get keys(): string[] {
    return [...this.#loaded.keys()]
  }

  isHealthy(circuit: string): Promise<boolean> | undefined {
    const id = endpointOf(circuit)
    return [...this.#loaded.values()].find(({ endpoint }) => endpoint.id === id)?.isHealthy()
  }

  /** Why it cannot be routed as declared; undefined if it can. Its own route does not count as taken. */
  taken(key: string, { id, version }: { readonly id: string; readonly version: string }): string | undefined {
    const own = this.#loaded.get(key)?.declaration
    return own?.id === id && own.version === version ? undefined : this.#parts.routes.taken(id, version)
  }

  host(key: string, made: LoadedPlugin): void {
    const { routes, log } = this.#parts
    const old = this.#loaded.get(key)
    this.#loaded.set(key, made)
    const { id, version } = made.declaration
    if (old && (old.declaration.id !== id || old.declaration.version !== version))
      routes.unhost(old.declaration.id, old.declaration.version)
    routes.host(made.declaration, made.endpoint)
    log.info({ plugin: key, protocol: id, version }, 'a plugin serves')
    if (old) this.#retire(old)
  }

  drop(key: string): void {
    const loaded = this.#loaded.get(key)
    if (!loaded) return
    this.#loaded.delete(key)
    this.#parts.routes.unhost(loaded.declaration.id, loaded.declaration.version)
    this.#parts.log.info({ plugin: key }, 'a plugin was unloaded')
    this.#retire(loaded)
  }

  #retire(loaded: LoadedPlugin): void {
    this.#retiring.add(loaded)
    void loaded.retire().finally(() => this.#retiring.delete(loaded))
  }

  configOf(name: string): Config {
    return this.#configs.get(name) ?? {}
  }

  async readConfig(name: string): Promise<void> {
    this.#configs.set(name, await readPluginConfig(this.#parts.directory, name))
  }

  /** If it cannot be read, the previous one stays. */
  async readConfigs(): Promise<void> {
    for (const name of new Set(this.keys.map((key) => key.split('@')[0]!))) {
      const why = await this.readConfig(name).then(
        () => undefined,
        (error) => (error as Error).message,
      )
      if (why !== undefined && why !== this.#complaints.get(name))
        this.#parts.log.warn({ plugin: name, why }, 'the configuration of a plugin stays as it was')
      this.#complaints.set(name, why ?? '')
    }
  }

  async close(): Promise<void> {
    const all = [...this.#loaded.values(), ...this.#retiring]
    await Promise.all(all.map((each) => each.close()))
  }
}
