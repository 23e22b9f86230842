// A small S3-compatible server: stores objects in memory, and checks the signature of every request by itself.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export const s3_keys = { access_key_id: 'AKIDTEST', secret_access_key: 'a secret/of+the test' }
export const s3_region = 'eu-central-1'
export const s3_bucket = 'logs'

export interface S3Server {
  readonly endpoint: string
  /** By the path after the bucket. */
  readonly objects: Map<string, Buffer>
  /** Answers instead of the server where it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly refused: string[]
  close(): Promise<void>
}

export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const refused: string[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    if (s3.intercept(request, response)) return
    const fault = signatureFault(request, body)
    if (fault !== undefined) {
      refused.push(fault)
      return answerError(response, 403, 'SignatureDoesNotMatch')
    }
    const [, bucket, ...rest] = decodeURIComponent(request.url!).split('/')
    if (bucket !== s3_bucket) return answerError(response, 404, 'NoSuchBucket')
    answer(request, response, objects, rest.join('/'), body)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const s3: S3Server = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    refused,
    intercept: () => false,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return s3
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  objects: Map<string, Buffer>,
  name: string,
  body: Buffer,
): void {
  if (request.method === 'PUT') {
    objects.set(name, body)
    response.writeHead(200).end()
    return
  }
  const object = objects.get(name)
  if (object) response.writeHead(200, { 'content-length': object.length }).end(object)
  else answerError(response, 404, 'NoSuchKey')
}

export function answerError(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`)
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** AWS Signature Version 4, written from its description and not from the client's code; undefined where it is right. */
function signatureFault({ method, url, headers }: IncomingMessage, body: Buffer): string | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w{64})$/
  const parts = form.exec(headers.authorization ?? '')
  if (!parts) return `authorization is ${headers.authorization}`
  const [, key_id, date, region, names, signature] = parts as unknown as string[]
  if (key_id !== s3_keys.access_key_id) return `key ${key_id}`
  if (region !== s3_region) return `region ${region}`
  const moment = String(headers['x-amz-date'])
  if (!/^\d{8}T\d{6}Z$/.test(moment) || !moment.startsWith(date!)) return `date ${moment}`
  const content_hash = String(headers['x-amz-content-sha256'])
  if (content_hash !== sha256(body)) return `content hash ${content_hash}`
  const signed_names = names!.split(';')
  for (const name of ['host', 'x-amz-content-sha256', 'x-amz-date'])
    if (!signed_names.includes(name)) return `${name} is not signed`
  const path = url!
    .split('/')
    .map((part) => encoded(decodeURIComponent(part)))
    .join('/')
  const lines = signed_names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('')
  const canonical = [method, path, '', lines, names, content_hash].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const to_sign = ['AWS4-HMAC-SHA256', moment, scope, sha256(canonical)].join('\n')
  const keys = [date!, region!, 's3', 'aws4_request']
  const key = keys.reduce<Buffer | string>(hmac, `AWS4${s3_keys.secret_access_key}`)
  return hmac(key, to_sign).toString('hex') === signature ? undefined : 'signature'
}
