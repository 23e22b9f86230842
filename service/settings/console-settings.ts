// What the console is told: where it listens, which engine or gateway it stands before, and the prefix of a proxy that keeps one.
import { readAuthorities } from './authorities.ts'
import { bindAddress, type Environment, reader, readSettings } from './config.ts'
import { ConfigError } from './config-error.ts'

const default_address = '0.0.0.0:3000'
const prefix_form = /^(\/[\w.~-]+){1,8}$/

export interface ConsoleSettings {
  readonly host: string
  readonly port: number
  readonly api_url: URL
  readonly ca: string | undefined
  readonly path_prefix: string
  readonly log_level: ReturnType<typeof readSettings>['log_level']
}

export function readConsoleSettings(env: Environment): ConsoleSettings {
  const read = reader(env)
  const [host, port] = bindAddress(read('APP_BIND_ADDR') ?? default_address)
  return {
    host,
    port,
    api_url: apiUrl(read('SVC_API_URL')),
    ca: readAuthorities(read('SVC_TLS_CA')),
    path_prefix: pathPrefix(read('SVC_CONSOLE_PATH') ?? ''),
    log_level: readSettings(env).log_level,
  }
}

function apiUrl(text: string | undefined): URL {
  const url = text === undefined ? null : URL.parse(text)
  const bare = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  if (bare && /^https?:$/.test(url.protocol)) return url
  throw new ConfigError(
    `SVC_API_URL is ${text ?? 'not set'}; the console needs the address of an engine or a gateway, such as http://127.0.0.1:8080.`,
  )
}

function pathPrefix(text: string): string {
  const prefix = text.endsWith('/') ? text.slice(0, -1) : text
  if (prefix === '' || prefix_form.test(prefix)) return prefix
  throw new ConfigError(`SVC_CONSOLE_PATH is ${text}; it must be a path such as /ops/svc.`)
}
