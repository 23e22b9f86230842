// Who is signed in: an access token by its signature and grant, a browser by its cookie; both only for an active person.
import { createHmac, hash } from 'node:crypto'
import { type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import type { Credential } from '@svc/engine/call'
import { recent } from '@svc/engine/limits/recent'
import type { Clock } from '@svc/engine/ports'
import { type TokenClaims, tokenEnded, tokenVerifier } from './access-token.ts'
import { readCookie } from './cookies.ts'
import type { Holding } from './holding.ts'
import type { Accounts, Person, Session, SigningKey } from './ports.ts'
import type { Site, Surface } from './site.ts'

const tokens_kept_max = 10_000
const session_form = /^[A-Za-z0-9_-]{43}$/

export interface SignedIn {
  readonly credential: Credential
  readonly user: Person
  /** The scopes of an access token; a browser session is not limited. */
  readonly scopes?: ReadonlySet<string>
  readonly session?: Session
  /** What a gateway sends the engine instead of the token or cookie. */
  readonly holding: Holding
  /** What a state-changing call with this cookie must repeat. */
  readonly csrf_token?: string
}

export interface Logins {
  /** The WWW-Authenticate of every 401 of the engine's endpoint: where to get a token. */
  readonly challenge: string
  fromToken(token: string): SignedIn | Promise<SignedIn>
  /** Undefined where the browser sent no session, or an expired one. */
  fromCookie(cookie: string | undefined): Promise<SignedIn | undefined>
  /** A person a gateway admitted: its claim is looked up here, and refused where it is not valid. */
  fromGateway(key_id: string, holding: Exclude<Holding, { kind: 'proof' }>): Promise<SignedIn>
  /** The content of a token issued here, whether or not its grant is still valid. */
  claimsOf(token: string): Promise<TokenClaims>
  /** Ends the session of this cookie. */
  signOut(cookie: string | undefined, signed_in: SignedIn): Promise<void>
}

/** Verified once: later only its expiry and grant are checked. */
interface Verified {
  readonly claims: TokenClaims
  last: SignedIn | undefined
}

/** The part of the accounts that needs no master key, which a gateway has too. */
export interface Holders extends Pick<Accounts, 'credentialOf' | 'grantor' | 'session' | 'endSession'> {
  signingKeys(): Promise<readonly Omit<SigningKey, 'd'>[]>
}

/** For one surface: its tokens are not valid for another. */
export function openLogins(accounts: Holders, site: Site, clock: Clock, surface: Surface = 'engine'): Logins {
  const verify = tokenVerifier(() => accounts.signingKeys(), site, clock)
  const verified = recent<Verified>(tokens_kept_max)
  const sessionToken = (cookie: string | undefined) => {
    const token = readCookie(cookie, site.cookieName('svc_session'))
    return token !== undefined && session_form.test(token) ? token : undefined
  }
  const look = async (token: string): Promise<Verified> => {
    const fresh: Verified = { claims: await verify(token, [surface]), last: undefined }
    verified.set(hash('sha256', token), fresh)
    return fresh
  }
  const judge = (token: Verified): SignedIn | Promise<SignedIn> => {
    if (token.claims.exp * 1000 <= clock.now_ms()) throw tokenEnded()
    const grantor = accounts.grantor(token.claims.gid)
    return grantor instanceof Promise
      ? lookedUp(grantor).then((user) => letIn(accounts, token, user))
      : letIn(accounts, token, grantor)
  }
  return {
    get challenge() {
      return `Bearer resource_metadata="${site.public_url}/.well-known/oauth-protected-resource"`
    },
    fromToken(token) {
      const login = verified.get(hash('sha256', token))
      return login ? judge(login) : look(token).then(judge)
    },
    async fromCookie(cookie) {
      const token = sessionToken(cookie)
      const session = token && (await lookedUp(accounts.session(hash('sha256', token))))
      if (!token || !session || !stands(session, clock)) return undefined
      return {
        credential: accounts.credentialOf(session.user, `session:${session.session_id}`),
        user: session.user,
        session,
        holding: { kind: 'session', token_hash: hash('sha256', token) },
        csrf_token: csrfTokenOf(token),
      }
    },
    fromGateway: vouchedReader(accounts, clock),
    async claimsOf(token) {
      // Not cached: a token that may be revoked here is not necessarily accepted here.
      return verified.get(hash('sha256', token))?.claims ?? (await verify(token, ['engine', 'mcp']))
    },
    async signOut(cookie, { session }) {
      const token = sessionToken(cookie)
      if (token && session) await accounts.endSession(session, hash('sha256', token))
    },
  }
}

/** Keyed by the cookie's own 32 random bytes: it cannot be made without the cookie, and does not reveal it. */
function csrfTokenOf(session_token: string): string {
  return createHmac('sha256', session_token).update('svc csrf').digest('base64url')
}

function vouchedReader(accounts: Holders, clock: Clock): Logins['fromGateway'] {
  const last = recent<SignedIn>(tokens_kept_max)
  const byGrant = async (key_id: string, holding: Holding & { kind: 'token' }) => {
    if (!key_id.startsWith('token:')) throw tokenRevoked()
    if (holding.ends_s * 1000 <= clock.now_ms()) throw tokenEnded()
    const user = await lookedUp(accounts.grantor(holding.grant_hash))
    if (!user || user.disabled) throw tokenRevoked()
    const name = `${holding.grant_hash}/${key_id}`
    const signed_in = last.get(name)
    if (signed_in?.user === user) return signed_in
    const fresh = { credential: accounts.credentialOf(user, key_id), user, holding }
    last.set(name, fresh)
    return fresh
  }
  const bySession = async (key_id: string, holding: Holding & { kind: 'session' }) => {
    const session = await lookedUp(accounts.session(holding.token_hash))
    if (!session || !stands(session, clock) || key_id !== `session:${session.session_id}`) throw sessionOver()
    const { user } = session
    return { credential: accounts.credentialOf(user, key_id), user, session, holding }
  }
  return (key_id, holding) =>
    holding.kind === 'token' ? byGrant(key_id, holding) : bySession(key_id, holding)
}

/** Unlike keys, people are not admitted from cache while the database is away: a page or a refresh would not work either. */
async function lookedUp<Value>(lookup: Value | Promise<Value>): Promise<Value> {
  try {
    return await lookup
  } catch (cause) {
    throw unavailable('database', cause)
  }
}

function stands({ revoked, expires_at_ms, user }: Session, clock: Clock): boolean {
  return !revoked && expires_at_ms > clock.now_ms() && !user.disabled
}

/** The same object while nothing changed, so that values derived from a credential can be cached with it. */
function letIn(accounts: Holders, token: Verified, user: Person | undefined): SignedIn {
  if (token.last && token.last.user === user) return token.last
  const { claims } = token
  const same = user?.user_id === claims.sub && user.did === claims.did && user.tenant_id === claims.tenant_id
  if (!user || !same || user.disabled) throw tokenRevoked()
  token.last = {
    credential: accounts.credentialOf(user, `token:${claims.jti}`),
    user,
    scopes: new Set(claims.scope?.split(' ')),
    holding: { kind: 'token', grant_hash: claims.gid, ends_s: claims.exp },
  }
  return token.last
}

function sessionOver(): Refusal {
  return refuse('unauthenticated', 'This session is over; sign in again.', { reason: 'session over' })
}

function tokenRevoked(): Refusal {
  return refuse('unauthenticated', 'This access token was revoked; sign in again.', {
    reason: 'token revoked',
  })
}
