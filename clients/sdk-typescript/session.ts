// An agent with its own key proves its identity, and signs each request (DPoP, RFC 9449).
import { type AgentKey, base64Url, newAgentKey, openAgentKey, sha256 } from './agent-key.ts'
import { badAnswer, type SvcError } from './errors.ts'
import type { Request } from './request.ts'
import type { Settings } from './settings.ts'
import { toHex } from './verify/bytes.ts'

export type Credentials = Readonly<Record<string, string>>

/** Makes the headers that say who sends a request. */
export interface Authorization {
  headersFor(request: Request): Promise<Credentials>
  /** Whether sending the request again may help: it was refused before anything was done. `sent` is what it was sent with. */
  mayRepeat(refusal: SvcError, sent: Credentials | undefined): boolean
  /** The agent's own, where the client has it. */
  readonly private_key?: string | undefined
  /** From now on its requests are signed by this key. */
  useKey?(private_key: string): void
}

/** Sends one request with these headers, and returns its output. */
type Ask = (request: Request, credentials: Credentials) => Promise<Record<string, unknown>>

interface Session {
  readonly token: string
  readonly session_id: string
  readonly renew_ms: number
}

/** The rest of a token's life is left for requests on their way. */
const renew_early_ms = 60_000
const ended: ReadonlySet<string | null> = new Set(['session expired', 'session revoked', 'unknown key'])

export function apiKeyAuthorization({ api_key, agent_did }: Settings): Authorization {
  const credentials = { authorization: `Bearer ${api_key}`, 'x-agent-did': agent_did }
  return { headersFor: async () => credentials, mayRepeat: () => false }
}

/** With the agent's own key, or with the token of the platform it runs on. */
export function sessionAuthorization(settings: Settings, ask: Ask): Authorization {
  let { private_key } = settings
  let key = private_key === undefined ? newAgentKey() : openAgentKey(private_key)
  const clock = serviceClock()
  const sign: Sign = async (request, token) => signed(settings, await key, request, clock.now_ms(), token)
  const prove = async (last?: Session) =>
    settings.workload_token
      ? await exchangedSession(settings, await settings.workload_token(), clock.now_ms, ask, sign)
      : await provenSession(settings, await key, clock.now_ms, macsCaller(settings, ask, sign), last)
  let session: Promise<Session> | undefined
  let opened_token: string | undefined
  const open = (last?: Session) => {
    const opening = prove(last)
    session = opening
    opening.then(
      (opened) => {
        if (session === opening) opened_token = opened.token
      },
      () => {
        if (session === opening) session = undefined
      },
    )
    return opening
  }
  /** Shared by concurrent requests: whoever comes first renews it. */
  let renewal: { readonly of: Session; readonly next: Promise<Session> } | undefined
  const renewed = (last: Session) => {
    if (renewal?.of !== last) renewal = { of: last, next: open(last).catch(() => open()) }
    return renewal.next
  }
  const forget = () => {
    session = undefined
    opened_token = undefined
  }
  return {
    async headersFor(request) {
      if (!session) return await sign(request, (await open()).token)
      const current = await session
      const usable = clock.now_ms() < current.renew_ms ? current : await renewed(current)
      return await sign(request, usable.token)
    },
    mayRepeat({ code, reason, details }, sent) {
      if (code !== 'unauthenticated') return false
      if (reason === 'proof out of time') return clock.follow(details.now)
      if (!ended.has(reason)) return false
      // Another request that was refused may have begun a new one already.
      if (sent && sent.authorization !== schemeWith(opened_token)) return true
      forget()
      return true
    },
    get private_key() {
      return private_key
    },
    useKey(next) {
      private_key = next
      key = openAgentKey(next)
      forget()
    },
  }
}

interface ServiceClock {
  now_ms(): number
  /** False where the service told no time. */
  follow(now: unknown): boolean
}

/** Ours, until the service says that it is wrong. */
function serviceClock(): ServiceClock {
  let ahead_ms = 0
  return {
    now_ms: () => Date.now() + ahead_ms,
    follow(now) {
      const service_ms = Date.parse(String(now))
      if (Number.isNaN(service_ms)) return false
      ahead_ms = service_ms - Date.now()
      return true
    },
  }
}

type Sign = (request: Request, token?: string) => Promise<Credentials>

async function signed(
  { api_url, agent_did }: Settings,
  key: AgentKey,
  { method, path, body }: Request,
  now_ms: number,
  token: string | undefined,
): Promise<Credentials> {
  const dpop = await key.proofOf({
    htm: method,
    htu: `${api_url}${path}`.split('?')[0],
    iat: Math.floor(now_ms / 1000),
    jti: crypto.randomUUID(),
    ...(token === undefined ? {} : { ath: base64Url(await sha256(token)) }),
    ...(body === undefined ? {} : { body_sha256: toHex(await sha256(body)) }),
  })
  const credentials = { dpop, 'x-agent-did': agent_did }
  return token === undefined ? credentials : { ...credentials, authorization: schemeWith(token) }
}

function schemeWith(token: string | undefined): string {
  return `DPoP ${token}`
}

/** RFC 8693: renewed by a fresh token of the platform. */
async function exchangedSession(
  { agent_did }: Settings,
  subject_token: string,
  now_ms: () => number,
  ask: Ask,
  sign: Sign,
): Promise<Session> {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    client_id: 'svc-workload',
    subject_token: subject_token.trim(),
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    agent_did,
  })
  const request: Request = {
    method: 'POST',
    path: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    changes: false,
  }
  const { access_token, expires_in } = await ask(request, await sign(request))
  const renew_ms = now_ms() + Math.max(0, Number(expires_in) * 1000 - renew_early_ms)
  return { token: String(access_token), session_id: '', renew_ms }
}

type Macs = (operation: string, input: object, token?: string) => Promise<Record<string, unknown>>

/** An agent proves itself to its own organization, whatever it calls afterwards. */
function macsCaller({ agent_did }: Settings, ask: Ask, sign: Sign): Macs {
  const tenant_id = agent_did.split(':')[2]!
  return async (operation, input, token) => {
    const request: Request = {
      method: 'POST',
      path: '/v1/dispatch',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ protocol: 'MACS', version: 'v1', operation, input, tenant_id }),
      changes: false,
    }
    return await ask(request, await sign(request, token))
  }
}

/** The key signs treaties and delegations too: nobody gets such a signature as an answer to a challenge. */
function challengeText(signing_input: unknown): string {
  const text = String(signing_input)
  if (text.startsWith('svc-macs-challenge-v1\n')) return text
  throw badAnswer('What is to be signed is not a challenge, so nothing was signed; check apiUrl.', {})
}

/** Another proof renews the last session; without one a new one is negotiated. */
async function provenSession(
  { agent_did }: Settings,
  { public_key, sign }: AgentKey,
  now_ms: () => number,
  macs: Macs,
  last: Session | undefined,
): Promise<Session> {
  const wish = { profile: 'DidAuth', challenge_kind: 'Nonce' }
  const session_id = last?.session_id ?? (await macs('auth_negotiation', wish)).session_id
  const issued = await macs('generate_challenge', { session_id }, last?.token)
  const signature = await sign(challengeText(issued.signing_input))
  const response = { challenge_id: issued.challenge_id, agent_did, public_key, signature }
  const proven = await macs('verify_response', response, last?.token)
  return {
    token: String(proven.session_token),
    session_id: String(session_id),
    renew_ms: Math.max(now_ms(), Date.parse(String(proven.token_expires_at)) - renew_early_ms),
  }
}
