// svc-engine plugin new: writes a folder that builds, tests and installs without changes.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs' // biome-ignore format: one import
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseDid } from '@svc/contract/identity/did'
import type { Command } from '../admin/command.ts'
import { ConfigError } from '../settings/config-error.ts'
import { choose } from '../settings/reader.ts'

const kit = dirname(fileURLToPath(import.meta.resolve('@svc/plugin')))
const rust_kit = join(kit, '../plugin-rust')
const languages = ['typescript', 'rust'] as const
const templates: Readonly<Record<(typeof languages)[number], string>> = {
  typescript: join(kit, 'template'),
  rust: join(rust_kit, 'template'),
}
/** Placeholder author; the first signature replaces it. */
export const nobody = `did:oas:nobody:organization:${'0'.repeat(64)}`

const protocol_letters_max = 32

export const making: Command = {
  usage: 'new <name> [--lang typescript|rust] [--dir D] [--did DID]',
  summary: 'writes a folder that builds, tests and installs without changes',
  takes: ['lang', 'dir', 'did'],
  async runAlone({ names, values }) {
    const name = names[0]!
    if (!/^[a-z][a-z0-9-]{0,62}$/.test(name))
      throw new ConfigError(`${name} is not a valid plugin name; use lower-case letters, digits and dashes.`)
    const protocol = name.replaceAll(/[^a-z]/g, '').toUpperCase()
    if (protocol.length > protocol_letters_max)
      throw new ConfigError(
        `${name} has more than ${protocol_letters_max} letters, and the protocol is named after it; choose a shorter name.`,
      )
    const lang = choose('--lang', values.lang ?? 'typescript', languages)
    const { did = nobody } = values
    if (!parseDid(did))
      throw new ConfigError(`--did is ${did}; it must be a DID: did:oas:<tenant>:<kind>:<64 hex>.`)
    const folder = resolve(values.dir ?? name)
    if (existsSync(folder)) throw new ConfigError(`${folder} already exists; choose another with --dir.`)
    const source = lang === 'rust' ? relative(folder, rust_kit) : `file:${relative(folder, kit)}`
    copyTemplate(templates[lang], folder, { name, protocol, did, kit: source })
    if (lang === 'typescript') linkKit(folder)
    const at = relative('.', folder)
    return {
      rows: [{ plugin: name, protocol, language: lang, folder }],
      note: `Next: svc-engine plugin build ${at}, then test, sign and install ${at}.`,
    }
  },
}

function copyTemplate(template: string, folder: string, words: Readonly<Record<string, string>>): void {
  if (!existsSync(template))
    throw new ConfigError(`${template} is not installed; install the kit of that language.`)
  cpSync(template, folder, { recursive: true })
  // npm omits files of that name from packages, so the template has it without its dot.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'))
  const files = globSync(['**/*', '**/.*'], { cwd: folder, withFileTypes: true }).filter((each) =>
    each.isFile(),
  )
  for (const { parentPath, name } of files) {
    const file = join(parentPath, name)
    const text = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      text.replaceAll(/\{\{(\w+)\}\}/g, (whole, word: string) => words[word] ?? whole),
    )
  }
}

/** Links the kit as `npm install` does for a folder, so that it resolves by name at once. */
function linkKit(folder: string): void {
  const scope = join(folder, 'node_modules/@svc')
  mkdirSync(scope, { recursive: true })
  symlinkSync(kit, join(scope, 'plugin'), 'dir')
}
