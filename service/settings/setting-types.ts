// Types of settings: the form shown to people, and the parser.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { isSentinelUrl } from '@svc/adapters/redis/sentinel'
import { parseDid } from '@svc/contract/identity/did'
import { parseVersion } from '@svc/engine/routing/semver'
import { ConfigError } from './config-error.ts'

export interface SettingType<Value> {
  /** Completes the sentence "it must be". */
  readonly form: string
  /** Undefined if the text is invalid. */
  readonly parse: (text: string, name: string) => Value | undefined
  /** May contain a password, so no message repeats it. */
  readonly is_hidden?: boolean
}

export const text: SettingType<string> = { form: 'text', parse: (value) => value }

export const secret: SettingType<string> = { ...text, is_hidden: true }

function fitting(form: string, fits: (value: string) => unknown): SettingType<string> {
  return { form, parse: (value) => (fits(value) ? value : undefined) }
}

export function matching(pattern: RegExp, form: string): SettingType<string> {
  return fitting(form, (value) => pattern.test(value))
}

export function whole(min: number, max = Number.MAX_SAFE_INTEGER): SettingType<number> {
  const open_form = min === 0 ? 'a whole number' : `a whole number above ${min - 1}`
  const form = max === Number.MAX_SAFE_INTEGER ? open_form : `a whole number from ${min} to ${max}`
  return number(form, (value) => Number.isSafeInteger(value) && value >= min && value <= max)
}

export const positive = number('a number above 0', (value) => Number.isFinite(value) && value > 0)

export const share = number('a number between 0 and 1', (value) => value >= 0 && value <= 1)

function number(form: string, fits: (value: number) => boolean): SettingType<number> {
  return { form, parse: (digits) => (fits(Number(digits)) ? Number(digits) : undefined) }
}

export const port: SettingType<number> = { ...whole(0, 65_535), form: 'a port, or 0 for any free one' }

export const port_or_off: SettingType<number | 'off'> = {
  form: 'a port, or off',
  parse: (value, name) => (value === 'off' ? value : port.parse(value, name)),
}

export function oneOf<const Word extends string>(...words: readonly Word[]): SettingType<Word> {
  return { form: `one of ${words.join(', ')}`, parse: (value) => words.find((word) => word === value) }
}

export const flag: SettingType<boolean> = {
  form: 'true or false',
  parse: (value) => ({ true: true, false: false })[value],
}

/** `none` for none of them. */
export function someOf<const Word extends string>(...words: readonly Word[]): SettingType<readonly Word[]> {
  const { form, parse } = listOf(
    `${words.join(', ')} separated by commas, or none`,
    oneOf<Word | 'none'>(...words, 'none').parse,
  )
  const chosen = (named: readonly string[] = []) => words.filter((word) => named.includes(word))
  return { form, parse: (value, name) => chosen(parse(value, name)) }
}

/** An address may contain a password. */
export const mayBeShown = (value: string) => !value.includes('@')

/** An error names the invalid part. */
function listOf<Value>(
  form: string,
  parsePart: SettingType<Value>['parse'],
  parts_max = 1_000,
): SettingType<readonly Value[]> {
  const parse = (list: string, name: string) => {
    const parts = list.split(',').flatMap((part) => part.trim() || [])
    if (parts.length > parts_max)
      throw new ConfigError(`${name} has ${parts.length} entries; the maximum is ${parts_max}.`)
    return parts.map((part) => {
      const value = parsePart(part, name)
      if (value !== undefined) return value
      throw new ConfigError(`${mayBeShown(part) ? `${name} names ${part}; it` : name} must be ${form}.`)
    })
  }
  return { form, parse }
}

export const did = fitting('a DID', parseDid)

export const dids = listOf('DIDs separated by commas', did.parse)

export const protocol_ids = listOf('names of protocols separated by commas', (id) => id.toUpperCase())

export const version = fitting('a version such as 37.0.0', parseVersion)

/** RUST_LOG may contain per-module filters; the first plain level is used. */
export const log_level: SettingType<string> = {
  form: 'one of trace, debug, info, warn, error, silent',
  parse(filters) {
    const levels = filters.split(',').map((part) => part.trim().toLowerCase())
    const level = levels.find((part) => !part.includes('=')) ?? 'info'
    if (level === 'off') return 'silent'
    return ['trace', 'debug', 'info', 'warn', 'error', 'silent'].find((name) => name === level)
  },
}

/** Where a program listens. */
export const listening: SettingType<readonly [host: string, port: number]> = {
  form: 'host:port, such as 0.0.0.0:8080',
  parse(value) {
    const parts = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(value)
    return parts && Number(parts[3]) <= 65_535 ? [(parts[1] ?? parts[2])!, Number(parts[3])] : undefined
  },
}

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

/** An address that may contain a user and a password. */
export function address(schemes: readonly string[], example: string): SettingType<string> {
  return {
    form: `an address such as ${example}`,
    parse(value) {
      const { protocol = '', hostname } = URL.parse(value) ?? {}
      // A PostgreSQL address with a socket folder has no host.
      const has_place = hostname !== '' || protocol.startsWith('postgres')
      return schemes.includes(protocol) && has_place ? value : undefined
    },
    is_hidden: true,
  }
}

/** A server, a cluster by one of its nodes, or the master that sentinels name. */
export const redis_address: SettingType<string> = {
  form: 'an address such as redis://cache.example:6379, or redis+sentinel://host:26379,host:26379/master-name',
  parse: (value, name) =>
    isSentinelUrl(value) ? value : address(['redis:', 'rediss:'], '').parse(value, name),
  is_hidden: true,
}

export const http_address = (example: string) => address(['http:', 'https:'], example)

function isPlain(url: URL | null): url is URL {
  return url !== null && !url.username && !url.password && !url.search && !url.hash
}

export const node_address: SettingType<string> = {
  form: 'an address such as https://node.example, without user or query',
  parse(value) {
    const url = URL.parse(value)
    return isPlain(url) && /^https?:$/.test(url.protocol) ? url.href.replace(/\/$/, '') : undefined
  },
  is_hidden: true,
}

/** The address, the mount of the transit engine and the name of the key. */
export const vault_key: SettingType<string> = {
  form: 'an https address (http on 127.0.0.1 only) with mount and key, such as https://vault.example:8200/transit/svc',
  parse(value, name) {
    const href = safe_address().parse(value, name)
    return href !== undefined && /^\/[^/]+(?:\/[^/]+)+$/.test(new URL(href).pathname) ? href : undefined
  },
}

/** Origins of engines or gateways, without a path. */
export const origins = listOf(
  'addresses of engines, such as https://engine:8080, separated by commas',
  (value) => {
    const url = URL.parse(value)
    return isPlain(url) && url.pathname === '/' && /^https?:$/.test(url.protocol) ? url : undefined
  },
  64,
)

/** Receives passwords, codes and cookies, so plain HTTP is allowed only on this machine. */
export function safe_address(path_end = ''): SettingType<string> {
  const end = path_end && ` that ends in ${path_end}`
  return {
    form: `an https address${end} without user or query (http on 127.0.0.1 only)`,
    parse(value) {
      const url = URL.parse(value)
      const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
      return safe && isPlain(url) && url.pathname.endsWith(path_end) ? value : undefined
    },
  }
}

export const networks = listOf('blocks such as 10.0.0.0/8,fd00::/8 separated by commas', (block) =>
  isBlock(block) ? block : undefined,
)

function isBlock(block: string): boolean {
  const [net = '', prefix = ''] = block.split('/')
  const family = isIP(net)
  if (family === 0 || !/^\d{1,3}$/.test(prefix)) return false
  try {
    new BlockList().addSubnet(net, Number(prefix), family === 4 ? 'ipv4' : 'ipv6')
    return true
  } catch {
    return false
  }
}

const host_form = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?)(:[1-9][0-9]{0,4})?$/

export const hosts = listOf('hosts such as mcp.example or 127.0.0.1:3001 separated by commas', (host) =>
  matching(host_form, '').parse(host.toLowerCase(), ''),
)

export const brokers = listOf(
  'host:port separated by commas, such as kafka-1:9092,kafka-2:9092',
  matching(/^[^\s:@/]+:\d{1,5}$/, '').parse,
)

export const key_of_32_bytes: SettingType<Buffer> = {
  form: '32 bytes in hex or base64; create one with: openssl rand -hex 32',
  parse(value) {
    const key = Buffer.from(value, /^[0-9a-f]{64}$/i.test(value) ? 'hex' : 'base64')
    return key.length === 32 ? key : undefined
  },
  is_hidden: true,
}

/** The path, which is kept because the file is read again when it changes. */
export const pem_file: SettingType<string> = {
  form: 'the path of a file with certificates in PEM form',
  parse(path, name) {
    const pem = readFileOf(name, path)
    try {
      return new X509Certificate(pem) && path
    } catch {
      throw new ConfigError(`${name} names ${path}, which contains no certificate in PEM form.`)
    }
  },
}

export function readFileOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new ConfigError(`${name} names ${path}, which cannot be read; check the path and its permissions.`)
  }
}

export interface CellAddress {
  readonly name: string
  readonly db_url: string
  /** Of its engines. */
  readonly api_urls: readonly URL[]
  readonly engine_did: string
}

const database_address = address(['postgres:', 'postgresql:'], 'postgresql://user@host/name')

/** Databases besides the first, each with its engines. */
export const cells: SettingType<readonly CellAddress[]> = {
  form: 'a JSON list of {"name", "db_url", "api_url", "engine_did"}, each cell under a name of its own',
  parse(text, name) {
    const listed = parseJson(text)
    if (!Array.isArray(listed)) return undefined
    const read = listed.map((cell: Partial<Record<string, unknown>>): CellAddress | undefined => {
      const db_url = database_address.parse(String(cell.db_url), name)
      const api_urls = origins.parse(String(cell.api_url), name)
      const engine_did = did.parse(String(cell.engine_did), name)
      const is_named = typeof cell.name === 'string' && /^[a-z0-9-]{1,63}$/.test(cell.name)
      return is_named && db_url && api_urls && engine_did
        ? { name: String(cell.name), db_url, api_urls, engine_did }
        : undefined
    })
    const all = read.filter((cell) => cell !== undefined)
    const is_whole = all.length === listed.length && new Set(all.map((cell) => cell.name)).size === all.length
    return is_whole ? all : undefined
  },
  is_hidden: true,
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
