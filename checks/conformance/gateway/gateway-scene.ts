// A gateway with its own certificate in front of an engine in this process, and callers that check that
// certificate.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { newIdentity } from '@svc/adapters/access/tenants'
import { privateKeyOf, type SigningKey } from '@svc/contract/signing/signature'
import type { IdentityResolver } from '@svc/engine/ports'
import { type GatewaySetup, type RunningGateway, startGateway } from '@svc/service/gateway'
import { OwnTls } from '@svc/service/settings/own-tls'
import type { Addresses, Answer, Asking } from '../../engines/running-engine.ts'
import { makeCertificate, type TestCertificate } from '../../neighbours/test-certificate.ts'

/** The engine as the gateway sees it. */
export interface Behind {
  readonly db_url: string
  readonly api_url: string
  readonly engine_did: string
}

export interface GatewayScene {
  readonly gateway: RunningGateway
  readonly signer: SigningKey
  readonly url: string
  readonly authority: TestCertificate
  readonly cert_file: string
  readonly key_file: string
  stop(): Promise<void>
}

export function newSigner(): SigningKey {
  const { did, public_key, private_key } = newIdentity('operator', 'service')
  return { did, public_key, private_key: privateKeyOf(Buffer.from(private_key, 'base64url')) }
}

export interface SceneOptions extends Partial<GatewaySetup> {
  readonly resolver?: IdentityResolver
  /** Without TLS, for bytes that must arrive unchanged. */
  readonly plain?: boolean
}

export async function openGateway(behind: Behind, options: SceneOptions = {}): Promise<GatewayScene> {
  const { resolver, plain = false, ...other } = options
  const folder = await mkdtemp(join(tmpdir(), 'svc-gateway-'))
  const authority = makeCertificate({ name: 'Test authority' })
  const { cert, key } = makeCertificate({ name: 'gateway', issuer: authority, hosts: ['127.0.0.1'] })
  const [cert_file, key_file] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
  await writeFile(cert_file, cert)
  await writeFile(key_file, key)
  const signer = other.signer ?? newSigner()
  const config: GatewaySetup = {
    log_level: 'silent',
    host: '127.0.0.1',
    port: 0,
    tenant_id: 'operator',
    db_url: behind.db_url,
    api_urls: [new URL(behind.api_url)],
    engine_did: behind.engine_did,
    signer,
    identity: { node_urls: {}, trusted_issuers: [] },
    is_plain: plain,
    tls: new OwnTls(plain ? {} : { cert_file, key_file }),
    silence_ms_max: 30_000,
    cells: [],
    shutdown_grace_ms: 10_000,
    ...other,
  }
  const gateway = await startGateway(config, resolver)
  const url = `${plain ? 'http' : 'https'}://127.0.0.1:${gateway.port}`
  const stop = async () => {
    await gateway.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { gateway, signer, url, authority, cert_file, key_file, stop }
}

export type Sent = Record<string, string | string[] | undefined>

/** One request to a gateway over its own connection, whose certificate must be the authority's. */
export async function send(
  { url, authority }: Pick<GatewayScene, 'url' | 'authority'>,
  method: string,
  path: string,
  headers: Sent = {},
  body?: string,
): Promise<Answer> {
  const secure = url.startsWith('https:')
  const agent = secure ? new TlsAgent({ ca: authority.cert }) : new Agent()
  const sent = (secure ? requestHttps : requestHttp)(url, { method, path, headers, agent })
  const answered = new Promise<Answer>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async (answer) => {
      const all = new Headers()
      for (let i = 0; i < answer.rawHeaders.length; i += 2)
        all.append(answer.rawHeaders[i]!, answer.rawHeaders[i + 1]!)
      const text = await textOf(answer).catch((error: Error) => `broken off: ${error.message}`)
      const is_json = all.get('content-type')?.startsWith('application/json')
      resolve({ status: answer.statusCode ?? 0, headers: all, body: is_json ? JSON.parse(text) : text })
    })
  })
  sent.end(body)
  return answered.finally(() => agent.destroy())
}

export function callerHeaders(caller: Addresses): Record<string, string> {
  return {
    authorization: `Bearer ${caller.api_key}`,
    'x-agent-did': caller.agent_did,
    'content-type': 'application/json',
  }
}

/** A dispatch of this caller through the gateway. */
export function askThrough(
  scene: Pick<GatewayScene, 'url' | 'authority'>,
  caller: Addresses,
  operation: string,
  input: unknown = {},
  headers: Sent = {},
  more: Asking & Record<string, unknown> = {},
): Promise<Answer> {
  const { tenant_id } = caller
  const body = { protocol: 'TRIAL', version: 'v1.0.0', operation, input, tenant_id, ...more }
  const sent = Object.entries({ ...callerHeaders(caller), ...headers }).filter(
    ([, value]) => value !== undefined,
  )
  return send(scene, 'POST', '/v1/dispatch', Object.fromEntries(sent), JSON.stringify(body))
}
