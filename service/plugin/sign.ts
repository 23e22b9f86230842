// svc-engine plugin sign: signs the manifest and every file, and writes the signature into plugin.toml.
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { readManifest } from '@svc/adapters/plugins/plugin-folder'
import type { PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import { manifest_file, signPlugin } from '@svc/contract/foreign/plugin-signature'
import { didOfKey } from '@svc/contract/identity/did'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { isKeyOf, privateKeyOf, publicKeyOf, type SigningKey } from '@svc/contract/signing/signature'
import { stringify } from 'smol-toml'
import type { Asked, Command } from '../admin/command.ts'
import { readOperatorKey, type Target } from '../admin/target.ts'
import { ConfigError } from '../settings/config-error.ts'
import { nobody } from './new.ts'
import { readBuilt } from './source-folder.ts'

/** The manifest while it is written, then renamed; it is not a file of the plugin. */
const half_written = '.plugin.toml.new'

export const signing: Command = {
  usage: 'sign <folder> [--key F [--did DID] | --new-key F]',
  summary: 'signs a built plugin with the key in F, or as the engine of --data-dir, which trusts its own key',
  takes: ['key', 'new-key', 'did'],
  async runAlone(request) {
    const { folder, manifest, files: built_files } = await readBuilt(request.names[0]!)
    const files = new Map([...built_files].filter(([path]) => path !== half_written))
    const publisher = publisherOf(request, folder)
    const signed_at = new Date(request.operator.clock.now_ms()).toISOString()
    const signed = signPlugin(withAuthor(manifest, publisher.did), files, publisher, signed_at)
    const file = join(folder, manifest_file)
    writeFileSync(join(folder, half_written), signedText(readFileSync(file, 'utf8'), signed))
    renameSync(join(folder, half_written), file)
    const { name, version } = manifest.plugin
    return {
      rows: [{ plugin: name, version, signed_by: publisher.did, signed_at, files: files.size, folder }],
      note: 'Engines accept it if SVC_TRUSTED_PUBLISHERS lists that DID; an engine always trusts its own.',
    }
  },
}

function withAuthor({ plugin }: PluginManifest, did: string): PluginManifest {
  if (plugin.metadata.author !== nobody) return { plugin }
  return { plugin: { ...plugin, metadata: { ...plugin.metadata, author: did } } }
}

function publisherOf({ values, target }: Asked, folder: string): SigningKey {
  const { key, 'new-key': new_key, did } = values
  if (key !== undefined && new_key !== undefined)
    throw new ConfigError('--key uses an existing key, --new-key creates one; write only one of them.')
  if (did !== undefined && key === undefined)
    throw new ConfigError("--did needs --key F; a new key and the engine's key have their own DIDs.")
  refuseInside(folder, key ?? new_key)
  const file = key ?? (new_key === undefined ? undefined : makeKey(new_key))
  if (file === undefined) return engineKey(target)
  const private_key = privateKeyOf(readSeed(file))
  const public_key = publicKeyOf(private_key)
  const own = didOfKey('publisher', 'organization', Buffer.from(public_key, 'base64url'))
  if (did !== undefined && !isKeyOf(did, public_key))
    throw new ConfigError(`${did} is not the DID of the key in ${file}; its digest is that of ${own}.`)
  return { did: did ?? own, public_key, private_key }
}

/** Everything in the folder is distributed with the plugin. */
function refuseInside(folder: string, file: string | undefined): void {
  if (file === undefined || relative(folder, resolve(file)).startsWith('..')) return
  throw new ConfigError(`${file} is in ${folder}, which is distributed as it is; store the key elsewhere.`)
}

function engineKey(target: Target): SigningKey {
  try {
    return readOperatorKey(target)
  } catch (error) {
    // A key that is set but wrong is reported as such, not as missing.
    if (target.read('SVC_AGENT_KEY') !== undefined) throw error
    throw new ConfigError(
      'Use a key with --key F, create one with --new-key F, or pass the --data-dir of svc-engine up to sign as that engine.',
    )
  }
}

function makeKey(file: string): string {
  try {
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new ConfigError(`${file} could not be written (${(error as Error).message}); choose another file.`)
  }
  return file
}

function readSeed(file: string): Buffer {
  let text: string
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw new ConfigError(`${file} can be read by other users; restrict it: chmod 600 ${file}`)
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`${file} could not be read (${(error as Error).message}); --new-key creates a key.`)
  }
  const seed = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (seed.length === 32) return seed
  throw new ConfigError(`${file} must hold 32 bytes in hex or base64: the seed of an Ed25519 key.`)
}

/** Keeps the author's text and comments if they still mean the same; otherwise rewrites the whole file. */
function signedText(written: string, signed: PluginManifest): string {
  const { author } = signed.plugin.metadata
  const unsigned = withoutSignature(written).replace(nobody, author).trimEnd()
  const { signature } = signed.plugin
  const text = `${unsigned}\n\n${stringify({ plugin: { signature } }).replace(/^\[plugin\]\n+/, '')}`
  return saysTheSame(text, signed) ? text : stringify(signed)
}

function saysTheSame(text: string, signed: PluginManifest): boolean {
  try {
    return canonicalJson(readManifest(Buffer.from(text))) === canonicalJson(signed)
  } catch {
    return false
  }
}

function withoutSignature(text: string): string {
  let inside = false
  const lines = text.split('\n').filter((line) => {
    if (/^\s*\[/.test(line)) inside = /^\s*\[plugin\.signature\]/.test(line)
    return !inside
  })
  return lines.join('\n')
}
