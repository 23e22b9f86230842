// The configuration of the console: where it listens, and its engine or gateway.
import { readLogLevel } from './config.ts'
import { ConfigError } from './config-error.ts'
import { OwnTls } from './own-tls.ts'
import { type Environment, reader, requireSettings } from './reader.ts'

export type ConsoleSettings = Readonly<ReturnType<typeof readConsoleSettings>>

export function readConsoleSettings(env: Environment) {
  const read = reader(env, 'console')
  requireSettings(read)
  const [api_url, ...more] = read('SVC_API_URL')!
  if (!api_url || more.length)
    throw new ConfigError(
      'SVC_API_URL names several engines; the console needs one engine, or a gateway in front of them.',
    )
  const [host, port] = read('APP_BIND_ADDR')
  return {
    host,
    port,
    api_url,
    tls: OwnTls.of(read),
    path_prefix: (read('SVC_CONSOLE_PATH') ?? '').replace(/\/$/, ''),
    log_level: readLogLevel(read),
  }
}
