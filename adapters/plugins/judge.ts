// May this plugin be loaded? Pure: the package, what is known of its earlier versions, and the operator's rules say everything.
import type { PluginLoaderConfig, PluginManifest } from '@svc/contract/plugin-manifest'
import { signatureFault } from '@svc/contract/plugin-signature'
import { compareVersions, parseVersion, type Version } from '@svc/engine/semver'
import { type PluginPackage, Rejected } from './plugin-folder.ts'

export interface PluginRules
  extends Pick<PluginLoaderConfig, 'allowed_sources' | 'require_signatures' | 'trusted_publishers'> {
  /** Of this service. */
  readonly svc_version: string
}

/** A version of the same plugin that was seen before. */
export interface KnownVersion {
  readonly version: string
  readonly digest: string
  readonly signed_at: string | undefined
  /** It serves, or was turned off; not one that was taken away. */
  readonly is_here: boolean
  readonly was_registered: boolean
  /** An admin said that this version may come back although there was a newer one. */
  readonly downgrade_allowed: boolean
}

/** Throws what keeps it out, as `Rejected`. */
export function judgePlugin(plugin: PluginPackage, known: readonly KnownVersion[], rules: PluginRules): void {
  judgeSource(plugin.manifest, rules)
  judgeSignature(plugin, rules)
  judgeMinimum(plugin.manifest, rules.svc_version)
  judgeAge(plugin, known)
}

function judgeSource({ plugin }: PluginManifest, { allowed_sources }: PluginRules): void {
  if (allowed_sources.includes(plugin.binary.source_type)) return
  throw new Rejected(
    'source not allowed',
    `It is ${plugin.binary.source_type}, and SVC_PLUGIN_SOURCES allows ${allowed_sources.join(', ') || 'nothing'}.`,
  )
}

function judgeSignature({ manifest, files }: PluginPackage, rules: PluginRules): void {
  const { signature } = manifest.plugin
  if (!signature && !rules.require_signatures) return
  const fault = signatureFault(manifest, files)
  if (fault === 'not signed')
    throw new Rejected(
      'not signed',
      'It is not signed; run svc-engine plugin sign, with the key of a trusted publisher.',
    )
  // Also where none is asked for: a signature that does not hold means that somebody changed something.
  if (fault) throw new Rejected('bad signature', `Its signature does not hold: ${fault}.`)
  const { signed_by } = signature!
  if (rules.require_signatures && !rules.trusted_publishers.includes(signed_by))
    throw new Rejected(
      'untrusted publisher',
      `It is signed by ${signed_by}, who is not among SVC_TRUSTED_PUBLISHERS.`,
    )
}

function judgeMinimum({ plugin }: PluginManifest, svc_version: string): void {
  const { min_svc_version } = plugin.metadata
  if (compareVersions(versionOf(min_svc_version), versionOf(svc_version)) <= 0) return
  throw new Rejected(
    'min_svc_version',
    `It needs svc ${min_svc_version} or newer, and this is ${svc_version}.`,
  )
}

/** Whoever can write to the folder must not bring back what was replaced for a reason. */
function judgeAge({ manifest, digest }: PluginPackage, known: readonly KnownVersion[]): void {
  const { name, version, signature } = manifest.plugin
  const own = known.find((each) => each.version === version)
  if (own?.is_here && own.digest === digest) return
  if (own?.downgrade_allowed) return
  const registered = known.filter((each) => each.was_registered)
  const newer = registered.find((each) => compareVersions(versionOf(each.version), versionOf(version)) > 0)
  const word = `say so with: svc-engine plugin enable ${name}@${version} --allow-downgrade`
  if (newer)
    throw new Rejected('downgrade', `${name} ${newer.version} was here before, which is newer; ${word}`)
  const older_build =
    own?.was_registered && own.digest !== digest && (signature?.signed_at ?? '') <= (own.signed_at ?? '')
  if (older_build)
    throw new Rejected(
      'downgrade',
      `It was not signed after the ${name} ${version} that was here before; ${word}`,
    )
}

function versionOf(text: string): Version {
  const version = parseVersion(text)
  if (!version) throw new Rejected('bad manifest', `${text} is no semantic version.`)
  return version
}

/** As the wire writes it. */
export function wireVersion(version: string): string {
  return version.startsWith('v') ? version : `v${version}`
}
