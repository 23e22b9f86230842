// What tools and actions may use: programs, hosts, and secrets to send. Unset means none.
import type { ToolSecret, ToolSecrets } from '@svc/contract/foreign/tools'
import { type AllowedCommand, type AllowedCommands, command_ref_form } from '@svc/contract/needs/commands'
import { ConfigError } from './config-error.ts'
import type { Reader } from './reader.ts'
import { hosts as host_list, readFileOf } from './setting-types.ts'

const entries_max = 1_000
const header_form = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
const header_value_form = /^[\x20-\x7e]{1,8192}$/
const variable_form = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
/** Variables set by the engine itself or read by the dynamic loader. */
const reserved_variables = ['HOME', 'TMPDIR']

export function readToolSettings(read: Reader) {
  const base = { PATH: read('PATH'), LANG: read('LANG') }
  const commands: AllowedCommands = table(read, 'SVC_COMMANDS', (entry, name) => command(entry, name, base))
  const tool_secrets: ToolSecrets = table(read, 'SVC_TOOL_SECRETS', secret)
  /** `host` for the usual port, or `host:port`. */
  const tool_hosts = read('SVC_TOOL_HOSTS')
  return { commands, tool_hosts, tool_secrets }
}

type Entry = Readonly<Record<string, unknown>>

function table<Row>(
  read: Reader,
  setting: 'SVC_COMMANDS' | 'SVC_TOOL_SECRETS',
  parse: (entry: Entry, name: string) => Row,
) {
  const text = read(setting)
  const rows = new Map<string, Row>()
  if (text === undefined) return rows
  const entries = parseObject(setting, text.startsWith('@') ? readFileOf(setting, text.slice(1)) : text)
  if (Object.keys(entries).length > entries_max)
    throw new ConfigError(`${setting} has more than ${entries_max} entries.`)
  for (const [name, entry] of Object.entries(entries)) {
    if (!command_ref_form.test(name))
      throw new ConfigError(`${setting} names ${name}; a name has a-z, 0-9, _ . - and begins with a letter.`)
    if (!isObject(entry)) throw new ConfigError(`${setting}: ${name} must be an object.`)
    rows.set(name, parse(entry, `${setting}: ${name}`))
  }
  return rows
}

function parseObject(setting: string, text: string): Entry {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Not repeated: it may contain secrets.
  }
  throw new ConfigError(`${setting} must be a JSON object, or @ and the path of a file with one.`)
}

function command(entry: Entry, name: string, base: Readonly<Record<string, string>>): AllowedCommand {
  onlyFields(entry, name, ['command', 'args', 'env', 'idempotent', 'tenants'])
  const { command, args = [], env = {}, idempotent = false } = entry
  if (typeof command !== 'string' || command === '' || command.includes('\0'))
    throw new ConfigError(`${name} needs command: the program to start, such as /usr/bin/mcp-files.`)
  if (!isTexts(args) || args.some((argument) => argument.includes('\0')))
    throw new ConfigError(`${name}: args must be a list of texts.`)
  if (!isObject(env) || !isTexts(Object.values(env)))
    throw new ConfigError(`${name}: env must be an object of texts.`)
  const wrong = Object.keys(env).find((key) => !variable_form.test(key) || reserved_variables.includes(key))
  if (wrong !== undefined) throw new ConfigError(`${name}: env may not set ${wrong}.`)
  if (typeof idempotent !== 'boolean') throw new ConfigError(`${name}: idempotent is true or false.`)
  const own = env as Readonly<Record<string, string>>
  return { command, args, env: { ...base, ...own }, idempotent, ...tenantsOf(entry, name) }
}

function secret(entry: Entry, name: string): ToolSecret {
  onlyFields(entry, name, ['headers', 'hosts', 'tenants'])
  const { headers, hosts } = entry
  const isHeader = ([key, value]: [string, unknown]) =>
    header_form.test(key) && typeof value === 'string' && header_value_form.test(value)
  if (!isObject(headers) || Object.keys(headers).length === 0 || !Object.entries(headers).every(isHeader))
    throw new ConfigError(`${name} needs headers: an object of header names and values.`)
  if (!isTexts(hosts) || hosts.length === 0)
    throw new ConfigError(`${name} needs hosts: a list of the hosts it may be sent to.`)
  return {
    headers: headers as Readonly<Record<string, string>>,
    hosts: host_list.parse(hosts.join(','), name)!,
    ...tenantsOf(entry, name),
  }
}

function tenantsOf({ tenants }: Entry, name: string): { tenants?: readonly string[] } {
  if (tenants === undefined) return {}
  if (isTexts(tenants)) return { tenants }
  throw new ConfigError(`${name}: tenants must be a list of tenant ids.`)
}

function onlyFields(entry: Entry, name: string, fields: readonly string[]): void {
  const unknown = Object.keys(entry).find((field) => !fields.includes(field))
  if (unknown === undefined) return
  throw new ConfigError(`${name} has a field ${unknown}; it may have ${fields.join(', ')}.`)
}

function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}
