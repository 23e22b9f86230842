// The steps of a sign-in, with a real client (openid-client).
import assert from 'node:assert/strict'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { createUser } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import type { Database } from '@svc/contract/database'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  None,
  randomPKCECodeVerifier,
  randomState,
  type TokenEndpointResponse,
} from 'openid-client'
import type { InProcessService } from '../engines/in-process.ts'
import { type FormBrowser, formBrowser, type Page } from '../neighbours/form-browser.ts'

export const redirect_uri = 'http://127.0.0.1:8600/callback'
export const password = 'correct horse battery staple'

/** In production a password hash takes a tenth of a second of both cores; here it is cheap. */
const cheap = { n: 2 ** 10, r: 8, p: 1 }

export interface Someone {
  readonly user_id: string
  readonly login: string
  readonly did: string
  readonly tenant_id: string
}

export function addPerson({ service }: InProcessService, login: string, tenant_id = 'dev'): Promise<Someone> {
  return addPersonTo(service.store.engine, login, tenant_id)
}

export async function addPersonTo(db: Database, login: string, tenant_id: string): Promise<Someone> {
  await ensureTenant(db, tenant_id, tenant_id, 'sovereign')
  const { did } = newIdentity(tenant_id, 'person')
  const user = { tenant_id, login, password, did, name: `${login} <b>` }
  const { user_id } = await createUser(db, system_clock, user, cheap)
  return { user_id, login, did, tenant_id }
}

type Reached = Pick<InProcessService, 'api_url'>

export function clientOf({ api_url }: Reached, client_id = 'svc-cli'): Promise<Configuration> {
  const issuer = new URL(`${api_url}/oauth`)
  return discovery(issuer, client_id, undefined, None(), { execute: [allowInsecureRequests] })
}

export interface Begun {
  readonly client: Configuration
  readonly url: URL
  readonly verifier: string
  readonly state: string
  readonly browser: FormBrowser
}

export async function begin(
  engine: Reached,
  more: Record<string, string> = {},
  client_id = 'svc-cli',
  browser = formBrowser(engine.api_url),
): Promise<Begun> {
  const client = await clientOf(engine, client_id)
  const [verifier, state] = [randomPKCECodeVerifier(), randomState()]
  const url = buildAuthorizationUrl(client, {
    redirect_uri,
    scope: 'svc.call svc.keys',
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...more,
  })
  return { client, url, verifier, state, browser }
}

/** Signs in and consents; returns where the browser was sent with the code. */
export async function consent({ url, browser }: Begun, login: string): Promise<URL> {
  let page = await browser.get(url.href)
  if (page.text.includes('name="password"'))
    page = await browser.submit(page, { login, password, answer: 'sign-in' })
  return allowed(await browser.submit(page, { answer: 'allow' }))
}

export function allowed(page: Page): URL {
  assert.ok(page.left_to, `${page.status} ${page.text.slice(0, 400)}`)
  return new URL(page.left_to)
}

export async function redeem(
  { client, verifier, state }: Begun,
  callback: URL,
): Promise<TokenEndpointResponse> {
  return await authorizationCodeGrant(client, callback, { pkceCodeVerifier: verifier, expectedState: state })
}

export async function signIn(engine: Reached, login: string, more: Record<string, string> = {}) {
  const begun = await begin(engine, more)
  const callback = await consent(begun, login)
  const tokens = await redeem(begun, callback)
  return { ...begun, callback, tokens, code: callback.searchParams.get('code') ?? '' }
}
