// Authenticates the caller by API key, proof of its own key, access token or browser session. The header's DID is a claim; their binding decides.
import { timingSafeEqual } from 'node:crypto'
import { isInNetworks, readNetworks } from '@svc/contract/authority/network-list'
import { parseApiKey } from '@svc/contract/identity/api-key'
import { dpop_scheme } from '@svc/contract/identity/dpop'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Credential } from '@svc/engine/call'
import type { Clock, KeyRecord, KeyRing } from '@svc/engine/ports'
import { exactAddressOf } from '../oauth/address.ts'
import type { Logins, SignedIn } from '../oauth/logins.ts'
import type { BrowserHeaders, Presented } from './presented.ts'
import type { Proofs } from './proofs.ts'
import { concerning } from './refused-holder.ts'

const scheme = 'bearer '
/** Every JSON Web Token begins so, and no API key does. */
const token_start = 'eyJ'
const call_scope = 'svc.call'

export interface Authenticator {
  readonly keys: KeyRing
  readonly clock: Clock
  /** People who signed in; none where absent. */
  readonly logins?: Logins
  /** Agents that prove their key; none where absent. */
  readonly proofs?: Proofs
  /** Number of our own proxies in front. */
  readonly proxy_hops?: number
}

/** A value rather than a promise where the key is cached: this runs before every call. */
export function authenticate(
  presented: Presented,
  authenticator: Authenticator,
  changes_state = true,
): Credential | Promise<Credential> {
  const { authorization, 'x-agent-did': claimed_did } = presented.headers
  const { keys, logins } = authenticator
  const token = authorization === undefined ? undefined : bearerToken(authorization)
  const key = token === undefined ? undefined : parseApiKey(token)
  if (!key) {
    const signed_in = logins && bySignIn(logins, authorization, claimed_did, presented.headers, changes_state)
    if (signed_in)
      return signed_in instanceof Promise
        ? signed_in.then(({ credential }) => credential)
        : signed_in.credential
    throw noCredential(authorization)
  }
  const record = keys.find(key.key_id)
  if (record instanceof Promise)
    return record.then((loaded) => check(loaded, key.secret_hash, token!, presented, authenticator))
  return check(record, key.secret_hash, token!, presented, authenticator)
}

/** Undefined where neither a token nor a cookie was sent; an invalid one is refused. */
export function bySignIn(
  logins: Logins,
  authorization: string | undefined,
  claimed_did: string | undefined,
  browser: BrowserHeaders,
  changes_state = true,
): SignedIn | Promise<SignedIn> | undefined {
  if (authorization === undefined)
    return browser.cookie === undefined ? undefined : bySession(logins, browser, claimed_did, changes_state)
  const token = bearerToken(authorization)
  return token?.startsWith(token_start) ? byToken(logins, token, claimed_did) : undefined
}

function byToken(
  logins: Logins,
  token: string,
  claimed_did: string | undefined,
): SignedIn | Promise<SignedIn> {
  const verified = logins.fromToken(token)
  const admit = (signed_in: SignedIn) => requireScope(call_scope, bound(signed_in, claimed_did))
  return verified instanceof Promise ? verified.then(admit) : admit(verified)
}

async function bySession(
  logins: Logins,
  browser: BrowserHeaders,
  claimed_did: string | undefined,
  changes_state: boolean,
): Promise<SignedIn> {
  const signed_in = await logins.fromCookie(browser.cookie)
  if (!signed_in) throw noCredential(undefined)
  if (changes_state) requireCsrf(signed_in, browser['x-svc-csrf'])
  return bound(signed_in, claimed_did)
}

/** Any page's request carries the cookie; only our own page can read the token. */
export function requireCsrf({ csrf_token, credential }: SignedIn, sent: string | string[] | undefined): void {
  const [expected, received] = [Buffer.from(csrf_token ?? ''), Buffer.from(String(sent ?? ''))]
  if (expected.length > 0 && expected.length === received.length && timingSafeEqual(expected, received))
    return
  const refusal = unauthenticated(
    'csrf token',
    'A call with a session cookie needs X-SVC-CSRF with the csrf_token that GET /v1/session gives.',
  )
  throw concerning(credential, refusal)
}

export function requireScope(scope: string, signed_in: SignedIn): SignedIn {
  if (signed_in.scopes === undefined || signed_in.scopes.has(scope)) return signed_in
  const refusal = refuse(
    'capability_denied',
    `This access token was not asked for ${scope}; sign in for it.`,
    { reason: 'token scope' },
  )
  throw concerning(signed_in.credential, refusal)
}

/** The claim is optional here: the token or session names the DID itself. */
export function bound(signed_in: SignedIn, claimed_did: string | undefined): SignedIn {
  if (claimed_did === undefined || claimed_did === signed_in.user.did) return signed_in
  const sentence = 'X-Agent-Did is not the DID you signed in as; send that one.'
  throw concerning(signed_in.credential, unauthenticated('agent did mismatch', sentence))
}

function noCredential(authorization: string | undefined): Refusal {
  return unauthenticated(
    authorization === undefined ? 'no credential' : 'malformed credential',
    'Send Authorization: Bearer <API key> (npm start prints one for development), or prove your own key with MACS and send its session token.',
  )
}

/** Both schemes name the same kind of token; which one a key needs is a property of the key. */
export function bearerToken(authorization: string): string | undefined {
  const start = authorization.slice(0, scheme.length).toLowerCase()
  if (start === scheme) return authorization.slice(scheme.length)
  return isDpop(authorization) ? authorization.slice(dpop_scheme.length) : undefined
}

function isDpop(authorization: string): boolean {
  return authorization.slice(0, dpop_scheme.length).toLowerCase() === dpop_scheme.toLowerCase()
}

function check(
  record: KeyRecord | undefined,
  secret_hash: Buffer,
  token: string,
  presented: Presented,
  { keys, clock, proofs, proxy_hops = 0 }: Authenticator,
): Credential {
  // An unknown id and a wrong secret give the same refusal, so nobody learns which ids exist.
  if (!record || !timingSafeEqual(record.secret_hash, secret_hash)) {
    throw unauthenticated('unknown key', 'This API key is not known here; check it, or ask for a new one.')
  }
  const fault =
    faultOf(record, presented.headers['x-agent-did'], clock) ?? networkFault(record, presented, proxy_hops)
  if (fault) throw concerning(record, unauthenticated(...fault))
  if (record.proof_key !== undefined) requireProof(record, token, presented, proofs)
  keys.used(record.key_id)
  return record
}

type Fault = [reason: string, sentence: string]

function networkFault(
  { networks }: KeyRecord,
  { request }: Presented,
  proxy_hops: number,
): Fault | undefined {
  const address = request && exactAddressOf(request, proxy_hops)
  const blocks = networks && readNetworks(networks.join(','))
  if (!networks || (address !== undefined && blocks && isInNetworks(blocks, address))) return undefined
  return ['network', 'This API key may not be used from your address; use it from one of its networks.']
}

/** A stolen token alone is worth nothing: the key it is bound to must sign each request. */
function requireProof(
  record: KeyRecord,
  token: string,
  presented: Presented,
  proofs: Proofs | undefined,
): void {
  try {
    if (!proofs) throw unauthenticated('no proofs', 'Session tokens are not accepted here; use an API key.')
    proofs.requireSigned(presented, record.proof_key!, token)
  } catch (refusal) {
    throw concerning(record, refusal as Refusal)
  }
}

/** Why a key with the right secret is still refused. */
function faultOf(
  { did, revoked, expires_at_ms, proof_key }: KeyRecord,
  claimed_did: string | undefined,
  clock: Clock,
): Fault | undefined {
  const is_session = proof_key !== undefined
  if (revoked)
    return is_session
      ? ['session revoked', 'This session was ended; prove your identity again.']
      : ['key revoked', 'This API key was revoked; ask for a new one.']
  if (expires_at_ms !== null && expires_at_ms <= clock.now_ms())
    return is_session
      ? ['session expired', 'This session has expired; prove your identity again.']
      : ['key expired', 'This API key has expired; ask for a new one.']
  if (claimed_did === did) return undefined
  if (claimed_did !== undefined)
    return ['agent did mismatch', 'X-Agent-Did is not the DID this key is bound to; send that one.']
  return is_session ? undefined : ['no agent did', 'Send X-Agent-Did with the DID this key is bound to.']
}

function unauthenticated(reason: string, sentence: string): Refusal {
  return refuse('unauthenticated', sentence, { reason })
}
