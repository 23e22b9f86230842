// W3C Data Integrity with the cryptosuite eddsa-jcs-2022: Ed25519 over two hashes of canonical JSON. Checked offline, with nothing fetched.
import { createPublicKey, hash, verify } from 'node:crypto'
import { Type } from 'typebox'
import { Closed, Did, described, OneOf, Timestamp } from '../schema.ts'
import { canonicalJson } from './canonical-json.ts'

export const cryptosuite = 'eddsa-jcs-2022'

export type ProofPurpose = 'assertionMethod' | 'authentication'

export interface ProofOptions {
  readonly type: 'DataIntegrityProof'
  readonly cryptosuite: typeof cryptosuite
  readonly created: string
  /** `did:key:z…#z…` of the signing key: all that verification needs. */
  readonly verificationMethod: string
  readonly proofPurpose: ProofPurpose
  /** The issuer. Where another key signs on its behalf, this is still the issuer. */
  readonly controller?: string
  /** That of the document: the suite requires it wherever the document has one. */
  readonly '@context'?: unknown
}

export interface DataIntegrityProof extends ProofOptions {
  /** Multibase base58btc of 64 bytes. */
  readonly proofValue: string
}

/** Our proof on the wire. */
export const Proof = Closed(
  {
    type: described(OneOf('DataIntegrityProof'), 'Kind of proof, as W3C names it.'),
    cryptosuite: described(OneOf(cryptosuite), 'How it is made: Ed25519 over canonical JSON.'),
    created: described(Timestamp, 'When it was signed.'),
    verificationMethod: Type.String({
      pattern: '^did:key:z[1-9A-HJ-NP-Za-km-z]{40,60}#z[1-9A-HJ-NP-Za-km-z]{40,60}$',
      description: 'Key that signed, as did:key: all that a check needs.',
    }),
    proofPurpose: described(
      OneOf('assertionMethod', 'authentication'),
      'What the signature says: that this is so, or who signs.',
    ),
    controller: Type.Optional(described(Did, 'Issuer, if another key signs on its behalf.')),
    proofValue: Type.String({
      pattern: '^z[1-9A-HJ-NP-Za-km-z]{64,88}$',
      description: 'Multibase base58btc.',
    }),
  },
  { description: 'W3C Data Integrity, eddsa-jcs-2022.' },
)

type Document = Readonly<Record<string, unknown>>

/** Signs the bytes with its key, base64url. */
export interface ProofKey {
  /** 32 bytes, base64url. */
  readonly public_key: string
  sign(bytes: Uint8Array): string | Promise<string>
}

export interface ProofWish {
  readonly created: string
  readonly controller?: string | undefined
  readonly purpose?: ProofPurpose
}

/** The proof to add to the document as `proof`; an existing proof is not part of what is signed. */
export async function proveDocument(
  document: Document,
  { public_key, sign }: ProofKey,
  { created, controller, purpose = 'assertionMethod' }: ProofWish,
): Promise<DataIntegrityProof> {
  const options: ProofOptions = {
    type: 'DataIntegrityProof',
    cryptosuite,
    created,
    verificationMethod: verificationMethodOf(public_key),
    proofPurpose: purpose,
    ...(controller === undefined ? {} : { controller }),
    ...(document['@context'] === undefined ? {} : { '@context': document['@context'] }),
  }
  const signature = await sign(proofBytes(document, options))
  return { ...options, proofValue: multibase(Buffer.from(signature, 'base64url')) }
}

/** The key that made this proof of exactly this document, base64url; undefined for an invalid proof. Never throws. */
export function verifyProof(
  document: Document,
  proof: unknown,
  purpose: ProofPurpose = 'assertionMethod',
): string | undefined {
  try {
    if (!isProof(proof) || proof.proofPurpose !== purpose) return undefined
    const { proofValue, ...options } = proof
    const public_key = keyOfMethod(options.verificationMethod)
    const signature = bytesOf(proofValue, signature_bytes)
    if (!public_key || !signature || !continuesContext(document, options)) return undefined
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: public_key }, format: 'jwk' })
    return verify(null, proofBytes(document, options), key, signature) ? public_key : undefined
  } catch {
    return undefined
  }
}

/** What is signed: the hash of the proof's options, then the hash of the document without its proof. */
export function proofBytes(document: Document, options: ProofOptions): Buffer {
  const { proof: _, ...rest } = document
  const unsecured: Record<string, unknown> = rest
  // A document may have gained contexts since; those it had when signed count.
  if (options['@context'] !== undefined) unsecured['@context'] = options['@context']
  return Buffer.concat([sha256(options), sha256(unsecured)])
}

/** `did:key:z…#z…` */
export function verificationMethodOf(public_key: string): string {
  const key = multibase(Buffer.concat([ed25519_prefix, Buffer.from(public_key, 'base64url')]))
  return `did:key:${key}#${key}`
}

/** 32 bytes, base64url; undefined where it is not an Ed25519 key. */
export function keyOfMethod(method: string): string | undefined {
  const [, key, fragment] = /^did:key:(z\w{1,100})#(z\w{1,100})$/.exec(method) ?? []
  if (key === undefined || key !== fragment) return undefined
  const bytes = bytesOf(key, ed25519_prefix.length + key_bytes)
  if (!bytes?.subarray(0, ed25519_prefix.length).equals(ed25519_prefix)) return undefined
  return bytes.subarray(ed25519_prefix.length).toString('base64url')
}

const key_bytes = 32
const signature_bytes = 64
/** Multicodec of an Ed25519 public key. */
const ed25519_prefix = Buffer.from('ed01', 'hex')
const created_form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const required_fields = ['type', 'cryptosuite', 'created', 'verificationMethod', 'proofPurpose', 'proofValue']
/** Others, such as `expires` and `domain`, would have to be enforced: a proof with one is refused. */
const known_fields: ReadonlySet<string> = new Set([...required_fields, 'controller', '@context'])

function isProof(proof: unknown): proof is DataIntegrityProof {
  if (typeof proof !== 'object' || proof === null || Array.isArray(proof)) return false
  const fields = proof as Record<string, unknown>
  return (
    Object.keys(fields).every((name) => known_fields.has(name)) &&
    required_fields.every((name) => typeof fields[name] === 'string') &&
    fields.type === 'DataIntegrityProof' &&
    fields.cryptosuite === cryptosuite &&
    created_form.test(fields.created as string) &&
    (fields.controller === undefined || typeof fields.controller === 'string')
  )
}

/** The contexts of the proof must be the first of the document, in order. */
function continuesContext(document: Document, { '@context': signed }: ProofOptions): boolean {
  if (signed === undefined) return true
  const now = listed(document['@context']).map(canonicalJson)
  return listed(signed).every((context, place) => canonicalJson(context) === now[place])
}

function listed(context: unknown): readonly unknown[] {
  return Array.isArray(context) ? context : context === undefined ? [] : [context]
}

function sha256(value: unknown): Buffer {
  return hash('sha256', canonicalJson(value), 'buffer')
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const base = BigInt(alphabet.length)
const text_max = 128

/** `z` and base58btc: every leading zero byte is a 1. */
function multibase(bytes: Uint8Array): string {
  let text = ''
  for (let rest = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`); rest > 0n; rest /= base)
    text = alphabet[Number(rest % base)] + text
  const first = bytes.findIndex((byte) => byte !== 0)
  return `z${'1'.repeat(first < 0 ? bytes.length : first)}${text}`
}

/** Undefined unless exactly this many bytes in their one spelling. */
function bytesOf(text: string, length: number): Buffer | undefined {
  if (!text.startsWith('z') || text.length > text_max) return undefined
  let value = 0n
  for (const letter of text.slice(1)) {
    const digit = alphabet.indexOf(letter)
    if (digit < 0) return undefined
    value = value * base + BigInt(digit)
  }
  const hex = value.toString(16)
  if (hex.length > 2 * length) return undefined
  const bytes = Buffer.from(hex.padStart(2 * length, '0'), 'hex')
  return multibase(bytes) === text ? bytes : undefined
}
