// svc-engine plugin sign: the publisher's signature over the manifest and every file, written into plugin.toml.
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

/** The manifest while it is written: it takes the other's place whole, and is no file of the plugin. */
const half_written = '.plugin.toml.new'

export const signing: Command = {
  usage: 'sign <folder> [--key F [--did DID] | --new-key F]',
  summary: 'signs what was built with the key of F, or as the engine of --data-dir, which trusts itself',
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
      note: 'Engines take it where SVC_TRUSTED_PUBLISHERS names that DID; an engine always trusts its own.',
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
    throw new ConfigError('--key names a key that is there, --new-key one that is made; give one of them.')
  if (did !== undefined && key === undefined)
    throw new ConfigError(
      '--did is another name for the key of --key F; a new key and that of the engine go by their own.',
    )
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

/** Whatever lies in the folder is handed on with it. */
function refuseInside(folder: string, file: string | undefined): void {
  if (file === undefined || relative(folder, resolve(file)).startsWith('..')) return
  throw new ConfigError(`${file} lies in ${folder}, which is handed on as it is; keep the key elsewhere.`)
}

function engineKey(target: Target): SigningKey {
  try {
    return readOperatorKey(target)
  } catch (error) {
    // One that was given and is wrong is not one that is missing.
    if (target.read('SVC_AGENT_KEY') !== undefined) throw error
    throw new ConfigError(
      'Name a key with --key F, make one with --new-key F, or name the --data-dir of svc-engine up to sign as that engine.',
    )
  }
}

function makeKey(file: string): string {
  try {
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new ConfigError(`${file} could not be written (${(error as Error).message}); name another file.`)
  }
  return file
}

function readSeed(file: string): Buffer {
  let text: string
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw new ConfigError(`${file} can be read by others; a key is its owner's alone: chmod 600 ${file}`)
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`${file} could not be read (${(error as Error).message}); --new-key makes a key.`)
  }
  const seed = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (seed.length === 32) return seed
  throw new ConfigError(`${file} must hold 32 bytes in hex or base64: the seed of an Ed25519 key.`)
}

/** What the author wrote stays, comments too, where that says the same; otherwise the whole is written anew. */
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
