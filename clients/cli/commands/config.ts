// svc config: the settings in the file of a profile, and which profile is used.
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { SvcError } from '@svc/sdk/errors'
import { didYouMean } from '@svc/sdk/nearest'
import { type ConfigFile, checkConfig, readConfigFile } from '@svc/sdk/settings'
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { configPathOf, withLock, writeConfig } from '../login/config-file.ts'
import { formatOf, printValue } from '../output/output.ts'
import { writeWhole } from '../private-file.ts'
import { chosenProfilePath, default_profile, profileOf } from '../profile.ts'
import { findSources, shownSettings } from '../setting-sources.ts'
import { hostOf } from '../settings.ts'
import { runSubcommand, type Subcommand } from '../subcommands.ts'

const plain_names = ['api_url', 'auth_url', 'agent_did', 'tenant_id'] as const
const secret_names = ['api_key', 'private_key'] as const
const names = [...plain_names, ...secret_names]
type Name = (typeof names)[number]

const subcommands: Readonly<Record<string, Subcommand>> = {
  list: { flags: [], args_max: 0, run: list },
  get: { flags: [], args_max: 1, run: get },
  set: { flags: [], args_max: 2, run: set },
  unset: { flags: [], args_max: 1, run: unset },
  profiles: { flags: [], args_max: 0, run: listProfiles },
  use: { flags: [], args_max: 1, run: use },
}

export const config: Command = {
  summary: 'Show and change settings, and choose a profile',
  usage: 'config list | get <name> | set <name> <value> | unset <name> | profiles | use <profile>',
  help: `
svc config list            every setting in force, and where it comes from
svc config get <name>      one of them, for scripts; never a secret
svc config set <name> <value>
                           store it in the file of the profile
svc config unset <name>    remove it from the file
svc config profiles        the profiles on this machine, and which one is used
svc config use <profile>   use this profile from now on; ${default_profile} is ~/.svc/config.json

Names: ${plain_names.join(', ')}; and ${secret_names.join(' and ')}, whose value is read from standard input.
--profile <name> changes another profile, and makes a new one. --profile and SVC_PROFILE win over svc config
use; flags and variables win over the file.

Examples
  svc config set api_url https://svc.example.org --profile work
  svc config set api_key --profile work < key.txt
  svc config use work
`,
  flags: {},
  run: (args, flags, terminal) =>
    runSubcommand('config', subcommands, args, { flags, declared: config.flags, terminal }),
}

async function list(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  const settings = shownSettings(findSources(flags, terminal)).map(({ name, shown, source }) => ({
    name,
    value: shown,
    source,
  }))
  const profile = profileOf(flags, terminal) ?? default_profile
  if (format !== 'human') await printValue({ profile, settings }, format, terminal)
  else {
    terminal.out(`profile ${profile}\n\n`)
    await printValue(settings, format, terminal)
  }
  return 0
}

async function get([name]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  const setting = nameOf(name, 'get')
  if (isSecret(setting)) throw new UsageError(`svc config get prints no secret such as ${setting}.`)
  const value =
    setting === 'auth_url' ? fileOf(flags, terminal).auth_url : findSources(flags, terminal)[setting]?.value
  if (value === undefined)
    throw new UsageError(`${setting} is not set.`, `svc config set ${setting} <value> stores it.`)
  if (format === 'human') terminal.out(`${value}\n`)
  else await printValue({ [setting]: value }, format, terminal)
  return 0
}

async function set([name, value]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const setting = nameOf(name, 'set')
  if (isSecret(setting) && value !== undefined && value !== '-')
    throw new UsageError(
      `Other users of this machine can see arguments, so ${setting} is read from standard input.`,
      `For example: svc config set ${setting} < key.txt`,
    )
  if (!isSecret(setting) && value === undefined)
    throw new UsageError(`svc config set needs the value of ${setting}.`)
  const text = (isSecret(setting) ? await terminal.readStdin() : value!).trim()
  if (text === '') throw new UsageError(`${setting} is empty; svc config unset ${setting} removes it.`)
  await change(flags, terminal, (file) => {
    refuseMovedKey(setting, text, file)
    return { ...file, [setting]: text }
  })
  return 0
}

/** A key is never sent to another engine than the one it was stored for; undefined removes the address. */
function refuseMovedKey(setting: Name, text: string | undefined, file: ConfigFile): void {
  const has_key = file.api_key ?? file.access_token ?? file.private_key
  if (setting !== 'api_url' || has_key === undefined || file.api_url === undefined) return
  if (URL.parse(text ?? '')?.origin === URL.parse(file.api_url)?.origin) return
  throw new UsageError(
    `The key in this profile belongs to ${file.api_url}, so its address stays.`,
    'Use another profile: svc login --profile <name> --api-url <url>.',
  )
}

async function unset([name]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const setting = nameOf(name, 'unset')
  await change(flags, terminal, (file) => {
    refuseMovedKey(setting, undefined, file)
    return { ...file, [setting]: undefined }
  })
  if (setting === 'api_key') terminal.err('The key itself stays valid: svc keys revoke <key_id> ends it.\n')
  return 0
}

/** Reads, changes, checks and writes while holding the lock of the file. */
async function change(
  flags: Flags,
  terminal: Terminal,
  edit: (file: ConfigFile) => { [Field in keyof ConfigFile]: ConfigFile[Field] | undefined },
): Promise<void> {
  const format = formatOf(flags, 'human')
  const path = configPathOf(terminal, profileOf(flags, terminal))
  await withLock(path, terminal.signal, async () => {
    const entries = Object.entries(edit(fileOf(flags, terminal))).filter(([, value]) => value !== undefined)
    const edited: ConfigFile = Object.fromEntries(entries)
    try {
      checkConfig(edited)
    } catch (thrown) {
      throw thrown instanceof SvcError ? new UsageError(thrown.message) : thrown
    }
    await writeConfig(path, edited)
  })
  if (format === 'human') terminal.err(`Changed ${path}.\n`)
  else await printValue({ file: path }, format, terminal)
}

function fileOf(flags: Flags, terminal: Terminal): ConfigFile {
  return readConfigFile(profileOf(flags, terminal), hostOf(terminal))
}

async function listProfiles(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  const current = profileOf(flags, terminal) ?? default_profile
  const rows = profilesOf(terminal).map((profile) => {
    const { api_url = null, agent_did = null } = readConfigFile(profile, hostOf(terminal))
    return { profile, used: profile === current, api_url, agent_did }
  })
  if (format === 'human' && rows.length === 0) terminal.err('There is no profile yet; svc login makes one.\n')
  else await printValue(rows, format, terminal)
  return 0
}

function profilesOf(terminal: Terminal): string[] {
  const folder = `${terminal.home}/.svc/profiles`
  const files = existsSync(folder) ? readdirSync(folder) : []
  const named = files.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length))
  const has_default = existsSync(configPathOf(terminal, undefined))
  return [
    ...(has_default ? [default_profile] : []),
    ...named.filter((name) => name !== default_profile).sort(),
  ]
}

async function use([profile]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  const profiles = profilesOf(terminal)
  if (profile === undefined)
    throw new UsageError('svc config use needs a profile.', 'svc config profiles lists them.')
  if (profile !== default_profile && !profiles.includes(profile))
    throw new UsageError(
      `There is no profile ${profile}.${didYouMean(profile, profiles)}`,
      `svc login --profile ${profile} makes it; svc config profiles lists them.`,
    )
  const path = chosenProfilePath(terminal)
  if (profile === default_profile) await rm(path, { force: true })
  else await writeWhole(path, [`${profile}\n`])
  if (format === 'human') terminal.err(`Using profile ${profile} from now on.\n`)
  else await printValue({ profile }, format, terminal)
  if (terminal.env.SVC_PROFILE) terminal.err('SVC_PROFILE is set and wins over it.\n')
  return 0
}

function nameOf(name: string | undefined, command: string): Name {
  if (name === undefined) throw new UsageError(`svc config ${command} needs a name: ${names.join(', ')}.`)
  const setting = names.find((each) => each === name.replaceAll('-', '_'))
  if (setting !== undefined) return setting
  throw new UsageError(
    `There is no setting ${name}; there are ${names.join(', ')}.${didYouMean(name, names)}`,
  )
}

function isSecret(name: Name): name is (typeof secret_names)[number] {
  return (secret_names as readonly string[]).includes(name)
}
