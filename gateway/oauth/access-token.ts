// An access token is signed by our own key, for this surface, as an access token, and unexpired.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'
import { type CryptoKey, errors, importJWK, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { SigningKey } from './ports.ts'
import type { Site, Surface } from './site.ts'

const keys_reloaded_every_ms = 10_000
const token_chars_max = 4096
/** The private part is never used here. */
type VerifyingKey = Omit<SigningKey, 'd'> & { readonly d?: string }

const required = ['jti', 'sub', 'exp', 'iat', 'gid', 'did', 'tenant_id', 'client_id']

export interface TokenClaims extends JWTPayload {
  readonly jti: string
  readonly sub: string
  readonly exp: number
  /** Its grant: the token is valid while the grant is. */
  readonly gid: string
  readonly did: string
  readonly tenant_id: string
  readonly client_id: string
  readonly scope?: string
}

/** It must be meant for one of these. */
export type VerifyToken = (token: string, surfaces: readonly Surface[]) => Promise<TokenClaims>

export function tokenVerifier(
  loadKeys: () => Promise<readonly VerifyingKey[]>,
  site: Site,
  clock: Clock,
): VerifyToken {
  const findKey = keyFinder(loadKeys, clock)
  return async (token, surfaces) => {
    if (token.length > token_chars_max) throw invalidToken('it is too long')
    try {
      const { payload } = await jwtVerify<TokenClaims>(token, findKey, {
        issuer: site.issuer,
        // Always a non-empty list: otherwise jose checks no audience.
        audience: surfaces.map((surface) => site.audienceOf(surface) ?? 'nobody'),
        algorithms: ['EdDSA'],
        typ: 'at+jwt',
        requiredClaims: required,
        currentDate: new Date(clock.now_ms()),
      })
      return payload
    } catch (error) {
      throw whyInvalid(error)
    }
  }
}

/** A key made by another replica is unknown here once: then the table is read again, but not for every guess. */
function keyFinder(loadKeys: () => Promise<readonly VerifyingKey[]>, clock: Clock): JWTVerifyGetKey {
  let public_keys = new Map<string, CryptoKey>()
  let loaded_ms = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | undefined
  const load = async () => {
    const keys = await loadKeys()
    const pairs = keys.map(async ({ d: _private, ...jwk }) => [jwk.kid, await importJWK(jwk)] as const)
    public_keys = new Map((await Promise.all(pairs)) as [string, CryptoKey][])
    loaded_ms = clock.monotonic_ms()
  }
  return async ({ kid = '' }) => {
    if (!public_keys.has(kid) && clock.monotonic_ms() - loaded_ms > keys_reloaded_every_ms) {
      loading ??= load().finally(() => {
        loading = undefined
      })
      await loading
    }
    const key = public_keys.get(kid)
    if (!key) throw new errors.JWKSNoMatchingKey()
    return key
  }
}

function whyInvalid(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return tokenEnded()
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') {
    return refuse('unauthenticated', 'This access token is for another service; get one for this one.', {
      reason: 'token audience',
    })
  }
  // Anything jose did not throw is a fault of ours, such as an unavailable database.
  return error instanceof errors.JOSEError ? invalidToken('it was not issued here, or was changed') : error
}

export function tokenEnded(): Refusal {
  return refuse('unauthenticated', 'This access token has ended; refresh it, or sign in again.', {
    reason: 'token expired',
  })
}

function invalidToken(why: string): Refusal {
  return refuse('unauthenticated', `This access token is not valid: ${why}; sign in again.`, {
    reason: 'token invalid',
  })
}
