// Reads one plugin folder: its content, and the reasons against it. Changes nothing.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import type { Declaration } from '@svc/contract/protocol'
import { declarePlugin } from './declare.ts'
import { judgePlugin, type PluginRules } from './judge.ts'
import { knownOf, type Look, namesOf, namesOfFolder, type Settled, wordsOn } from './looks.ts'
import { fingerprintOf, Rejected, readPluginFolder } from './plugin-folder.ts'
import type { StoredPlugin } from './plugin-store.ts'

const folders_max = 256

/** Links are included, so that the reason for not following them is reported. */
export async function listFolders(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    const folders = entries.filter((each) => each.isDirectory() || each.isSymbolicLink())
    const shown = folders.map(({ name }) => name).filter((name) => !/^\.|\.json$/.test(name))
    if (shown.length > folders_max) throw new Error(`There are more than ${folders_max} plugin folders.`)
    return shown.sort()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!code) throw error
    throw Object.assign(new Error(`The plugin folder ${directory} cannot be read (${code}).`), { code })
  }
}

export interface Looking {
  readonly directory: string
  readonly folder: string
  readonly kept: readonly StoredPlugin[]
  readonly rules: PluginRules
  /** The versions of the catalogue. */
  readonly known: readonly Declaration[]
  readonly now_ms: number
}

/** Returns the previous look if nothing changed and it `stands`; then only names and times were read. */
export async function lookAt(
  looking: Looking,
  before: Settled | undefined,
  stands: (before: Settled) => boolean,
): Promise<Look> {
  const { directory, folder, kept, now_ms } = looking
  const path = join(directory, folder)
  const fingerprint = await factsOf(path)
  const is_same = before?.look.fingerprint === fingerprint
  if (is_same && before.look.words === wordsOn(before.look, kept) && stands(before)) return before.look
  const judgement = await judged(path, looking)
  const changed = (await factsOf(path)) !== fingerprint
  return {
    folder,
    // A folder that changed meanwhile has no valid fingerprint.
    fingerprint: changed ? '' : fingerprint,
    since_ms: is_same && !changed ? before.look.since_ms : now_ms,
    words: wordsOn(judgement, kept),
    ...judgement,
    ...(changed ? { rejected: new Rejected('unreadable', 'It changed while it was read.') } : {}),
  }
}

async function factsOf(path: string): Promise<string> {
  try {
    return await fingerprintOf(path)
  } catch (error) {
    return `not to be read: ${(error as Error).message}`
  }
}

type Judged = Pick<Look, 'name' | 'version' | 'digest' | 'manifest' | 'rejected' | 'declaration'>

async function judged(path: string, { folder, kept, rules, known }: Looking): Promise<Judged> {
  let manifest: PluginManifest | undefined
  let digest = ''
  try {
    const plugin = await readPluginFolder(path)
    ;({ manifest, digest } = plugin)
    const names = namesOf(manifest)
    judgePlugin(plugin, knownOf(names.name, kept), rules)
    return { ...names, digest, manifest, declaration: declarePlugin(plugin, known) }
  } catch (error) {
    const rejected =
      error instanceof Rejected
        ? error
        : new Rejected('unreadable', `It cannot be read (${(error as Error).message}).`)
    manifest ??= rejected.manifest
    return { ...(manifest ? namesOf(manifest) : namesOfFolder(folder)), digest, manifest, rejected }
  }
}
