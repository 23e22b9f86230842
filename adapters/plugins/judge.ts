// May this plugin be loaded? Pure: depends on the package, its known earlier versions and the operator's rules.
import type { PluginLoaderConfig, PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import { signatureFault } from '@svc/contract/foreign/plugin-signature'
import { compareVersions, parseVersion, type Version } from '@svc/engine/routing/semver'
import { type PluginPackage, Rejected } from './plugin-folder.ts'

export interface PluginRules
  extends Pick<PluginLoaderConfig, 'allowed_sources' | 'require_signatures' | 'trusted_publishers'> {
  /** Of this service. */
  readonly svc_version: string
}

/** A known version of the same plugin. */
export interface KnownVersion {
  readonly version: string
  /** Of the last accepted build that was not removed since. */
  readonly here_digest: string | undefined
  /** Of the last build that served; undefined if none did. */
  readonly registered_digest: string | undefined
  readonly signed_at: string | undefined
  /** An admin allowed this version although there was a newer one. */
  readonly downgrade_allowed: boolean
}

/** Throws the reason against it, as `Rejected`. */
export function judgePlugin(
  plugin: PluginPackage,
  versions: readonly KnownVersion[],
  rules: PluginRules,
): void {
  judgeSource(plugin.manifest, rules)
  judgeSignature(plugin, rules)
  judgeMinimum(plugin.manifest, rules.svc_version)
  judgeAge(plugin, versions)
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
  // Even if none is required: an invalid signature means that somebody changed something.
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

/** Whoever can write to the folder must not bring back a version that was replaced for a reason. */
function judgeAge({ manifest, digest }: PluginPackage, versions: readonly KnownVersion[]): void {
  const { name, version, signature } = manifest.plugin
  const age = (each: KnownVersion) => compareVersions(versionOf(each.version), versionOf(version))
  const own = versions.find((each) => age(each) === 0)
  if (own?.here_digest === digest || own?.downgrade_allowed) return
  const newer = versions.find((each) => each.registered_digest !== undefined && age(each) > 0)
  const word = `say so with: svc-engine plugin enable ${name}@${version} --allow-downgrade`
  if (newer)
    throw new Rejected('downgrade', `${name} ${newer.version} was here before, which is newer; ${word}`)
  if (own && own.registered_digest !== undefined && own.registered_digest !== digest)
    judgeBuild(own, signature?.signed_at, `${name} ${version} that was here before; ${word}`)
}

/** Two unsigned builds have no order. */
function judgeBuild({ signed_at: before }: KnownVersion, signed_at: string | undefined, what: string): void {
  if (before === undefined) return
  if (signed_at !== undefined && instantOf(signed_at) > instantOf(before)) return
  throw new Rejected('downgrade', `It was not signed after the ${what}`)
}

/** Comparable to the nanosecond, however many digits were written. */
function instantOf(timestamp: string): string {
  const [seconds, fraction = ''] = timestamp.slice(0, -1).split('.')
  return `${seconds}.${fraction.padEnd(9, '0')}`
}

function versionOf(text: string): Version {
  const version = parseVersion(text)
  if (!version) throw new Rejected('bad manifest', `${text} is no semantic version.`)
  return version
}

/** As the wire format writes it. */
export function wireVersion(version: string): string {
  return version.startsWith('v') ? version : `v${version}`
}
