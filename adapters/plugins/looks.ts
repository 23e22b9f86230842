// What a scan sees in the plugin folder, and in which order it is taken. Pure.
import type { PluginManifest } from '@svc/contract/plugin-manifest'
import { compareVersions, parseVersion } from '@svc/engine/semver'
import type { KnownVersion } from './judge.ts'
import { integrationsOf } from './loaded-plugin.ts'
import type { PluginPackage, Rejected } from './plugin-folder.ts'
import type { KeptPlugin } from './plugin-store.ts'

/** One folder as it was last seen: what did not change, neither there nor in the operator's word, is not looked at again. */
export interface Look {
  readonly folder: string
  readonly fingerprint: string
  readonly name: string
  readonly version: string
  readonly plugin?: PluginPackage | undefined
  readonly rejected?: Rejected | undefined
  readonly serves?: boolean
}

export function keyOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}@${version}`
}

export function namesOf({ plugin }: PluginManifest): { name: string; version: string } {
  return { name: plugin.name, version: plugin.version }
}

/** Older versions first, so that versions that come together may stand side by side; of two that say they are the same, the one that served. */
export function inOrder(kept: readonly KeptPlugin[]): (a: Look, b: Look) => number {
  const rank = ({ name, version, plugin, rejected, serves }: Look) => {
    if (serves) return 0
    const before = kept.find((each) => each.name === name && each.version === version)?.registered_digest
    return rejected ? 3 : before && plugin?.digest === before ? 1 : 2
  }
  return (a, b) => {
    const [one, other] = [parseVersion(a.version), parseVersion(b.version)]
    const age = one && other ? compareVersions(one, other) : Number(!one) - Number(!other)
    return age || rank(a) - rank(b)
  }
}

/** The operator's word on a plugin. */
export function wordsOn(
  look: { readonly name: string; readonly version: string },
  kept: readonly KeptPlugin[],
): string {
  const word = kept.find((each) => keyOf(each) === keyOf(look))
  return `${word?.enabled ?? 'none'} ${word?.downgrade_allowed ?? false}`
}

export function knownOf(name: string, kept: readonly KeptPlugin[]): KnownVersion[] {
  return kept
    .filter((each) => each.name === name && each.version !== '')
    .map((each) => ({
      version: each.version,
      digest: each.registered_digest ?? each.digest,
      signed_at: each.registered_signed_at ?? undefined,
      is_here: each.state === 'Registered' || each.state === 'Disabled' || each.state === 'Error',
      was_registered: each.registered_digest !== null,
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
