// X.509 certificates generated here: node:crypto signs, and the few DER structures are written by hand.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import { system_clock } from '@svc/adapters/clock/system'

export interface TestCertificate {
  readonly name: string
  /** PEM. */
  readonly cert: string
  readonly key: string
  readonly private_key: KeyObject
}

export interface CertificateOptions {
  readonly name: string
  /** Self-signed by default. */
  readonly issuer?: TestCertificate
  readonly hosts?: readonly string[]
  readonly from_ms?: number
  readonly to_ms?: number
}

const day_ms = 86_400_000

export function makeCertificate(options: CertificateOptions): TestCertificate {
  const {
    name,
    issuer,
    hosts = [],
    from_ms = system_clock.now_ms() - day_ms,
    to_ms = system_clock.now_ms() + day_ms,
  } = options
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsa_sha256,
    nameOf(issuer?.name ?? name),
    sequence(utcTime(from_ms), utcTime(to_ms)),
    nameOf(name),
    publicKey.export({ format: 'der', type: 'spki' }),
    der(
      0xa3,
      sequence(isAuthority(hosts.length === 0), ...(hosts.length > 0 ? [alternativeNames(hosts)] : [])),
    ),
  )
  const signature = sign('sha256', body, issuer?.private_key ?? privateKey)
  const cert = pem('CERTIFICATE', sequence(body, ecdsa_sha256, bitString(signature)))
  const key = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  return { name, cert, key, private_key: privateKey }
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const integer = (bytes: Buffer) => der(0x02, bytes)
const bitString = (bytes: Buffer) => der(0x03, Buffer.from([0]), bytes)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const ecdsa_sha256 = sequence(oid('2a8648ce3d040302'))

function nameOf(common_name: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(common_name)))))
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}

function isAuthority(is: boolean): Buffer {
  const yes = der(0x01, Buffer.from([0xff]))
  return sequence(oid('551d13'), yes, der(0x04, sequence(...(is ? [yes] : []))))
}

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
  )
  return sequence(oid('551d11'), der(0x04, sequence(...names)))
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
