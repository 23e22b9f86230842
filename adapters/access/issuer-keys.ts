// The public keys of OpenID issuers: asked for by discovery, cached, and asked again for a key that is not among them.

import { recent } from '@svc/engine/limits/recent'
import type { Clock } from '@svc/engine/ports'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { AddressGuard } from '../outbound/address-guard.ts'
import { type Authorities, openOutbound } from '../outbound/outbound.ts'

const issuers_cached_max = 100
const cached_ms = 10 * 60_000
/** A token with an invented key makes us ask no more often than this. */
const asked_again_ms = 30_000
const answer_ms_max = 5_000
const answer_bytes_max = 256 * 1024

export interface IssuerSettings {
  readonly guard: AddressGuard
  readonly ca?: Authorities | undefined
}

export interface IssuerKeys {
  of(issuer: string): JWTVerifyGetKey
}

interface Cached {
  readonly find: JWTVerifyGetKey
  readonly read_ms: number
}

export function issuerKeys(settings: IssuerSettings, clock: Clock): IssuerKeys {
  const cache = recent<Promise<Cached>>(issuers_cached_max)
  const load = (issuer: string) => {
    const last = cache.get(issuer)
    const loading = readKeys(issuer, settings).then((jwks) => ({
      find: createLocalJWKSet(jwks) as JWTVerifyGetKey,
      read_ms: clock.monotonic_ms(),
    }))
    cache.set(issuer, loading)
    loading.catch(() => {
      if (cache.get(issuer) !== loading) return
      // An issuer that does not answer now must not cost the keys that are still good.
      if (last) cache.set(issuer, last)
      else cache.delete(issuer)
    })
    return loading
  }
  return {
    of: (issuer) => async (header, token) => {
      const last = await (cache.get(issuer) ?? load(issuer))
      const age_ms = clock.monotonic_ms() - last.read_ms
      const { find } = age_ms < cached_ms ? last : await load(issuer)
      try {
        return await find(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || age_ms < asked_again_ms) throw error
        return (await load(issuer)).find(header, token)
      }
    },
  }
}

async function readKeys(issuer: string, settings: IssuerSettings): Promise<JSONWebKeySet> {
  const described = await readJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, settings)
  const { issuer: own, jwks_uri } = described as { issuer?: unknown; jwks_uri?: unknown }
  if (own !== issuer || typeof jwks_uri !== 'string')
    throw new Error(`${issuer} does not describe itself as an OpenID issuer`)
  return (await readJson(jwks_uri, settings)) as JSONWebKeySet
}

async function readJson(address: string, { guard, ca }: IssuerSettings): Promise<unknown> {
  const { origin, pathname, search } = new URL(address)
  const outbound = openOutbound(origin, { guard, ca, once: true })
  try {
    const answer = await outbound.send({
      method: 'GET',
      path: pathname + search,
      headers: { accept: 'application/json' },
      timeout_ms: answer_ms_max,
      answer_bytes_max,
    })
    if (answer.status !== 200) throw new Error(`${origin} answered ${answer.status}`)
    return JSON.parse(answer.body.toString('utf8'))
  } finally {
    outbound.close()
  }
}
