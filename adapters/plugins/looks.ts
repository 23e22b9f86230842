// What a scan sees in the plugin folder, and in which order it is processed. Pure.

import type { PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import type { Declaration } from '@svc/contract/protocol'
import { compareVersions, parseVersion } from '@svc/engine/routing/semver'
import type { KnownVersion } from './judge.ts'
import type { Rejected } from './plugin-folder.ts'
import type { PluginState, StoredPlugin } from './plugin-store.ts'

export interface Outcome {
  readonly state: PluginState
  readonly reason: string
  readonly why: string
}

/** One folder as it is now, without its bytes. */
export interface Look {
  readonly folder: string
  readonly fingerprint: string
  /** Since when it looks like this, by the monotonic clock. */
  readonly since_ms: number
  /** The operator's setting when it was read. */
  readonly words: string
  readonly name: string
  readonly version: string
  readonly digest: string
  readonly manifest?: PluginManifest | undefined
  /** The reason against it; if there is none, `declaration` says what it would serve. */
  readonly rejected?: Rejected | undefined
  readonly declaration?: Declaration | undefined
}

/** The result of a look. While neither the folder nor the operator's setting changes, it is not read again. */
export interface Settled {
  readonly look: Look
  /** Undefined if not known yet: it is being loaded, or may still be incomplete. */
  readonly outcome: Outcome | Rejected | undefined
  /** Which plugin of this folder serves: this one, or the one before it. */
  readonly serves: string | undefined
  /** How often it could not be loaded. */
  readonly failures: number
  /** Temporary: what it waits for. */
  readonly waits?: (() => boolean) | undefined
}

export function keyOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}@${version}`
}

/** `v1.2.0` and `1.2.0` are one version. */
export function namesOf({ plugin }: PluginManifest): { name: string; version: string } {
  return { name: plugin.name, version: plugin.version.replace(/^v/, '') }
}

/** The folder's name, in printable letters, if there is no other. */
export function namesOfFolder(folder: string): { name: string; version: string } {
  return { name: folder.replaceAll(/[^\x20-\x7e]/g, '?'), version: '' }
}

/**
 * Older versions first, so that versions that arrive together can run side by side; of two equal ones, the one that
 * served.
 */
export function inOrder(plugins: readonly StoredPlugin[], settled: ReadonlyMap<string, Settled>) {
  const registered = new Map(plugins.map((each) => [keyOf(each), each.registered_digest]))
  const rank = (look: Look) => {
    if (settled.get(look.folder)?.serves === keyOf(look) && !look.rejected) return 0
    if (look.rejected) return 3
    return registered.get(keyOf(look)) === look.digest ? 1 : 2
  }
  return (a: Look, b: Look): number => {
    const [one, other] = [parseVersion(a.version), parseVersion(b.version)]
    const age = one && other ? compareVersions(one, other) : Number(!one) - Number(!other)
    return age || rank(a) - rank(b)
  }
}

/** The operator's setting for a plugin. */
export function wordsOn(
  look: { readonly name: string; readonly version: string },
  plugins: readonly StoredPlugin[],
): string {
  const word = plugins.find((each) => keyOf(each) === keyOf(look))
  return `${word?.enabled ?? 'none'} ${word?.downgrade_allowed ?? false}`
}

/** Anybody can write any version into a manifest: an invalid one does not count. */
export function knownOf(name: string, plugins: readonly StoredPlugin[]): KnownVersion[] {
  return plugins
    .filter((each) => each.name === name && parseVersion(each.version))
    .map((each) => ({
      version: each.version,
      here_digest: each.here_digest ?? undefined,
      registered_digest: each.registered_digest ?? undefined,
      signed_at: each.registered_signed_at ?? undefined,
      downgrade_allowed: each.downgrade_allowed,
    }))
}

export function describe(manifest: PluginManifest | undefined) {
  const plugin = manifest?.plugin
  return {
    protocol: plugin?.protocol ?? null,
    plugin_type: plugin?.plugin_type ?? null,
    signed_by: plugin?.signature?.signed_by ?? null,
    signed_at: plugin?.signature?.signed_at ?? null,
    min_svc_version: plugin?.metadata.min_svc_version ?? null,
    operations: plugin?.operations.operations ?? [],
    capabilities: manifest ? integrationsOf({ manifest }, 'capability') : [],
  }
}

export function integrationsOf({ manifest }: { readonly manifest: PluginManifest }, kind: string): string[] {
  const listed = Object.values(manifest.plugin.integrations ?? {})
  return listed.filter((each) => each.kind === kind).map(({ endpoint }) => endpoint)
}
