// What a publisher signs: the manifest, and the hash of every other file of the folder. Whoever adds, changes or takes away one breaks it.
import { createHash } from 'node:crypto'
import { isKeyOf, isSignedBy, type SigningKey, signingInput, signText } from '../signing/signature.ts'
import type { PluginManifest } from './plugin-manifest.ts'

export const manifest_file = 'plugin.toml'
/** Schemas and facts of the operations; without it they take any object. */
export const operations_file = 'operations.json'

/** Path below the plugin's folder, with `/`, and content; the manifest is not among them. */
export type PluginFiles = ReadonlyMap<string, Uint8Array>

type PluginSignature = NonNullable<PluginManifest['plugin']['signature']>

/** Signed by this publisher, now. The manifest may hold an earlier signature; it does not count. */
export function signPlugin(
  { plugin }: PluginManifest,
  files: PluginFiles,
  publisher: SigningKey,
  signed_at: string,
): PluginManifest {
  const { did: signed_by, public_key, private_key } = publisher
  const stated = { signed_by, public_key, signed_at }
  const signature = signText(private_key, signedText({ plugin }, files, stated))
  return { plugin: { ...plugin, signature: { ...stated, signature } } }
}

/** Undefined where the signature holds for just these bytes; otherwise which rule it breaks. Whom to trust is asked elsewhere. */
export function signatureFault(manifest: PluginManifest, files: PluginFiles): string | undefined {
  const { signature } = manifest.plugin
  if (!signature) return 'not signed'
  const { public_key } = signature
  if (public_key === undefined) return 'it brings no public_key; svc-engine plugin sign writes one'
  if (!isKeyOf(signature.signed_by, public_key)) return 'the public key is not that of signed_by'
  const text = signedText(manifest, files, { ...signature, public_key })
  if (!isSignedBy(public_key, text, signature.signature))
    return 'the signature does not fit the manifest and the files'
  return undefined
}

function signedText(
  { plugin }: PluginManifest,
  files: PluginFiles,
  { signed_by, public_key, signed_at }: Required<Omit<PluginSignature, 'signature'>>,
): string {
  const manifest = { plugin: { ...plugin, signature: { signed_by, public_key, signed_at } } }
  return signingInput('svc-plugin-v1', { manifest, files: hashesOf(files) })
}

function hashesOf(files: PluginFiles): Record<string, string> {
  return Object.fromEntries([...files].map(([path, bytes]) => [path, sha256(bytes)]))
}

/** Names a plugin's content: another byte anywhere is another digest. */
export function pluginDigest(manifest: PluginManifest, files: PluginFiles): string {
  return sha256(signingInput('svc-plugin-v1', { manifest, files: hashesOf(files) }))
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
