// Which plugins an engine takes in, from where, and on whose word.
import type { PluginLoaderConfig } from '@svc/contract/foreign/plugin-manifest'
import { parseVersion } from '@svc/engine/routing/semver'
import { ConfigError } from './config-error.ts'

export interface PluginSettings {
  /** Parts of the engine that can be left out: protocols of its own, and plugins. */
  readonly features: readonly Feature[]
  /** Without the publishers, who are the same for tools and for plugins. */
  readonly plugins: Omit<PluginLoaderConfig, 'trusted_publishers' | 'directory'> & {
    /** Undefined where nobody named one. */
    readonly directory: string | undefined
    readonly processes_max: number
    /** What plugins are built against; reported, never started. */
    readonly abi_level: string
  }
}

const features = ['native-adapter', 'wasm-adapter'] as const
type Feature = (typeof features)[number]
const sources = ['wasm', 'builtin'] as const

type Read = (name: string) => string | undefined

export function readPluginSettings(read: Read): PluginSettings {
  const abi_level = read('SVC_WASMTIME_VERSION') ?? '37.0.0'
  if (!parseVersion(abi_level))
    throw new ConfigError(`SVC_WASMTIME_VERSION is ${abi_level}; it is a version such as 37.0.0.`)
  return {
    features: someOf(read, 'SVC_FEATURES', features),
    plugins: {
      directory: read('SVC_PLUGIN_DIR'),
      auto_discover: flag(read, 'SVC_PLUGIN_AUTO_DISCOVER'),
      allowed_sources: [...someOf(read, 'SVC_PLUGIN_SOURCES', sources)],
      watch_interval_ms: between(read, 'SVC_PLUGIN_WATCH_INTERVAL_MS', 5_000, 100, 3_600_000),
      require_signatures: flag(read, 'SVC_PLUGIN_REQUIRE_SIGNATURES'),
      processes_max: between(read, 'SVC_PLUGIN_PROCESSES', 2, 1, 32),
      abi_level,
    },
  }
}

/** All of them where nothing is said; `none` for none. */
function someOf<const V extends string>(read: Read, name: string, known: readonly V[]): readonly V[] {
  const text = read(name)
  if (text === undefined) return known
  const words = text.split(',').flatMap((word) => word.trim() || [])
  const wrong = words.find((word) => word !== 'none' && !(known as readonly string[]).includes(word))
  if (wrong !== undefined)
    throw new ConfigError(
      `${name} names ${wrong}; it may be ${known.join(', ')}, with commas between, or none.`,
    )
  return known.filter((each) => words.includes(each))
}

function flag(read: Read, name: string): boolean {
  const text = read(name) ?? 'true'
  if (text === 'true' || text === 'false') return text === 'true'
  throw new ConfigError(`${name} is ${text}; it may be true, false.`)
}

function between(read: Read, name: string, otherwise: number, min: number, max: number): number {
  const text = read(name)
  const value = text === undefined ? otherwise : Number(text)
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value
  throw new ConfigError(`${name} is ${text}; it must be a whole number from ${min} to ${max}.`)
}
