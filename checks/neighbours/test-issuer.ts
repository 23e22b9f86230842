// An OpenID issuer as a platform runs one: it describes itself, shows its keys, and signs tokens of the shapes that platforms use.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export interface TestIssuer {
  readonly url: string
  /** How often its keys were asked for. */
  readonly keyReads: () => number
  sign(claims: JWTPayload, signing?: { readonly alg?: string; readonly kid?: string }): Promise<string>
  /** From now on it signs with another key. */
  rotate(): Promise<void>
  jwks(): { readonly keys: readonly object[] }
  stop(): Promise<void>
}

export async function startIssuer(now_s: () => number): Promise<TestIssuer> {
  let [count, reads] = [0, 0]
  const newKey = async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
    const kid = `key-${++count}`
    return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } }
  }
  let key = await newKey()
  const server = createServer((req, res) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    if (req.url === '/keys') reads++
    const body =
      req.url === '/keys'
        ? { keys: [key.jwk] }
        : req.url === '/.well-known/openid-configuration'
          ? { issuer: url, jwks_uri: `${url}/keys` }
          : undefined
    res.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    keyReads: () => reads,
    jwks: () => ({ keys: [key.jwk] }),
    async rotate() {
      key = await newKey()
    },
    sign: (claims, { alg = 'RS256', kid = key.kid } = {}) =>
      new SignJWT({ iss: url, iat: now_s(), exp: now_s() + 600, ...claims })
        .setProtectedHeader({ alg, kid })
        .sign(key.privateKey),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
