// Where old pages of the audit log go. Unset means that they stay in PostgreSQL.
import type { ArchivePlace } from '@svc/adapters/log-archive/open-page-store'
import { ConfigError } from './config-error.ts'
import { tlsAuthorities } from './own-tls.ts'
import type { Reader } from './reader.ts'

const hot_days_max = 36_500

export interface ArchiveSettings {
  readonly place: ArchivePlace
  readonly hot_days: number
}

export function readArchiveSettings(read: Reader): ArchiveSettings | undefined {
  const text = read('SVC_LOG_ARCHIVE')
  if (text === undefined) {
    if (read.given('SVC_LOG_HOT_DAYS') === undefined) return undefined
    throw new ConfigError(
      'SVC_LOG_HOT_DAYS is set without SVC_LOG_ARCHIVE, so there is nowhere to archive to; set both, or neither.',
    )
  }
  const hot_days = read('SVC_LOG_HOT_DAYS')
  if (hot_days > hot_days_max)
    throw new ConfigError(`SVC_LOG_HOT_DAYS is ${hot_days}; it must be at most ${hot_days_max}.`)
  const place = text.startsWith('file:') ? folderOf(text) : bucketOf(text, read)
  return { place, hot_days }
}

function folderOf(text: string): ArchivePlace {
  // Both file:/folder and file:///folder.
  const folder = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
  return { kind: 'file', folder }
}

function bucketOf(text: string, read: Reader): ArchivePlace {
  const [bucket = '', ...prefix] = text.slice('s3://'.length).split('/')
  const [access_key_id, secret_access_key] = [read('AWS_ACCESS_KEY_ID'), read('AWS_SECRET_ACCESS_KEY')]
  if (access_key_id === undefined || secret_access_key === undefined)
    throw new ConfigError(
      'SVC_LOG_ARCHIVE names a bucket, which needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    )
  const region = read('AWS_REGION') ?? read('AWS_DEFAULT_REGION') ?? 'us-east-1'
  return {
    kind: 's3',
    bucket,
    prefix: prefix.filter(Boolean).join('/'),
    region,
    endpoint: read('AWS_ENDPOINT_URL_S3') ?? read('AWS_ENDPOINT_URL') ?? `https://s3.${region}.amazonaws.com`,
    access_key_id,
    secret_access_key,
    session_token: read('AWS_SESSION_TOKEN'),
    ca: tlsAuthorities(read),
  }
}
