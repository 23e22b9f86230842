// Dynamic registration (RFC 7591) of public clients, which MCP clients use before their first sign-in.

import { refuse } from '@svc/contract/refusal'
import { ListOf, Text } from '@svc/contract/schema'
import type { Clock } from '@svc/engine/ports'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { addressOf } from './address.ts'
import type { LoginContext } from './login-context.ts'
import { recordDecision } from './records.ts'

const clients_max = 10_000
const metadata_bytes_max = 8 * 1024
const grant_types = ['authorization_code', 'refresh_token']
/** A client that nobody has allowed by then is deleted. */
const unused_client_s = 86_400
export const used_client_s = 400 * 86_400

/** Unlisted fields are ignored, as the standard requires; listed ones must be valid. */
const Metadata = Type.Object({
  redirect_uris: ListOf(Text(512), 1, 10),
  client_name: Type.Optional(Text(100)),
  client_uri: Type.Optional(Text(512)),
  token_endpoint_auth_method: Type.Optional(Type.Literal('none')),
  grant_types: Type.Optional(ListOf(Type.Enum(grant_types), 1, 2)),
  response_types: Type.Optional(ListOf(Type.Literal('code'), 1, 1)),
  application_type: Type.Optional(Type.Enum(['native', 'web'])),
})
const metadata_check = Compile(Metadata)

export function addRegistrationRoute(app: FastifyInstance, context: LoginContext): void {
  const options = { bodyLimit: metadata_bytes_max, errorHandler: undefined }
  app.options('/oauth/register', async (_request, reply) =>
    reply
      .code(204)
      .headers({ ...open_to_all, 'access-control-allow-headers': 'content-type' })
      .send(),
  )
  app.post('/oauth/register', options, async (request, reply) => {
    const address = addressOf(request, context.settings.proxy_hops)
    const wait_ms = await context.accounts.mayRegister(address)
    if (wait_ms > 0) throw tooMany('from this address', wait_ms)
    reply.headers({ ...open_to_all, 'cache-control': 'no-store' })
    const fault = faultOf(request.body)
    if (fault !== undefined) return reply.code(400).send(invalid(fault))
    if ((await context.accounts.payloads.countOf('Client')) >= clients_max) throw tooMany('here', 3_600_000)
    const client = clientOf(request.body as Static<typeof Metadata>, context.dispatch_endpoint.clock)
    // Its address rules are the ones that count at sign-in.
    const { Client } = await context.provider()
    const refused = await Client.validate(client).catch((error: Error) => error)
    if (refused instanceof Error) return reply.code(400).send(invalid(describe(refused)))
    await context.accounts.payloads.upsert('Client', client.client_id, client, unused_client_s)
    const meta = { gate: 'oauth client registered', client_id: client.client_id }
    await recordDecision(context.dispatch_endpoint, undefined, {
      event_type: 'AuthorizationCheck',
      outcome: 'success',
      meta,
    })
    return reply.code(201).send(client)
  })
}

const open_to_all = { 'access-control-allow-origin': '*', 'access-control-allow-methods': 'POST' }

/** Control characters, and those that reorder or hide text: a name must read as it is written. */
const deceptive = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
/** URL parsers drop line breaks and read backslashes as slashes; a text comparison would see another address. */
const plain_uri = /^[\x21-\x5b\x5d-\x7e]+$/

function faultOf(body: unknown): string | undefined {
  if (metadata_check.Check(body)) return deceptionIn(body)
  const [first] = metadata_check.Errors(body)
  return `${first?.instancePath || 'the metadata'} ${first?.message ?? 'does not fit'}; only public clients with code and PKCE are registered here`
}

function deceptionIn({ redirect_uris, client_name = '', client_uri }: Static<typeof Metadata>) {
  if (deceptive.test(client_name)) return 'client_name holds characters that cannot be seen; leave them out'
  const uris = client_uri === undefined ? redirect_uris : [...redirect_uris, client_uri]
  const odd = uris.find((uri) => !plain_uri.test(uri) || hasUserInfo(uri))
  if (odd === undefined) return undefined
  const field = redirect_uris.includes(odd) ? 'a redirect_uri' : 'client_uri'
  return `${field} holds user info, a space, a control character or a backslash; send a plain address`
}

function hasUserInfo(uri: string): boolean {
  const url = URL.parse(uri)
  return url !== null && (url.username !== '' || url.password !== '')
}

function clientOf(metadata: Static<typeof Metadata>, clock: Clock) {
  const { redirect_uris, client_name, client_uri } = metadata
  const client_id = clock.randomBytes(16).toString('base64url')
  return {
    client_id,
    client_id_issued_at: Math.floor(clock.now_ms() / 1000),
    redirect_uris,
    ...(client_name === undefined ? {} : { client_name }),
    ...(client_uri === undefined ? {} : { client_uri }),
    grant_types,
    response_types: ['code' as const],
    token_endpoint_auth_method: 'none' as const,
    application_type: metadata.application_type ?? kindOf(redirect_uris),
  }
}

/** Clients on a person's own machine seldom say so; their addresses do. */
function kindOf(redirect_uris: readonly string[]): 'native' | 'web' {
  return redirect_uris.every((uri) => URL.parse(uri)?.protocol === 'https:') ? 'web' : 'native'
}

function describe(error: Error & { error_description?: string }): string {
  return error.error_description ?? 'the metadata does not fit'
}

/** In the standard's own form, which registering clients read. */
function invalid(error_description: string) {
  const about_redirect = error_description.includes('redirect_uri')
  return { error: about_redirect ? 'invalid_redirect_uri' : 'invalid_client_metadata', error_description }
}

function tooMany(where: string, retry_after_ms: number) {
  return refuse('rate_limited', `Too many clients were registered ${where}; try again later.`, {
    reason: 'client registrations',
    retry_after_ms,
  })
}
