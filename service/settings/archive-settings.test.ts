import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readArchiveSettings } from './archive-settings.ts'
import { ConfigError } from './config-error.ts'
import { reader } from './reader.ts'

const read = (env: Record<string, string> = {}) => readArchiveSettings(reader(env, 'serve'))
const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }

test('without an archive everything stays in PostgreSQL', () => {
  assert.equal(read(), undefined)
})

test('a folder, with thirty hot days unless set', () => {
  const place = { kind: 'file', folder: '/srv/archive' }
  assert.deepEqual(read({ SVC_LOG_ARCHIVE: 'file:/srv/archive' }), { place, hot_days: 30 })
  assert.deepEqual(read({ SVC_LOG_ARCHIVE: 'file:///srv/archive', SVC_LOG_HOT_DAYS: '0.5' }), {
    place,
    hot_days: 0.5,
  })
})

test('a bucket with its region, at AWS or elsewhere', () => {
  const settings = read({ ...keys, SVC_LOG_ARCHIVE: 's3://logs/svc/prod/', AWS_DEFAULT_REGION: 'eu-north-1' })
  const place = {
    kind: 's3',
    bucket: 'logs',
    prefix: 'svc/prod',
    region: 'eu-north-1',
    endpoint: 'https://s3.eu-north-1.amazonaws.com',
    access_key_id: 'id',
    secret_access_key: 'secret',
    session_token: undefined,
    ca: undefined,
  }
  assert.deepEqual(settings, { place, hot_days: 30 })
  const elsewhere = {
    ...keys,
    SVC_LOG_ARCHIVE: 's3://logs',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1/',
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:7070',
    AWS_SESSION_TOKEN: 'token',
  }
  assert.deepEqual(read(elsewhere)?.place, {
    ...place,
    prefix: '',
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:7070',
    session_token: 'token',
  })
})

const refused: readonly [env: Record<string, string>, sentence: RegExp][] = [
  [{ SVC_LOG_HOT_DAYS: '30' }, /set without SVC_LOG_ARCHIVE.*; set both, or neither\.$/],
  [{ SVC_LOG_ARCHIVE: 'file:/a', SVC_LOG_HOT_DAYS: '0' }, /must be a number above 0/],
  [{ SVC_LOG_ARCHIVE: 'file:/a', SVC_LOG_HOT_DAYS: '1e9' }, /must be at most 36500/],
  [{ SVC_LOG_ARCHIVE: 'file:archive' }, /must be file: and an absolute path, or s3:\/\/bucket\/prefix/],
  [{ SVC_LOG_ARCHIVE: '/srv/archive' }, /must be file: and an absolute path/],
  [{ SVC_LOG_ARCHIVE: 's3://Logs/x' }, /must be file: and an absolute path/],
  [{ SVC_LOG_ARCHIVE: 's3://logs' }, /needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/],
]
for (const [env, sentence] of refused)
  test(`refused: ${JSON.stringify(env)}`, () => {
    assert.throws(
      () => read(env),
      (error) => error instanceof ConfigError && sentence.test(error.message),
    )
  })
