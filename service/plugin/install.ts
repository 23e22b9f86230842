// svc-engine plugin install: copies a plugin atomically into the folder that an engine watches.
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { judgePlugin, type PluginRules } from '@svc/adapters/plugins/judge'
import { Rejected } from '@svc/adapters/plugins/plugin-folder'
import type { PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import type { Asked, Command } from '../admin/command.ts'
import { readOperatorKey, type Target } from '../admin/target.ts'
import { plugin_directory_default } from '../assembly/plugins.ts'
import { ConfigError } from '../settings/config-error.ts'
import { readPluginSettings } from '../settings/plugin-settings.ts'
import { service_version } from '../version.ts'
import { type BuiltPlugin, folderName, readBuilt } from './source-folder.ts'

export const installing: Command = {
  usage: 'install <folder> [--dir D]',
  summary: 'checks a plugin and copies it into the plugin folder: D, that of --data-dir, or SVC_PLUGIN_DIR',
  takes: ['dir'],
  async runAlone(request) {
    const built = await readBuilt(request.names[0]!)
    const { folder, manifest } = built
    const doubt = doubtOf(built, request)
    if (doubt?.reason === 'bad signature') throw new ConfigError(`${doubt.message} Sign it again.`)
    const installed = put(folder, pluginDir(request), manifest)
    const { name, version, signature } = manifest.plugin
    return {
      rows: [{ plugin: name, version, signed_by: signature?.signed_by ?? null, folder: installed }],
      note: doubt
        ? `It stays Pending on this engine: ${doubt.message}`
        : 'Engines that watch this folder find it within seconds: svc-engine plugin list',
    }
  },
}

function pluginDir({ values, target }: Asked): string {
  if (values.dir !== undefined) return resolve(values.dir)
  const named = target.read('SVC_PLUGIN_DIR')
  const own = target.data_dir === undefined ? plugin_directory_default : join(target.data_dir, 'plugins')
  return named ?? own
}

/** Engines ignore folders whose names begin with a dot. */
function put(folder: string, plugin_dir: string, { plugin }: PluginManifest): string {
  const place = join(plugin_dir, folderName(plugin))
  if (!relative(folder, place).startsWith('..'))
    throw new ConfigError(
      `${place} is inside ${folder}, which is being installed; choose another folder with --dir.`,
    )
  const making = join(plugin_dir, `.tmp-${folderName(plugin)}-${process.pid}`)
  const leaving = join(plugin_dir, `.old-${folderName(plugin)}-${process.pid}`)
  try {
    mkdirSync(plugin_dir, { recursive: true })
    // Left by an interrupted process with the same id.
    for (const rest of [making, leaving]) rmSync(rest, { recursive: true, force: true })
    cpSync(folder, making, { recursive: true })
    if (existsSync(place)) renameSync(place, leaving)
    renameSync(making, place)
  } catch (error) {
    if (!existsSync(place) && existsSync(leaving)) renameSync(leaving, place)
    throw new ConfigError(`${place} could not be written (${(error as Error).message}).`)
  } finally {
    for (const rest of [making, leaving]) rmSync(rest, { recursive: true, force: true })
  }
  return place
}

/** Why this engine would reject it; what only the engine knows, such as newer versions, is not checked here. */
function doubtOf(built: BuiltPlugin, { target }: Asked): Rejected | undefined {
  try {
    judgePlugin(built, [], rulesOf(target))
    return undefined
  } catch (error) {
    if (error instanceof Rejected) return error
    throw error
  }
}

function rulesOf(target: Target): PluginRules {
  const { allowed_sources, require_signatures } = readPluginSettings(target.read).plugins
  const trusted_publishers = [...ownDid(target), ...target.read('SVC_TRUSTED_PUBLISHERS')]
  return { allowed_sources, require_signatures, trusted_publishers, svc_version: service_version }
}

/** Undefined if its key cannot be read from here. */
function ownDid(target: Target): string[] {
  try {
    return [readOperatorKey(target).did]
  } catch {
    return []
  }
}
