// A plugin's source folder: plugin.toml beside the source, and the result of `build` below dist.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type PluginPackage,
  Rejected,
  readManifest as readManifestBytes,
  readPluginFolder,
} from '@svc/adapters/plugins/plugin-folder'
import type { PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import { manifest_file } from '@svc/contract/foreign/plugin-signature'
import { ConfigError } from '../settings/config-error.ts'

export function readManifest(folder: string): PluginManifest {
  const file = join(folder, manifest_file)
  if (!existsSync(file))
    throw new ConfigError(`There is no ${file}; svc-engine plugin new <name> creates one.`)
  try {
    return readManifestBytes(readFileSync(file))
  } catch (error) {
    throw inOneSentence(folder, error)
  }
}

/** `dist/<name>-<version>` below the source, where `build` writes the installable folder. */
export function distFolder(folder: string, { plugin }: PluginManifest): string {
  return join(resolve(folder), 'dist', folderName(plugin))
}

export function folderName({ name, version }: { name: string; version: string }): string {
  return `${name}-${version}`
}

export interface BuiltPlugin extends PluginPackage {
  readonly folder: string
}

/** The folder an engine would read: this one if it contains the component, otherwise the built one. */
export async function readBuilt(folder: string): Promise<BuiltPlugin> {
  const manifest = readManifest(folder)
  const places = [resolve(folder), distFolder(folder, manifest)]
  const place = places.find((each) => existsSync(join(each, manifest.plugin.binary.path)))
  if (place === undefined)
    throw new ConfigError(
      `${folder} has no ${manifest.plugin.binary.path}; create it with: svc-engine plugin build ${folder}`,
    )
  try {
    return { ...(await readPluginFolder(place)), folder: place }
  } catch (error) {
    throw inOneSentence(place, error)
  }
}

export function inOneSentence(folder: string, error: unknown): unknown {
  return error instanceof Rejected ? new ConfigError(`${folder}: ${error.message}`) : error
}
