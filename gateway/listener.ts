// A listener for HTTP, with TLS if the program has a certificate: one choice of protocols and ciphers for all of them.
import { constants } from 'node:crypto'
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { SecureContextOptions } from 'node:tls'

const handshake_ms_max = 10_000

/** Forward secrecy and authenticated encryption only. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

export interface ListenerTls {
  current(): {
    readonly cert: string
    readonly key: string
    /** PEM of the authorities whose clients are accepted; undefined for all clients. */
    readonly clients?: string | undefined
  }
  onRenewed(renewed: () => void): void
  /** A client was refused for its certificate. */
  refused(error: Error): void
}

/** Without `tls` plain HTTP. */
export function createListener(
  limits: ServerOptions,
  handle: RequestListener,
  tls: ListenerTls | undefined,
): Server {
  if (!tls) return createServer(limits, handle)
  const requests = tls.current().clients === undefined ? {} : { requestCert: true, rejectUnauthorized: true }
  const server = createTlsServer({ ...limits, ...secure, ...requests, ...contextOf(tls) }, handle)
  // New connections get the new certificate; open ones keep theirs.
  tls.onRenewed(() => server.setSecureContext(contextOf(tls)))
  server.on('tlsClientError', (error: NodeJS.ErrnoException) => {
    if (client_faults.test(error.code ?? '')) tls.refused(error)
  })
  // The two classes differ in how they accept connections only.
  return server as unknown as Server
}

const client_faults = /PEER_DID_NOT_RETURN_A_CERTIFICATE|CERT|UNABLE_TO_|SELF_SIGNED/

const secure = {
  ALPNProtocols: ['http/1.1'],
  handshakeTimeout: handshake_ms_max,
} as const

function contextOf(tls: ListenerTls): SecureContextOptions {
  const { cert, key, clients } = tls.current()
  return {
    cert,
    key,
    ...(clients !== undefined && { ca: clients }),
    minVersion: 'TLSv1.2',
    ciphers,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  }
}
