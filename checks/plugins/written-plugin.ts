// A plugin's folder as its publisher would leave it, for admission tests.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import { manifest_file, type PluginFiles, signPlugin } from '@svc/contract/foreign/plugin-signature'
import type { SigningKey } from '@svc/contract/signing/signature'
import { newSubject } from '../scenes/test-identity.ts'

export const publisher: SigningKey = newSubject('agent')
export const stranger: SigningKey = newSubject('agent')

export interface WrittenPlugin {
  readonly name?: string
  readonly version?: string
  readonly protocol?: string
  readonly operations?: readonly string[]
  readonly deadline_ms?: number
  readonly min_svc_version?: string
  readonly integrations?: PluginManifest['plugin']['integrations']
  /** Beside the component and operations.json. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly component?: Uint8Array
  /** Unsigned if null. */
  readonly signer?: SigningKey | null
  readonly signed_at?: string
}

export interface MadePlugin {
  readonly manifest: PluginManifest
  readonly files: PluginFiles
}

export const first_signed_at = '2026-11-01T00:00:00Z'

export function makePlugin(plugin: WrittenPlugin = {}): MadePlugin {
  const { name = 'greeting', version = '1.0.0', protocol = 'GREET', operations = ['run'] } = plugin
  const { signer = publisher, signed_at = first_signed_at, min_svc_version = '0.1.0' } = plugin
  const { component = Buffer.from('no component'), integrations, files: more = {} } = plugin
  const declared = { effect: 'read', level: 'L0', deadline_ms: plugin.deadline_ms }
  const facts = Object.fromEntries(operations.map((each) => [each, declared]))
  const files = new Map<string, Uint8Array>([
    ['plugin.wasm', component],
    ['operations.json', Buffer.from(JSON.stringify(facts))],
    ...Object.entries(more).map(([path, content]): [string, Uint8Array] => [path, Buffer.from(content)]),
  ])
  const manifest: PluginManifest = {
    plugin: {
      name,
      version,
      description: 'A plugin of a test.',
      plugin_type: 'Protocol',
      protocol,
      binary: { source_type: 'wasm', path: 'plugin.wasm' },
      metadata: { author: publisher.did, license: 'MIT', min_svc_version },
      operations: { operations: [...operations] },
      ...(integrations ? { integrations } : {}),
    },
  }
  return { manifest: signer ? signPlugin(manifest, files, signer, signed_at) : manifest, files }
}

/** A table for every object; other JSON values are valid TOML. */
function tomlOf(value: object, path = ''): string {
  const [tables, plain] = [[] as [string, object][], [] as string[]]
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === 'object' && !Array.isArray(each)) tables.push([`${path}${name}`, each])
    else plain.push(`${name} = ${JSON.stringify(each)}\n`)
  }
  return plain.join('') + tables.map(([name, each]) => `[${name}]\n${tomlOf(each, `${name}.`)}`).join('')
}

/** Atomically, like an install; replaces what was there. */
function putPlugin(folder: string, { manifest, files }: MadePlugin): void {
  const making = join(dirname(folder), `.tmp-${process.pid}-${Math.random().toString(36).slice(2)}`)
  for (const [path, content] of [...files, [manifest_file, tomlOf(manifest)] as const]) {
    mkdirSync(dirname(join(making, path)), { recursive: true })
    writeFileSync(join(making, path), content)
  }
  rmSync(folder, { recursive: true, force: true })
  renameSync(making, folder)
}

export function writePlugin(folder: string, plugin: WrittenPlugin = {}): MadePlugin {
  const made = makePlugin(plugin)
  putPlugin(folder, made)
  return made
}
