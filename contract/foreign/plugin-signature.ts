// What a publisher signs: the manifest and the hash of every other file in the folder. Adding, changing or removing one breaks it.
import { createHash } from 'node:crypto'
import { isKeyOf, isSignedBy, type SigningKey, signingInput, signText } from '../signing/signature.ts'
import type { PluginManifest } from './plugin-manifest.ts'

export const manifest_file = 'plugin.toml'
/** Schemas and facts of the operations; without it they accept any object. */
export const operations_file = 'operations.json'

/** Path below the plugin's folder, with `/`, and content; without the manifest. */
export type PluginFiles = ReadonlyMap<string, Uint8Array>

type PluginSignature = NonNullable<PluginManifest['plugin']['signature']>

/** Signed by this publisher, now. An earlier signature in the manifest is ignored. */
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

/** Undefined where the signature is valid for exactly these bytes; otherwise the broken rule. Trust is decided elsewhere. */
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

/** Identifies a plugin's content: any other byte gives another digest. */
export function pluginDigest(manifest: PluginManifest, files: PluginFiles): string {
  return sha256(signingInput('svc-plugin-v1', { manifest, files: hashesOf(files) }))
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
