// An archive in a bucket of an S3-compatible service. Addresses have the bucket in their path, which all of them understand.
import { hash } from 'node:crypto'
import type { ObjectStore } from '@svc/audit/archive/page-store'
import type { Clock } from '@svc/engine/ports'
import { AwsV4Signer } from 'aws4fetch'
import { unguarded } from '../outbound/address-guard.ts'
import { type Incoming, OutboundError, openOutbound, too_large } from '../outbound/outbound.ts'

export interface BucketPlace {
  readonly bucket: string
  /** Without slashes around it; empty for none. */
  readonly prefix: string
  readonly region: string
  /** Such as https://s3.eu-central-1.amazonaws.com. */
  readonly endpoint: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly session_token: string | undefined
  /** PEM of certificate authorities to trust besides the system's. */
  readonly ca: string | undefined
}

/** A write is in the background and may take longer than a read. */
const read_ms_max = 8_000
const write_ms_max = 60_000
const error_bytes_max = 64 * 1024

export function bucketStore(place: BucketPlace, clock: Pick<Clock, 'now_ms'>): ObjectStore {
  const { bucket, prefix, endpoint } = place
  const outbound = openOutbound(endpoint, { guard: unguarded, ca: place.ca })
  const pathOf = (name: string) => `/${[bucket, prefix, name].filter(Boolean).join('/')}`
  const send = async (method: 'GET' | 'PUT', name: string, bytes: Uint8Array, answer_bytes_max: number) => {
    const path = pathOf(name)
    return await outbound.send({
      method,
      path,
      headers: await signed(place, clock, method, path, bytes),
      timeout_ms: method === 'PUT' ? write_ms_max : read_ms_max,
      // Errors are texts of the service, and longer than a small page.
      answer_bytes_max: answer_bytes_max + error_bytes_max,
      ...(method === 'PUT' && { body: bytes }),
    })
  }
  return {
    place: `s3://${[bucket, prefix].filter(Boolean).join('/')}`,
    async put(name, bytes) {
      const answer = await send('PUT', name, bytes, 0)
      if (answer.status !== 200) throw failed(answer)
    },
    async get(name, bytes_max) {
      try {
        const answer = await send('GET', name, Buffer.alloc(0), bytes_max)
        if (answer.status === 200) return answer.body.length > bytes_max ? undefined : answer.body
        if (answer.status === 404 && codeOf(answer) === 'NoSuchKey') return undefined
        throw failed(answer)
      } catch (error) {
        if (error instanceof OutboundError && error.fault === too_large) return undefined
        throw error
      }
    },
  }
}

/** With the hash of the body, so that the service refuses what arrives altered. */
async function signed(
  place: BucketPlace,
  clock: Pick<Clock, 'now_ms'>,
  method: string,
  path: string,
  bytes: Uint8Array,
): Promise<Record<string, string>> {
  const { region, access_key_id, secret_access_key, session_token } = place
  const signer = new AwsV4Signer({
    method,
    url: place.endpoint + path,
    headers: { 'x-amz-content-sha256': hash('sha256', bytes) },
    service: 's3',
    region,
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    ...(session_token !== undefined && { sessionToken: session_token }),
    datetime: new Date(clock.now_ms()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  })
  return Object.fromEntries((await signer.sign()).headers)
}

function codeOf({ body }: Incoming): string | undefined {
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(body.toString('latin1'))?.[1]
}

function failed(answer: Incoming): Error {
  return new Error(`the bucket answered ${answer.status} ${codeOf(answer) ?? ''}`.trim())
}
