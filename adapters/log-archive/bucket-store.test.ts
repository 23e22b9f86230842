import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { pageStore } from '@svc/audit/archive/page-store'
import {
  answerError,
  type S3Server,
  s3_bucket,
  s3_keys,
  s3_region,
  startS3,
} from '../../checks/log-archive/s3-server.ts'
import { system_clock } from '../clock/system.ts'
import { type BucketPlace, bucketStore } from './bucket-store.ts'

let s3: S3Server
before(async () => {
  s3 = await startS3()
})
after(() => s3.close())
afterEach(() => {
  s3.intercept = () => false
  s3.objects.clear()
  s3.refused.length = 0
})

function openStore(more: Partial<BucketPlace> = {}) {
  const place = {
    bucket: s3_bucket,
    prefix: 'svc/prod',
    region: s3_region,
    endpoint: s3.endpoint,
    session_token: undefined,
    ca: undefined,
    ...s3_keys,
    ...more,
  }
  return bucketStore(place, system_clock)
}

const bytes = randomBytes(3_000)

test('an object is stored under the prefix with a right signature, and comes back', async () => {
  const store = openStore()
  assert.equal(store.place, 's3://logs/svc/prod')
  await store.put('pages/ab/abc', bytes)
  assert.deepEqual([...s3.objects.keys()], ['svc/prod/pages/ab/abc'])
  assert.deepEqual(await store.get('pages/ab/abc', bytes.length), bytes)
  assert.deepEqual(await store.get('pages/ab/abc', bytes.length + 9), bytes)
  assert.equal(await store.get('pages/ab/none', bytes.length), undefined)
  assert.deepEqual(s3.refused, [])
})

test('without a prefix, with a session token, and with characters that are signed encoded', async () => {
  const store = openStore({ prefix: '', session_token: 'a/token+of=AWS' })
  let token: unknown
  s3.intercept = ({ headers }) => {
    token = headers['x-amz-security-token']
    return false
  }
  await store.put('svc-log-archive', Buffer.from('x'))
  assert.deepEqual([token, [...s3.objects.keys()]], ['a/token+of=AWS', ['svc-log-archive']])
})

test('wrong keys and a wrong region are refused, with the code of the service', async () => {
  for (const wrong of [{ secret_access_key: 'other' }, { access_key_id: 'other' }, { region: 'eu-west-1' }]) {
    const store = openStore(wrong)
    await assert.rejects(store.put('a', bytes), /the bucket answered 403 SignatureDoesNotMatch/)
    await assert.rejects(store.get('a', 10), /the bucket answered 403 SignatureDoesNotMatch/)
  }
  assert.deepEqual(s3.refused, [
    'signature',
    'signature',
    'key other',
    'key other',
    'region eu-west-1',
    'region eu-west-1',
  ])
})

test('a body that changes on the way is refused', async () => {
  s3.intercept = (request) => {
    request.headers['x-amz-content-sha256'] = hash('sha256', 'other')
    return false
  }
  await assert.rejects(openStore().put('a', bytes), /403/)
  assert.match(s3.refused[0]!, /content hash/)
})

test('a missing bucket, an error or a redirection is no missing object', async () => {
  await assert.rejects(openStore({ bucket: 'others' }).get('a', 10), /404 NoSuchBucket/)
  for (const [status, code] of [
    [500, 'InternalError'],
    [503, 'SlowDown'],
    [301, 'PermanentRedirect'],
    [404, ''],
  ] as const) {
    s3.intercept = (_, response) => {
      answerError(response, status, code)
      return true
    }
    await assert.rejects(openStore().get('a', 10), new RegExp(`answered ${status} ?${code}`))
    await assert.rejects(openStore().put('a', bytes), new RegExp(`answered ${status}`))
  }
})

test('a connection that is cut is no missing object', async () => {
  s3.intercept = (_, response) => {
    response.writeHead(200, { 'content-length': 3_000 })
    response.write(bytes.subarray(0, 100), () => response.destroy())
    return true
  }
  await assert.rejects(openStore().get('a', 3_000), /aborted|ECONNRESET|no answer|failed/)
})

test('a page has its hash or is unreadable, whatever the bucket returns', async () => {
  const pages = pageStore(openStore())
  await pages.prepare(async () => false)
  const page = { sha256: hash('sha256', bytes), bytes: bytes.length }
  await pages.put(page, bytes)
  assert.deepEqual(await pages.get(page), bytes)
  const name = `svc/prod/pages/${page.sha256.slice(0, 2)}/${page.sha256}`
  for (const other of [
    bytes.subarray(1),
    Buffer.alloc(0),
    Buffer.alloc(900_000),
    randomBytes(bytes.length),
  ]) {
    s3.objects.set(name, other)
    assert.equal(await pages.get(page), undefined)
  }
  s3.objects.clear()
  await assert.rejects(pages.get(page), /s3:\/\/logs\/svc\/prod has no svc-log-archive/)
})
