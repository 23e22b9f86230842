// The mail server of the operator. Unset means that no mail is sent.
import type { SmtpSettings } from '@svc/adapters/smtp/transport'
import { ConfigError } from './config-error.ts'
import { tlsAuthorities } from './own-tls.ts'
import type { Reader } from './reader.ts'
import { isLoopback } from './setting-types.ts'

const ports = { 'smtp:': 587, 'smtps:': 465 } as const

export function readSmtpSettings(read: Reader): SmtpSettings | undefined {
  const [text, from] = [read('SVC_SMTP_URL'), read('SVC_SMTP_FROM')]
  if (text === undefined && from === undefined) return undefined
  if (text === undefined || from === undefined)
    throw new ConfigError('SVC_SMTP_URL and SVC_SMTP_FROM belong together; set both, or neither.')
  const { protocol, hostname, port, username, password, pathname, search } = new URL(text)
  if ((username === '') !== (password === '') || pathname.length > 1 || search !== '')
    throw new ConfigError('SVC_SMTP_URL must have user and password or neither, and nothing after the port.')
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? ports[protocol as keyof typeof ports] : Number(port),
    is_secure: protocol === 'smtps:',
    is_loopback: isLoopback(hostname),
    ...(username !== '' && {
      user: { name: decodeURIComponent(username), password: decodeURIComponent(password) },
    }),
    from,
    domains: read('SVC_SMTP_DOMAINS'),
    ca: tlsAuthorities(read),
  }
}
