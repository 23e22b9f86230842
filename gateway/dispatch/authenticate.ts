// Authenticates the caller by API key, access token or browser session. The header's DID is a claim; their binding decides.
import { timingSafeEqual } from 'node:crypto'
import { parseApiKey } from '@svc/contract/identity/api-key'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Credential } from '@svc/engine/call'
import type { Clock, KeyRecord, KeyRing } from '@svc/engine/ports'
import type { Logins, SignedIn } from '../oauth/logins.ts'

const scheme = 'bearer '
/** Every JSON Web Token begins so, and no API key does. */
const token_start = 'eyJ'
const call_scope = 'svc.call'

/** Credentials of a browser: cookies are sent automatically, the CSRF token only by our own page. */
export interface BrowserHeaders {
  readonly cookie?: string | undefined
  readonly 'x-svc-csrf'?: string | string[] | undefined
}

/** A value rather than a promise where the key is cached: this runs before every call. */
export function authenticate(
  authorization: string | undefined,
  claimed_did: string | undefined,
  keys: KeyRing,
  clock: Clock,
  logins?: Logins,
  browser: BrowserHeaders = {},
  changes_state = true,
): Credential | Promise<Credential> {
  const token = authorization === undefined ? undefined : bearerToken(authorization)
  const presented = token === undefined ? undefined : parseApiKey(token)
  if (!presented) {
    const signed_in = logins && bySignIn(logins, authorization, claimed_did, browser, changes_state)
    if (signed_in)
      return signed_in instanceof Promise
        ? signed_in.then(({ credential }) => credential)
        : signed_in.credential
    throw noCredential(authorization)
  }
  const key = keys.find(presented.key_id)
  if (key instanceof Promise)
    return key.then((record) => letIn(keys, check(record, presented.secret_hash, claimed_did, clock)))
  return letIn(keys, check(key, presented.secret_hash, claimed_did, clock))
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
    'Send Authorization: Bearer <API key>; npm start prints one for development.',
  )
}

function letIn(keys: KeyRing, credential: Credential): Credential {
  keys.used(credential.key_id)
  return credential
}

function bearerToken(authorization: string): string | undefined {
  const named = authorization.slice(0, scheme.length).toLowerCase() === scheme
  return named ? authorization.slice(scheme.length) : undefined
}

function check(
  record: KeyRecord | undefined,
  secret_hash: Buffer,
  claimed_did: string | undefined,
  clock: Clock,
): Credential {
  // An unknown id and a wrong secret give the same refusal, so nobody learns which ids exist.
  if (!record || !timingSafeEqual(record.secret_hash, secret_hash)) {
    throw unauthenticated('unknown key', 'This API key is not known here; check it, or ask for a new one.')
  }
  const fault = faultOf(record, claimed_did, clock)
  if (fault) throw concerning(record, unauthenticated(...fault))
  return record
}

/** Why a key with the right secret is still refused. */
function faultOf(
  { did, revoked, expires_at_ms }: KeyRecord,
  claimed_did: string | undefined,
  clock: Clock,
): [reason: string, sentence: string] | undefined {
  if (revoked) return ['key revoked', 'This API key was revoked; ask for a new one.']
  if (expires_at_ms !== null && expires_at_ms <= clock.now_ms())
    return ['key expired', 'This API key has expired; ask for a new one.']
  if (claimed_did === undefined)
    return ['no agent did', 'Send X-Agent-Did with the DID this key is bound to.']
  if (claimed_did === did) return undefined
  return ['agent did mismatch', 'X-Agent-Did is not the DID this key is bound to; send that one.']
}

const holders = new WeakMap<Refusal, Credential>()

/** The holder of a valid credential that was refused: the refusal belongs into its tenant's audit log. */
export function holderOf(refusal: Refusal): Credential | undefined {
  return holders.get(refusal)
}

export function concerning(holder: Credential, refusal: Refusal): Refusal {
  holders.set(refusal, holder)
  return refusal
}

function unauthenticated(reason: string, sentence: string): Refusal {
  return refuse('unauthenticated', sentence, { reason })
}
