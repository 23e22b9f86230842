import type { Log } from '@svc/engine/ports'
import { pino } from 'pino'

export interface LiveLog extends Log {
  level: string
}

/** JSON lines on stderr: stdout belongs to what a command was asked to print. Secrets are cut out wherever they stand. */
export function openLog(level: string): LiveLog {
  const secrets = ['authorization', 'api_key', 'secret', 'master_key', 'password', 'private_key']
  const redact = { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' }
  return pino({ level, redact, base: { service: 'svc-engine' } }, pino.destination(2)) as unknown as LiveLog
}
