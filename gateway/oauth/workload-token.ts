// RFC 8693: a workload exchanges the token of its platform for a session of the agent it is mapped to.
import { claimAt } from '@svc/contract/identity/claim'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'

const token_chars_max = 16 * 1024
const clock_skew_s = 5
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Goes into a query before the token is verified. */
const issuer_form = /^[\x21-\x7e]{1,500}$/

export interface WorkloadMapping {
  readonly workload_id: string
  readonly tenant_id: string
  readonly did: string
  readonly issuer: string
  readonly audience: string
  /** All must fit; each has the texts that are accepted. A name that begins with / is a path into objects. */
  readonly claims: Readonly<Record<string, readonly string[]>>
}

export interface WorkloadIssuers {
  /** Of one agent where it is named; undefined where there are too many to compare. */
  mappingsOf(issuer: string, agent_did: string | undefined): Promise<readonly WorkloadMapping[] | undefined>
  /** Undefined for an issuer that nothing is mapped from: it is never asked. */
  keysOf(issuer: string, mapping: WorkloadMapping): JWTVerifyGetKey
}

export interface VerifiedWorkload {
  readonly mapping: WorkloadMapping
  readonly subject: string
  readonly expires_ms: number
}

/** The one mapping that a token fits, its signature, audience and time verified. */
export async function verifyWorkload(
  token: string,
  agent_did: string | undefined,
  issuers: WorkloadIssuers,
  now_ms: number,
): Promise<VerifiedWorkload> {
  const claims = readUnverified(token)
  const { sub } = claims as Readonly<Record<string, unknown>>
  if (typeof sub !== 'string') throw lacking()
  const issuer = issuerOf(claims)
  const all = issuer === undefined ? [] : await issuers.mappingsOf(issuer, agent_did)
  const fitting = (all ?? []).filter(
    (mapping) => fits(claims, mapping) && (agent_did === undefined || mapping.did === agent_did),
  )
  const [mapping] = fitting
  if (!mapping || fitting.some(({ did }) => did !== mapping.did)) throw unmapped()
  await verify(token, issuers.keysOf(issuer!, mapping), claims, mapping, now_ms)
  return { mapping, subject: sub.slice(0, 200), expires_ms: claims.exp! * 1000 }
}

function readUnverified(token: string): JWTPayload {
  try {
    if (token.length <= token_chars_max) return decodeJwt(token)
  } catch {
    // Said below, as for a token that is too long.
  }
  throw refused('token invalid', 'The subject_token is not a JSON Web Token.')
}

/** A JWT-SVID may name no issuer: then its trust domain is the issuer. */
function issuerOf({ iss, sub }: Readonly<Record<string, unknown>>): string | undefined {
  if (iss !== undefined) return typeof iss === 'string' && issuer_form.test(iss) ? iss : undefined
  return typeof sub === 'string' ? /^spiffe:\/\/[a-z0-9._-]{1,255}(?=\/)/.exec(sub)?.[0] : undefined
}

function fits(claims: JWTPayload, { audience, claims: accepted }: WorkloadMapping): boolean {
  if (![claims.aud].flat().includes(audience)) return false
  return Object.entries(accepted).every(([name, texts]) => {
    const value = claimAt(claims, name)
    return typeof value === 'string' && texts.includes(value)
  })
}

async function verify(
  token: string,
  keys: JWTVerifyGetKey,
  { iss }: JWTPayload,
  { audience }: WorkloadMapping,
  now_ms: number,
): Promise<void> {
  try {
    await jwtVerify(token, keys, {
      ...(iss === undefined ? {} : { issuer: iss }),
      audience,
      algorithms,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: clock_skew_s,
      currentDate: new Date(now_ms),
    })
  } catch (error) {
    if (error instanceof errors.JWTExpired)
      throw refused('token expired', 'The subject_token has expired; read a fresh one.')
    if (error instanceof errors.JWTClaimValidationFailed) throw lacking()
    if (error instanceof errors.JOSEError) throw unmapped(error)
    const sentence =
      'The keys of the issuer cannot be read now; try again, or have its keys stored with the mapping.'
    throw refuse('unavailable', sentence, { reason: 'issuer unavailable' }, error as Error)
  }
}

function lacking(): Refusal {
  return refused('token invalid', 'The subject_token lacks a claim, or is not good yet; read a fresh one.')
}

/** One answer for every token that is not verified: it tells nobody which mappings exist. */
function unmapped(cause?: Error): Refusal {
  return refused(
    'no workload',
    'No agent is mapped to this token, or several are, or its issuer did not sign it; check its issuer, audience and claims, and name the agent with agent_did.',
    cause,
  )
}

function refused(reason: string, sentence: string, cause?: Error): Refusal {
  return refuse('unauthenticated', sentence, { reason }, cause)
}
