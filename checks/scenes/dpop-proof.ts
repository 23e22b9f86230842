// Signed requests of an agent with its own key, and forgeries of them.
import { hash, randomUUID } from 'node:crypto'
import { system_clock } from '@svc/adapters/clock/system'
import { type SigningKey, signText } from '@svc/contract/signing/signature'

export interface ProofParts {
  readonly url: string
  readonly method?: string
  readonly token?: string
  readonly issued_s?: number
  readonly id?: string
  readonly body?: string
  readonly header?: object
  readonly claims?: object
}

export function dpopProof(signer: SigningKey, parts: ProofParts): string {
  const {
    url,
    method = 'POST',
    token,
    issued_s = Math.floor(system_clock.now_ms() / 1000),
    id = randomUUID(),
  } = parts
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: signer.public_key }
  const header = { alg: 'EdDSA', typ: 'dpop+jwt', jwk, ...parts.header }
  const claims = {
    htm: method,
    htu: url,
    iat: issued_s,
    jti: id,
    ...(token === undefined ? {} : { ath: hash('sha256', token, 'base64url') }),
    ...(parts.body === undefined ? {} : { body_sha256: hash('sha256', parts.body) }),
    ...parts.claims,
  }
  const text = `${encoded(header)}.${encoded(claims)}`
  return `${text}.${signText(signer.private_key, text)}`
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
